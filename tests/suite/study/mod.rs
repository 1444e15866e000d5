//! `src/study`: many costs side by side.

mod accuracy;
mod calibrate;
mod crossover;
mod quantities;
mod roofline;
mod sweep;
