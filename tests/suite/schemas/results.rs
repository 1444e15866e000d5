//! The schemas of what commands print with `--format json`, as `docs/scripts.md` tells it. Codes, models, totals and
//! kinds of operations come from the tables of the library.

use atgpu::cost::MODELS;
use atgpu::count::{Kind, Quantity, Totals};
use atgpu::diag::CODES;
use atgpu::number::BigInt;
use serde_json::{Map, Value, json};

use super::shape::{
    document, either, joined, list, named, number, object, one_of, or_null, small, text, truth,
    whole,
};

/// Every command with JSON, and its schema.
pub fn all() -> Vec<(&'static str, Value)> {
    let results = [
        ("advise", advise()),
        ("calibrate", calibrate()),
        ("check", check()),
        ("compare", compare()),
        ("cost", cost()),
        ("derive", derive()),
        ("emit", emit()),
        ("explain", explain()),
        ("machines", machines()),
        ("measure", measure()),
        ("overlap", overlap()),
        ("run", run()),
        ("sweep", sweep()),
        ("test", test()),
        ("tune", tune()),
    ];
    let made = results.map(|(command, forms)| (command, output(command, forms)));
    made.into()
}

/// The object that a command prints: one of its forms, and always the diagnostics, which are alone where there is no
/// result.
fn output(command: &str, forms: Vec<Value>) -> Value {
    let diagnostics = || object([("diagnostics", list(json!({"$ref": "#/$defs/diagnostic"})))]);
    let forms = forms.into_iter().map(|form| joined(form, diagnostics()));
    let forms = either(forms.chain([diagnostics()]));
    let mut parts = Map::new();
    parts.insert("whole".to_owned(), whole_number());
    parts.insert("diagnostic".to_owned(), diagnostic());
    if command == "derive" {
        parts.insert("expression".to_owned(), expression());
    }
    let title = format!("atgpu {command} --format json");
    document(&title, forms, parts)
}

fn whole_number() -> Value {
    either([
        json!({"type": "integer"}),
        json!({"type": "string", "pattern": "^-?[0-9]+$"}),
    ])
}

fn code() -> Value {
    one_of(CODES.iter().map(|code| code.name()))
}

fn model() -> Value {
    one_of(MODELS.iter().map(|model| model.name()))
}

fn total() -> Value {
    let totals = Totals::<BigInt>::default();
    one_of(totals.named().map(|(name, _)| name))
}

fn diagnostic() -> Value {
    let place = || {
        object([
            ("text", text()),
            ("line", small()),
            ("column", small()),
            ("end_line", small()),
            ("end_column", small()),
        ])
    };
    let fix = object([
        ("title", text()),
        ("preferred", truth()),
        ("edits", list(place())),
    ]);
    object([
        ("code", code()),
        ("severity", one_of(["error", "warning", "note"])),
        ("message", text()),
        ("help", or_null(text())),
        ("fixes?", list(fix)),
        (
            "labels",
            list(joined(place(), object([("primary", truth())]))),
        ),
        ("file?", text()),
    ])
}

/// The totals by name.
fn totals(each: &Value) -> Value {
    let totals = Totals::<BigInt>::default();
    object(totals.named().map(|(name, _)| (name, each.clone())))
}

/// The counts of a round, as numbers or formulas.
fn round(each: &Value, occupancy: Value) -> Value {
    let traffic = || object([("words", each.clone()), ("transactions", each.clone())]);
    let blocks = object([
        ("read_blocks", each.clone()),
        ("write_blocks", each.clone()),
    ]);
    object([
        ("k", each.clone()),
        ("t", each.clone()),
        ("q", each.clone()),
        ("inward", traffic()),
        ("outward", traffic()),
        ("shared", each.clone()),
        ("global", each.clone()),
        ("bank_conflicts", each.clone()),
        ("occupancy", occupancy),
        ("residents?", residents()),
        ("arrays", named(blocks)),
    ])
}

/// What is resident on a multiprocessor of the card, where a thread block is several warps.
fn residents() -> Value {
    object([
        ("thread_blocks", small()),
        ("warps", small()),
        ("limit", one_of(["shared memory", "H", "warps", "threads"])),
    ])
}

fn bounds() -> Value {
    list(object([
        ("quantity", text()),
        ("line", small()),
        ("reason", text()),
        ("remedy", text()),
    ]))
}

