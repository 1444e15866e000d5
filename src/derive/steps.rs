//! Counting without data at given parameters.
