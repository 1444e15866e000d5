//! The machines that come with the program.

/// Name and TOML text of every built-in machine; adding one is a file and a line.
pub const BUILT_IN: &[(&str, &str)] = &[
    ("gtx650", include_str!("gtx650.toml")),
    ("titan", include_str!("titan.toml")),
];
