fn main() {
    // A folder of programs is checked with the crate; the tests point at a faulty one instead.
    println!("cargo::rerun-if-env-changed=EMBEDDING_PROGRAMS");
    let programs = std::env::var("EMBEDDING_PROGRAMS").unwrap_or("programs".into());
    atgpu::build::check(&programs);
    atgpu::build::prove(&programs);
}
