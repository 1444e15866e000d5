//! Everything in `programs/`, and what documents say of it.

mod cookbook;
mod every;
mod published;
