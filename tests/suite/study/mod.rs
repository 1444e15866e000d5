//! `src/study`: many costs side by side.

mod calibrate;
mod crossover;
mod sweep;
