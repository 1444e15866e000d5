//! `[source]`: how each figure of a machine file is known, as data beside the figures.
//!
//! `[source.device]` says it of the keys of `[device]`, and so on:
//! `clock_ghz = { how = "sheet", from = "NVIDIA, GeForce GTX 650 specifications" }`.

use toml::de::DeTable;

use crate::machine::reader::Section;

/// How a figure is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum How {
    /// Printed: by the vendor, in a manual or in a paper.
    Sheet,
    /// Measured on such a card.
    Measured,
    /// Fitted to what was measured.
    Fitted,
    /// Concluded from figures of other kinds or of other cards.
    Inferred,
}

impl How {
    const NAMES: &'static [(&'static str, How)] = &[
        ("sheet", How::Sheet),
        ("measured", How::Measured),
        ("fitted", How::Fitted),
        ("inferred", How::Inferred),
    ];

    /// Its name in a machine file.
    ///
    /// ```
    /// use atgpu::machine::How;
    ///
    /// assert_eq!(How::Fitted.name(), "fitted");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            How::Sheet => "sheet",
            How::Measured => "measured",
            How::Fitted => "fitted",
            How::Inferred => "inferred",
        }
    }
}

/// Where a figure comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Source {
    /// The figure's section in the machine file.
    pub section: &'static str,
    /// Its key there.
    pub key: String,
    /// How it is known.
    pub how: How,
    /// By whom, from what, or by which reasoning.
    pub from: String,
}

/// Sections that hold figures.
const SECTIONS: &[&str] = &[
    "atgpu",
    "device",
    "transfer",
    "operations",
    "units",
    "overlap",
    "roofline",
    "kothapalli",
    "coalescing",
    "banks",
];

/// Reads `[source]` of a file; it speaks of the file's own figures only.
pub(super) fn read(mut all: Section<'_, '_>, file: &DeTable<'_>) -> Option<Vec<Source>> {
    let mut sources = Vec::new();
    for section in SECTIONS {
        let figures = file
            .get(*section)
            .and_then(|value| value.get_ref().as_table());
        let read = |keys: Section<'_, '_>| {
            let has = |key: &str| figures.is_some_and(|figures| figures.contains_key(key));
            Some(keys.each(section, has, |key, mut one| {
                let expected = "\"sheet\", \"measured\", \"fitted\" or \"inferred\"";
                let how = one.choice("how", How::NAMES, expected);
                one.need("how", "how = \"sheet\"");
                let from = one.text("from");
                one.need("from", "from = \"the vendor's specification\"");
                one.finish();
                Some(Source {
                    section,
                    key: key.to_owned(),
                    how: how?,
                    from: from?,
                })
            }))
        };
        sources.extend(all.table(section, read).unwrap_or_default());
    }
    all.finish();
    Some(sources)
}