/// The figures of each model, by the model's own table.
fn models(has_accuracy: bool) -> Value {
    let accuracy = object([
        ("kernels", text()),
        ("points", small()),
        ("mean_factor", number()),
        ("worst_factor", number()),
        ("within_two", number()),
        ("page", text()),
    ]);
    let of = MODELS.iter().map(|model| {
        let mut keys: Vec<(String, Value)> = Vec::new();
        let mut has_time = false;
        for (figure, unit) in model.figures() {
            has_time |= *unit == "ms";
            match *unit {
                "ms" => keys.push((format!("{figure}?"), number())),
                "1" => keys.push((format!("{figure}?"), or_null(number()))),
                _ => {
                    keys.push((format!("{figure}?"), or_null(whole())));
                    if *figure != "occupancy" {
                        keys.push((format!("{figure}_class?"), text()));
                    }
                }
            }
        }
        if has_time {
            keys.push(("unit".to_owned(), one_of(["ms"])));
        }
        if has_time && has_accuracy {
            keys.push(("accuracy?".to_owned(), or_null(accuracy.clone())));
        }
        keys.push(("bounds?".to_owned(), list(text())));
        let keys = keys
            .iter()
            .map(|(key, schema)| (key.as_str(), schema.clone()));
        (format!("{}?", model.name()), object(keys))
    });
    let of: Vec<(String, Value)> = of.collect();
    object(
        of.iter()
            .map(|(name, schema)| (name.as_str(), schema.clone())),
    )
}

fn kinds(each: Value) -> Value {
    let keys = Kind::ALL.map(|kind| format!("{}?", kind.key()));
    object(keys.iter().map(|key| (key.as_str(), each.clone())))
}

fn cost() -> Vec<Value> {
    let own = object([
        ("method", one_of(["derived", "counted"])),
        ("assumed?", object([("contention", small())])),
    ]);
    vec![joined(counts(), own)]
}

/// The keys that `cost` and `run` share.
fn counts() -> Value {
    let figure = || either([whole(), number()]);
    let entry = object([("round", whole()), ("count", whole())]);
    let charged = object([
        ("count", whole()),
        ("k", figure()),
        ("operations", kinds(figure())),
        ("compute_cycles", figure()),
        ("memory_cycles", or_null(figure())),
        ("cycles", or_null(figure())),
        ("memory_transactions", figure()),
        ("bank_conflicts", figure()),
        ("memory_bytes", or_null(figure())),
    ]);
    let charges = object([
        ("exact", truth()),
        ("rounds", list(charged)),
        ("memory_transactions", figure()),
        ("bank_conflicts", figure()),
    ]);
    object([
        ("algorithm", text()),
        ("machine", text()),
        ("parameters", named(whole())),
        ("exact", truth()),
        (
            "rounds",
            list(joined(entry, round(&whole(), or_null(whole())))),
        ),
        ("rounds_omitted?", whole()),
        ("totals", totals(&whole())),
        ("models", models(true)),
        ("charges?", charges),
        ("bounds", bounds()),
    ])
}

fn run() -> Vec<Value> {
    let ensure = object([("text", text()), ("line", small()), ("holds", truth())]);
    let check = object([
        ("line", small()),
        ("column", small()),
        ("what", text()),
        ("verdict", one_of(["proved"])),
        ("rule", text()),
    ]);
    let checks = object([
        ("bounds", list(check.clone())),
        ("races", list(check.clone())),
        ("initialised", list(check.clone())),
        ("defined", list(check)),
    ]);
    let report = object([
        ("ensures", list(ensure)),
        ("matches_derivation", or_null(truth())),
        ("seconds", number()),
        ("seconds_min", number()),
        ("seconds_max", number()),
        ("ensure_seconds", number()),
        ("lane_operations", whole()),
        ("checks", checks),
    ]);
    let word = either([
        whole(),
        number(),
        one_of(["NaN", "inf", "-inf"]),
        json!({"type": "null"}),
    ]);
    let variable = object([("shape", list(small())), ("words", list(word))]);
    let written = object([
        ("variable", text()),
        ("at", list(small())),
        ("words", list(text())),
    ]);
    let step = object([
        ("round", small()),
        ("line", small()),
        ("text", text()),
        ("active", small()),
        ("operations", small()),
        ("blocks", small()),
        ("conflicts", small()),
        ("loops", named(text())),
        ("cores", text()),
        ("written?", list(written)),
    ]);
    let own = object([
        ("run", report),
        ("variables?", named(variable)),
        ("trace?", list(step)),
    ]);
    vec![joined(counts(), own)]
}

