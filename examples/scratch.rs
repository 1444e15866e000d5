use atgpu::{text::Source, syntax, check, derive, count::Parameters};
fn main() {
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&path).unwrap();
        let source = Source::new(&path, text.trim_start_matches('\u{feff}'));
        let parsed = syntax::parse(&source);
        for d in &parsed.diagnostics { println!("{path}: {} {:?}", d.message, d.primary().map(|l| source.position(l.span.start))); }
        let Some(algorithm) = parsed.algorithm else { continue };
        let checked = check::check(&source, &algorithm);
        for d in &checked.diagnostics { println!("{path}: {} {:?}", d.message, d.primary().map(|l| source.position(l.span.start))); }
        let Some(program) = checked.program else { continue };
        let start = std::time::Instant::now();
        let d = derive::derive(&program, &Parameters::new());
        println!("== {path} {:?}", start.elapsed());
        let printer = atgpu::sym::print::Printer::new(atgpu::sym::print::Names { definitions: d.names.clone() });
        let show = |q: &derive::Quantity| match (&q.lower, &q.upper) { (Some(l), Some(u)) if l == u => format!("{}{}", printer.text(u), if u.is_closed() {""} else {"   (open)"}), (Some(l), Some(u)) => format!("[{} , {}]", printer.text(l), printer.text(u)), _ => "?".into() };
        for r in &d.rounds {
            println!(" round {:?} x {} loops {:?}", r.number.as_ref().map(|n| n.to_string()), show(&r.count), r.loops.iter().map(|l| format!("{}={}..{}", l.symbol.name, l.from, l.to)).collect::<Vec<_>>());
            println!("   k={} t={} q={} I={}/{} O={}/{} m={} g={} bc={}", show(&r.launched_mps), show(&r.time), show(&r.io), show(&r.inward.words), show(&r.inward.transactions), show(&r.outward.words), show(&r.outward.transactions), show(&r.shared_words), show(&r.global_words), show(&r.bank_conflicts));
            if std::env::var("LINES").is_ok() { for l in &r.lines { println!("     {:3} {:50} x{} ops {} blocks {} conf {} {:?}", l.line, l.text, show(&l.executions), show(&l.operations), show(&l.blocks), show(&l.conflicts), l.rule); } }
        }
        for (name, q) in d.totals.named() { println!(" {name} = {}", show(q)); }
        println!(" cost = {}\n gpu = {}", show(&d.cost), show(&d.gpu_cost));
        println!(" classes {:?}", d.classes);
        println!(" facts {:?}", d.facts);
        for c in &d.claims { println!("  claim {} -> {:?}", c.text, c.verdict); }
        for b in &d.bounds { println!("  BOUND {} line {}: {}", b.quantity, b.line, b.reason); }
    }
}
