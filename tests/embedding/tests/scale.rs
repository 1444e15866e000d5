//! A user's tests.

use atgpu::exec::{Data, Input, Options};
use atgpu::machine::{Atgpu, Machine};
use embedding::{DollarPerBlock, SCALE};

#[test]
fn the_derivation_is_as_we_know_it() -> Result<(), atgpu::Error> {
    let derivation = atgpu::program(SCALE)?.prove()?;
    insta::assert_snapshot!(derivation);
    Ok(())
}

#[test]
fn a_machine_and_a_model_of_our_own() -> Result<(), atgpu::Error> {
    let atgpu = Atgpu {
        cores: 64,
        cores_per_mp: 8,
        shared_words: 64,
        global_words: 4096,
    };
    let machine = Machine::new("toy", atgpu).with([("alpha", 5), ("beta", 1), ("gamma", 1)])?;
    let machine = machine.with([("lambda", 10), ("sigma", 7), ("k'", 2), ("H", 4)])?;
    let costs = atgpu::program(SCALE)?.cost(&machine, [("n", 80), ("w", 3)])?;
    // 2(5 + 80) + ⌈10/(2·4)⌉·t + 10·20 + 7 with t = 3 + 3 + 3.
    assert_eq!(costs.gpu_cost()?, 395.0);
    let dollars = costs.estimate(&DollarPerBlock)?;
    assert_eq!(dollars.headline(), Some(&20.into()));
    insta::assert_snapshot!(costs);
    Ok(())
}

#[test]
fn results_come_out() -> Result<(), atgpu::Error> {
    let program = atgpu::program(SCALE)?;
    let card = Machine::built_in("gtx650").expect("built in");
    let mut options = Options::default();
    options.inputs.insert("A".into(), Input::Iota);
    let run = program.run(&card, [("n", 64), ("w", 3)], &options)?;
    let threes = (0..64).map(|x| 3 * x).collect();
    assert_eq!(run.output("C").map(|c| &c.data), Some(&Data::Int(threes)));
    assert_eq!(run.agrees_with(&program.derive()?), Some(true));
    Ok(())
}

#[test]
fn a_faulty_program_says_where() {
    let text = SCALE.replace("_x[j] ⇐ a[ib + j]", "_x[j] ⇐ A[ib + j]");
    let error = atgpu::program(&text).expect_err("`A` is a host variable");
    insta::assert_debug_snapshot!(error);
    insta::assert_snapshot!(serde_json::to_string_pretty(&error).expect("JSON"));
}
