#![no_main]

#[path = "../../tests/suite/fuzzed/bodies.rs"]
#[allow(dead_code)]
mod bodies;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    bodies::definitions(&bodies::text_of(bytes));
});