/// A formula, or null where nothing could be derived.
fn formula() -> Value {
    or_null(json!({"$ref": "#/$defs/expression"}))
}

fn expression() -> Value {
    let term = object([("entry", small()), ("text", text())]);
    object([
        ("text", text()),
        ("expanded", text()),
        ("latex", text()),
        ("exact", truth()),
        ("closed", truth()),
        ("lower?", json!({"$ref": "#/$defs/expression"})),
        ("at_most?", text()),
        ("loose?", json!({"const": true})),
        (
            "by_rounds?",
            object([("text", text()), ("terms", list(term))]),
        ),
    ])
}

fn derive() -> Vec<Value> {
    let range = object([
        ("variable", text()),
        ("from", json!({"$ref": "#/$defs/expression"})),
        ("to", json!({"$ref": "#/$defs/expression"})),
        ("down?", json!({"const": true})),
    ]);
    let join = object([
        ("with", one_of(["next", "previous"])),
        ("alone?", text()),
        ("exact", truth()),
    ]);
    let at_most = json!({"$ref": "#/$defs/expression"});
    let entry = object([
        ("round", formula()),
        ("when?", text()),
        ("count", formula()),
        ("joined?", join),
        ("for?", list(range)),
        ("while?", object([("line", small()), ("at_most", at_most)])),
        ("until?", object([("line", small())])),
    ]);
    let line = object([
        ("line", small()),
        ("from?", small()),
        ("round", formula()),
        ("text", text()),
        ("executions", formula()),
        ("operations", formula()),
        ("blocks", formula()),
        ("conflicts", formula()),
        ("rule", or_null(text())),
    ]);
    let claim = object([
        ("text", text()),
        ("line", small()),
        ("verdict", one_of(["proved", "tested", "refuted", "open"])),
        ("points", or_null(small())),
        ("counterexample", or_null(text())),
        ("values?", text()),
        ("reason?", text()),
    ]);
    let charged = object([
        ("operations", kinds(formula())),
        ("compute_cycles", formula()),
        ("memory_cycles", formula()),
        ("cycles", formula()),
        ("memory_transactions", formula()),
        ("bank_conflicts", formula()),
        ("memory_bytes", formula()),
    ]);
    let costs = MODELS.iter().filter_map(|model| {
        let times = model.figures().iter().filter(|(_, unit)| *unit == "ms");
        let times: Vec<String> = times.map(|(figure, _)| format!("{figure}?")).collect();
        let form = object([("b", or_null(small())), ("unit", one_of(["ms"]))]);
        let times = object(times.iter().map(|figure| (figure.as_str(), formula())));
        let has_time = model.figures().iter().any(|(_, unit)| *unit == "ms");
        has_time.then(|| (format!("{}?", model.name()), joined(form, times)))
    });
    let costs: Vec<(String, Value)> = costs.collect();
    let costs = object(
        costs
            .iter()
            .map(|(name, form)| (name.as_str(), form.clone())),
    );
    let charging = MODELS.iter().filter(|model| model.needs_charges());
    let charging: Vec<String> = charging.map(|model| format!("{}?", model.name())).collect();
    let charging = object(charging.iter().map(|name| (name.as_str(), formula())));
    let classes = Quantity::ALL.map(|quantity| format!("{}?", quantity.name()));
    let classes = object(classes.iter().map(|name| (name.as_str(), text())));
    vec![object([
        ("file?", text()),
        ("algorithm", text()),
        ("exact", truth()),
        ("rounds", list(joined(entry, round(&formula(), formula())))),
        ("totals", totals(&formula())),
        ("transfer_cost", formula()),
        ("cost", formula()),
        ("gpu_cost", formula()),
        ("lines", list(line)),
        ("facts", list(text())),
        ("classes", classes),
        ("claims", list(claim)),
        ("bounds", bounds()),
        (
            "charges?",
            object([
                ("b", small()),
                ("rounds", list(charged)),
                ("models", charging),
            ]),
        ),
        ("models?", costs),
    ])]
}

