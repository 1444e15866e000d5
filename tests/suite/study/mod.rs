//! `src/study`: many costs side by side.

mod accuracy;
mod calibrate;
mod crossover;
mod roofline;
mod sweep;
