//! The machines that come with the program.

/// Name and TOML text of every built-in machine; adding one is a file and a line.
pub const BUILT_IN: &[(&str, &str)] = &[
    ("gtx650", include_str!("gtx650.toml")),
    ("gtx8800", include_str!("gtx8800.toml")),
    ("gtx280", include_str!("gtx280.toml")),
    ("gtx480", include_str!("gtx480.toml")),
    ("gtx680", include_str!("gtx680.toml")),
    ("titan", include_str!("titan.toml")),
    ("k20", include_str!("k20.toml")),
    ("rtx2060", include_str!("rtx2060.toml")),
    ("rtx3060", include_str!("rtx3060.toml")),
    ("rtx3080", include_str!("rtx3080.toml")),
    ("rtx4090", include_str!("rtx4090.toml")),
    ("rtx5090", include_str!("rtx5090.toml")),
    ("h100", include_str!("h100.toml")),
    ("h200", include_str!("h200.toml")),
];