fn safety() -> Value {
    let verdict = || one_of(["proved", "refuted", "open"]);
    let witness = object([
        ("values", named(whole())),
        ("code", code()),
        ("inputs?", named(text())),
    ]);
    let argument = ["numbers", "indices", "steps", "facts"].map(|key| (key, list(text())));
    let access = object([
        ("line", small()),
        ("column", small()),
        ("what", text()),
        ("verdict", verdict()),
        ("rule?", text()),
        ("argument?", object(argument)),
        ("reason?", text()),
        ("tried?", small()),
        ("witness?", witness),
        ("require?", text()),
        ("fix?", text()),
        ("only_one_mp?", json!({"const": true})),
        ("only_one_b?", json!({"const": true})),
    ]);
    let property = object([("verdict", verdict()), ("accesses", list(access))]);
    let fits = object([
        ("verdict", verdict()),
        ("conditions", list(text())),
        ("largest", named(whole())),
    ]);
    object([
        ("bounds", property.clone()),
        ("races", property.clone()),
        ("initialised", property.clone()),
        ("defined", property),
        ("fits", fits),
    ])
}

fn check() -> Vec<Value> {
    let of_file = object([("file", text()), ("safety", safety())]);
    vec![
        object([("safety", safety()), ("text?", text())]),
        object([("files", list(of_file))]),
        object([("text", text())]),
    ]
}

fn test() -> Vec<Value> {
    let result = object([
        ("kind", one_of(["claim", "ensure"])),
        ("text", text()),
        ("line", small()),
        ("verdict", one_of(["proved", "tested", "refuted", "open"])),
        ("points", or_null(small())),
        ("counterexample", or_null(text())),
        ("reason?", text()),
    ]);
    let fault = object([
        ("code", code()),
        ("line", or_null(small())),
        ("counterexample", text()),
    ]);
    let left_out = object([
        ("points", small()),
        ("code", code()),
        ("line", or_null(small())),
        ("first", list(text())),
    ]);
    let looked_at = object([
        ("points", small()),
        ("most", named(whole())),
        ("b", list(whole())),
        ("mps", whole()),
        ("few", truth()),
    ]);
    let program = object([
        ("file", text()),
        ("algorithm", text()),
        ("b?", small()),
        ("results", list(result)),
        ("fault?", fault),
        ("left_out?", left_out),
        ("looked_at?", looked_at),
    ]);
    vec![object([("programs", list(program))])]
}

fn compare() -> Vec<Value> {
    let missing = object([("model", or_null(model())), ("reason", text())]);
    let row = object([
        ("program", text()),
        ("machine", text()),
        ("exact", truth()),
        ("bounds?", list(total())),
        ("totals", or_null(totals(&whole()))),
        ("models", models(false)),
        ("missing?", list(missing)),
    ]);
    vec![object([
        ("programs", list(text())),
        ("parameters", values()),
        ("table", list(row)),
        ("crossovers", list(crossover())),
    ])]
}

/// Numbers by the names of parameters.
fn values() -> Value {
    named(either([whole(), number()]))
}

/// Which of two costs is less, and from where on.
fn crossover() -> Value {
    let range = object([
        ("from", whole()),
        ("to", or_null(whole())),
        ("faster", or_null(text())),
        ("proved", truth()),
    ]);
    object([
        ("left", text()),
        ("right", text()),
        ("machine", text()),
        ("model", model()),
        ("parameter", text()),
        ("text", text()),
        ("proved", truth()),
        ("points", or_null(small())),
        ("up_to", or_null(whole())),
        ("ranges", list(range)),
        ("reason?", text()),
    ])
}

fn conflicts() -> Value {
    one_of(["charge", "ignore"])
}

fn advise() -> Vec<Value> {
    let step = object([("rewrite", text()), ("line", small()), ("why", text())]);
    let right = object([
        ("by", one_of(["construction", "runs"])),
        ("proved_safe", truth()),
        ("runs", small()),
        ("several_mps", small()),
        ("b", list(whole())),
        ("whole_numbers", truth()),
        ("ensures", small()),
    ]);
    let either_number = || or_null(either([whole(), number()]));
    let change = object([
        ("quantity", total()),
        ("before", or_null(text())),
        ("after", or_null(text())),
        ("exact_before", truth()),
        ("exact", truth()),
        ("value_before", either_number()),
        ("value", either_number()),
    ]);
    let proposal = object([
        ("number", small()),
        ("steps", list(step)),
        ("gain", number()),
        ("cost_before", number()),
        ("cost", number()),
        ("bank_conflicts", conflicts()),
        ("right", right),
        ("changes", list(change)),
        ("crossover", or_null(crossover())),
        ("claims", list(text())),
        ("diff", text()),
        ("text", text()),
    ]);
    let tried = object([
        ("drafts", small()),
        ("unchecked", small()),
        ("gainless", small()),
        ("wrong", small()),
        ("cut", truth()),
    ]);
    vec![object([
        ("algorithm", text()),
        ("machine", text()),
        ("model", model()),
        ("parameters", values()),
        ("cost", or_null(number())),
        ("unit", text()),
        ("basis", one_of(["exact", "data"])),
        ("proposals", list(proposal)),
        ("tried", tried),
    ])]
}

