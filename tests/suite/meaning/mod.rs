//! `src/meaning`: points, and a fault, whoever finds it.

mod faults;
mod points;
