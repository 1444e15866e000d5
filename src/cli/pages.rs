//! The pages of docs/codes, embedded in the command. A test verifies that every code has one.

use atgpu::diag::Code;

macro_rules! page {
    ($name:literal) => {
        (
            $name,
            include_str!(concat!("../../docs/codes/", $name, ".md")),
        )
    };
}

/// File name and text: `area--what-is-wrong` for the code `area::what-is-wrong`.
const PAGES: &[(&str, &str)] = &[
    page!("access--host-in-kernel"),
    page!("access--not-moved"),
    page!("access--operator"),
    page!("access--rank"),
    page!("access--shape"),
    page!("access--shared-on-host"),
    page!("bounds--global"),
    page!("bounds--host"),
    page!("bounds--shared"),
    page!("claim--refuted"),
    page!("data--malformed"),
    page!("derive--mismatch"),
    page!("derive--no-function"),
    page!("emit--unproved"),
    page!("emit--unsupported"),
    page!("ensure--failed"),
    page!("file--unreadable"),
    page!("internal--panic"),
    page!("limit--global"),
    page!("limit--shared"),
    page!("lint--bank-conflict"),
    page!("lint--comment"),
    page!("lint--core-set"),
    page!("lint--divergence"),
    page!("lint--idle-mps"),
    page!("lint--idle-round"),
    page!("lint--invisible"),
    page!("lint--low-occupancy"),
    page!("lint--one-operand"),
    page!("lint--power"),
    page!("lint--uncoalesced"),
    page!("lint--unsent-output"),
    page!("lint--unused"),
    page!("loop--bound-exceeded"),
    page!("loop--unbounded"),
    page!("machine--key"),
    page!("machine--value"),
    page!("measure--failed"),
    page!("name--duplicate"),
    page!("name--scope"),
    page!("name--unknown"),
    page!("race--global"),
    page!("race--shared"),
    page!("require--violated"),
    page!("resource--memory"),
    page!("syntax--ambiguous-product"),
    page!("syntax--else-branch"),
    page!("syntax--too-deep"),
    page!("syntax--unexpected"),
    page!("type--mismatch"),
    page!("usage--setting"),
    page!("usage--value"),
    page!("value--division-by-zero"),
    page!("value--not-integral"),
    page!("value--overflow"),
    page!("value--range"),
    page!("value--uninitialised"),
];

/// The page of a code.
pub fn of_code(code: Code) -> Option<&'static str> {
    let name = code.short_name().replace("::", "--");
    let found = PAGES.iter().find(|(page, _)| *page == name);
    found.map(|(_, text)| *text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use atgpu::diag::CODES;

    #[test]
    fn every_code_can_be_explained() {
        for code in CODES {
            assert!(of_code(*code).is_some(), "{}", code.short_name());
        }
    }
}