fn tune() -> Vec<Value> {
    let choice = object([("values", values()), ("cost", number()), ("exact", truth())]);
    let point = list(either([whole(), number()]));
    let size = object([
        ("parameters", values()),
        ("admitted", small()),
        ("best", list(choice)),
        ("within", named(small())),
        ("curves", named(list(point))),
    ]);
    let change = object([
        ("from", values()),
        ("to", values()),
        ("crossover", crossover()),
    ]);
    vec![object([
        ("algorithm", text()),
        ("machine", text()),
        ("model", model()),
        ("bank_conflicts", conflicts()),
        ("parameters", values()),
        ("over", list(text())),
        ("choices", small()),
        ("unit", text()),
        ("sizes", list(size)),
        ("changes", list(change)),
    ])]
}

fn sweep() -> Vec<Value> {
    let figure = || either([whole(), number()]);
    let value = || or_null(either([figure(), text()]));
    let row = object([
        ("program", text()),
        ("machine", text()),
        ("model", or_null(model())),
        ("parameters", named(figure())),
        ("quantity", text()),
        ("value", value()),
        ("unit", text()),
        ("exact", truth()),
    ]);
    let wide = object([
        ("program", text()),
        ("machine", text()),
        ("parameters", named(figure())),
        ("values", named(value())),
        ("exact", truth()),
    ]);
    let skipped = object([
        ("program", text()),
        ("machine", text()),
        ("points", small()),
        ("out_of", small()),
        ("code", code()),
        ("first", text()),
    ]);
    vec![
        object([
            ("rows", list(either([row, wide]))),
            ("skipped", list(skipped)),
        ]),
        object([("points", small())]),
    ]
}

fn overlap() -> Vec<Value> {
    let either_way = || one_of(["inward", "outward"]);
    let held = || {
        list(object([
            ("array", text()),
            ("line", small()),
            ("direction", either_way()),
        ]))
    };
    let follows = object([("array", text()), ("line", small()), ("written", small())]);
    let could = object([
        ("inward", list(text())),
        ("outward", list(text())),
        ("held", held()),
    ]);
    let cut = object([
        ("possible", truth()),
        ("arrays", list(text())),
        ("whole", held()),
        ("could_overlap", could),
        ("whole_ms", number()),
        ("follows", list(follows)),
    ]);
    let method = object([
        ("ms", number()),
        ("exact", truth()),
        ("streams", or_null(small())),
        ("full_overlap_ms", number()),
        ("zero_overlap_ms", number()),
    ]);
    let created = object([
        ("least_at_streams", or_null(number())),
        ("streams", small()),
        ("ms", number()),
    ]);
    let rooflines = object([
        ("operations", number()),
        ("operational_intensity", or_null(number())),
        ("data_intensity", or_null(number())),
        ("full_overlap_gops", number()),
        ("zero_overlap_gops", number()),
        ("mapped_gops", number()),
        ("full_overlap_ms", number()),
        ("zero_overlap_ms", number()),
        ("mapped_ms", number()),
    ]);
    let point = object([
        ("streams", small()),
        ("explicit_ms", number()),
        ("equation", small()),
        ("hybrid_ms", number()),
        ("created_ms", or_null(number())),
        ("created_equation", or_null(small())),
    ]);
    let methods = ["explicit", "streams", "hybrid", "mapped"];
    let bytes = ["inward", "outward", "mapped_inward", "mapped_outward"];
    let device = object([("copy_engines", small()), ("implicit_sync", truth())]);
    vec![object([
        ("algorithm", text()),
        ("machine", text()),
        ("parameters", named(whole())),
        ("exact", truth()),
        ("kernel_ms", number()),
        ("kernel_model", or_null(model())),
        ("bytes", object(bytes.map(|key| (key, number())))),
        ("device", device),
        ("resident", list(text())),
        ("cut", cut),
        ("best", one_of(methods)),
        ("best_ms", number()),
        ("best_streams", or_null(small())),
        (
            "methods",
            object([
                ("explicit", method.clone()),
                ("streams?", method.clone()),
                ("hybrid?", method.clone()),
                ("mapped", method),
            ]),
        ),
        ("least_at_streams", or_null(number())),
        ("created", or_null(created)),
        ("rooflines", or_null(rooflines)),
        ("streams", list(point)),
    ])]
}

