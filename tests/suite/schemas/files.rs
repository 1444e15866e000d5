//! The schemas of `atgpu.toml` and of machine files, as TOML editors read them.

use atgpu::cost::MODELS;
use atgpu::count::Kind;
use atgpu::diag::CODES;
use atgpu::machine::BUILT_IN;
use serde_json::{Map, Value, json};

use super::shape::{document, either, list, object, one_of, text, truth};

/// `atgpu.toml`.
pub fn settings() -> Value {
    let model = || one_of(MODELS.iter().map(|model| model.name()).chain(["all"]));
    let lints = CODES
        .iter()
        .filter_map(|code| code.short_name().strip_prefix("lint::"));
    let lints: Vec<String> = lints.map(|name| format!("{name}?")).collect();
    let lints = lints
        .iter()
        .map(|name| (name.as_str(), one_of(["allow", "warn", "deny"])));
    let number = json!({"type": ["number", "string"]});
    let built_in = one_of(BUILT_IN.iter().map(|(name, _)| *name));
    let settings = object([
        ("machine?", either([built_in, text()])),
        ("model?", either([model(), list(model())])),
        ("hints?", one_of(["off", "blocks", "all"])),
        (
            "values?",
            json!({"type": "object", "additionalProperties": number}),
        ),
        ("lints?", object(lints)),
    ]);
    document("atgpu.toml", settings, Map::new())
}

/// A machine file.
pub fn machine() -> Value {
    let source = || {
        object([
            ("how", one_of(["sheet", "measured", "fitted", "inferred"])),
            ("from", text()),
        ])
    };
    let (mut keys, mut sources) = (vec![("name".to_owned(), text())], Vec::new());
    for (section, figures) in sections() {
        let of_section = figures["properties"].as_object().expect("an object");
        let of_section: Vec<String> = of_section.keys().map(|key| format!("{key}?")).collect();
        let each = object(of_section.iter().map(|key| (key.as_str(), source())));
        sources.push((format!("{section}?"), each));
        let mark = if section == "atgpu" { "" } else { "?" };
        keys.push((format!("{section}{mark}"), figures));
    }
    keys.push(("source?".to_owned(), object(borrowed(&sources))));
    document("a machine of atgpu", object(borrowed(&keys)), Map::new())
}

fn borrowed(keys: &[(String, Value)]) -> impl Iterator<Item = (&str, Value)> {
    keys.iter()
        .map(|(key, schema)| (key.as_str(), schema.clone()))
}

/// The sections of a machine file with their keys; docs/machines.md says what each means.
fn sections() -> [(&'static str, Value); 10] {
    let whole = || json!({"type": "integer", "minimum": 1});
    let from_0 = || json!({"type": "integer", "minimum": 0});
    let figure = || json!({"type": "number", "minimum": 0});
    let above_0 = || json!({"type": "number", "exclusiveMinimum": 0});
    let per_direction = || {
        let both = object([("inward", figure()), ("outward", figure())]);
        either([figure(), both])
    };
    let kinds = || {
        let kinds = Kind::ALL.into_iter().filter(|kind| kind.computes());
        let kinds = kinds.map(|kind| (format!("{}?", kind.key()), figure()));
        object(borrowed(&kinds.collect::<Vec<_>>()))
    };
    [
        (
            "atgpu",
            object([
                ("p", whole()),
                ("b", whole()),
                ("M", from_0()),
                ("G", from_0()),
                ("word_bytes?", whole()),
            ]),
        ),
        (
            "device",
            object([
                ("multiprocessors?", whole()),
                ("max_blocks?", whole()),
                ("clock_ghz?", above_0()),
                ("latency_cycles?", figure()),
                ("peak_gflops?", above_0()),
                ("memory_gb_s?", above_0()),
                (
                    "memory_efficiency?",
                    json!({"type": "number", "exclusiveMinimum": 0, "maximum": 1}),
                ),
                ("bus_gb_s?", above_0()),
            ]),
        ),
        (
            "transfer",
            object([
                ("alpha_ms?", per_direction()),
                ("beta_ms_per_byte?", per_direction()),
                ("sync_ms?", figure()),
            ]),
        ),
        ("operations", kinds()),
        ("units", kinds()),
        (
            "overlap",
            object([
                ("copy_engines?", whole()),
                ("implicit_sync?", truth()),
                ("gap_ms?", per_direction()),
                ("bidirectional_ms_per_byte?", per_direction()),
                ("mapped_ms_per_byte?", per_direction()),
                ("stream_creation_ms?", figure()),
            ]),
        ),
        (
            "roofline",
            object([
                ("issue_per_cycle?", above_0()),
                ("l2_bytes?", from_0()),
                ("l2_gb_s?", above_0()),
                ("latency_cycles?", figure()),
                ("dependent_cycles?", above_0()),
                ("cached_cycles?", figure()),
                ("shared_cycles?", figure()),
                ("start_cycles?", figure()),
                ("warp_size?", whole()),
                ("load_store_units?", whole()),
                ("address_instructions?", figure()),
                ("max_warps?", whole()),
                ("max_threads?", whole()),
                ("shared_banks?", whole()),
                ("mps_per_thread_block?", whole()),
                ("warps_per_mp?", whole()),
                ("launch_ms?", figure()),
            ]),
        ),
        (
            "kothapalli",
            object([
                ("cores", whole()),
                ("pipeline_depth", whole()),
                ("warp_threads", whole()),
                ("warps_per_thread_block?", whole()),
                ("shared_cycles", figure()),
                ("global_cycles", figure()),
            ]),
        ),
        (
            "coalescing",
            object([("rule", one_of(["blocks", "sectors", "half-warp"]))]),
        ),
        (
            "banks",
            object([("rule", one_of(["warp", "half-warp-broadcast"]))]),
        ),
    ]
}
