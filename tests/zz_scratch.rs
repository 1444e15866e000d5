mod sym_support;
use atgpu::sym::{Cond, Expr, Facts};
use sym_support::{int, over, symbol, var};
#[test]
fn scratch() {
    let (n, b, r) = (var("n"), var("b"), var("r"));
    let mut f = Facts::new();
    f.assume(&Cond::ge(&b, &int(2)));
    let b2 = b.scale(&2.into());
    f.assume(&Cond::power_of(&n, &b2));
    f.assume(&Cond::ge(&n, &b2));
    let big_r = Expr::log(&b2, &n);
    println!("R = {big_r} {}", f.is_integer(&big_r));
    let body = over(&n, &int(2).pow(&r).mul(&b.pow(&r)));
    println!("count {:?}", f.prove(&Cond::ge(&big_r, &int(0))));
    println!("{} -> {}", body, f.sum(&symbol("r"), &int(1), &big_r, &body));
    let mut g = f.clone();
    g.suppose(&Cond::ge(&r, &int(1)));
    g.suppose(&Cond::le(&r, &big_r));
    println!("int {} {:?}", g.is_integer(&body), g.prove(&Cond::ge(&body, &int(1))));
    let mut f = Facts::new();
    f.assume(&Cond::ge(&n, &int(1)));
    let e = n.mul(&n.sub(&int(1))).mul(&Expr::bracket(Cond::ge(&n, &int(2))));
    println!("{} -> {}", e, f.without_idle_brackets(&e));
    let mut g = f.clone();
    g.suppose(&Cond::lt(&n, &int(2)));
    println!("{:?} {:?}", g.prove(&Cond::le(&n, &int(1))), g.prove(&Cond::eq(&n.mul(&n.sub(&int(1))), &int(0))));
    println!("{:?}", g.prove(&Cond::le(&n.mul(&n.sub(&int(1))), &int(0))));
}