fn explain() -> Vec<Value> {
    let summary = || {
        object([
            ("code", code()),
            ("severity", one_of(["error", "warning", "note"])),
            ("summary", text()),
        ])
    };
    let word = object([
        ("names", list(text())),
        ("symbols", list(text())),
        ("section", text()),
        ("text", text()),
    ]);
    let short = one_of(CODES.iter().map(|code| code.short_name()));
    vec![
        joined(summary(), object([("page", text())])),
        object([("words", list(word)), ("codes", list(short))]),
        object([("codes", list(summary())), ("words", list(text()))]),
    ]
}

fn calibrate() -> Vec<Value> {
    let figure = object([
        ("name", text()),
        ("value", number()),
        ("unit", text()),
        ("origin", one_of(["fitted", "kept", "absent", "given"])),
        ("standard_error", or_null(number())),
        ("interval", or_null(list(number()))),
        ("standard_error_if_kept?", number()),
        ("determined", truth()),
        ("only_together_with", list(text())),
        ("reason?", text()),
    ]);
    let times = || {
        or_null(object([
            ("measured", number()),
            ("predicted", number()),
            ("unit", one_of(["ms"])),
        ]))
    };
    let row = object([
        ("line", small()),
        ("event?", one_of(["inward", "outward", "launch"])),
        ("parameters", named(whole())),
        ("total", times()),
        ("kernel", times()),
        ("mostly?", object([("figure", text()), ("share", number())])),
    ]);
    let error = || object([("root_mean_square", number()), ("largest", number())]);
    let left_out = joined(error(), object([("at_a_time", small())]));
    let share = ["measured", "predicted", "off"].map(|key| (key, number()));
    let program = object([
        ("program", text()),
        ("points", small()),
        ("mean_factor", number()),
        ("worst_factor", number()),
        ("within_two", small()),
        ("kernel_factor", or_null(number())),
        ("transfer_factor", or_null(number())),
        ("transfer_share", or_null(object(share))),
    ]);
    vec![object([
        ("machine", text()),
        ("figures", list(figure)),
        ("measurements", list(row)),
        ("error", error()),
        ("left_out", or_null(left_out)),
        (
            "programs_left_out?",
            list(joined(object([("program", text())]), error())),
        ),
        ("programs", list(program)),
        ("fitted", truth()),
    ])]
}

fn measure() -> Vec<Value> {
    let rows = object([
        ("points", small()),
        ("rows", small()),
        ("csv", or_null(text())),
    ]);
    let study = object([("folder", text()), ("said", text())]);
    let mut forms = vec![rows, study];
    forms.extend(calibrate());
    forms
}

fn emit() -> Vec<Value> {
    vec![object([
        ("target", one_of(["c", "cuda", "opencl"])),
        ("text", or_null(text())),
        ("barriers", small()),
        ("barriers_unproved", small()),
        ("index_bits", small()),
    ])]
}

fn machines() -> Vec<Value> {
    let machine = object([
        ("machine", text()),
        ("p", whole()),
        ("b", whole()),
        ("M", whole()),
        ("G", whole()),
        ("multiprocessors", or_null(small())),
        ("max_blocks", or_null(small())),
        ("clock_ghz", or_null(number())),
    ]);
    let both = object([("inward", number()), ("outward", number())]);
    let figure = object([
        ("section", text()),
        ("key", text()),
        ("value", either([whole(), number(), truth(), text(), both])),
        (
            "how",
            or_null(one_of(["sheet", "measured", "fitted", "inferred"])),
        ),
        ("from", or_null(text())),
    ]);
    let side = || or_null(either([whole(), number(), text()]));
    let difference = object([
        ("letter", or_null(text())),
        ("figure", text()),
        ("left", side()),
        ("right", side()),
    ]);
    vec![
        object([("machines", list(machine))]),
        object([("machine", text()), ("figures", list(figure))]),
        object([
            ("machines", list(text())),
            ("differences", list(difference)),
        ]),
    ]
}
