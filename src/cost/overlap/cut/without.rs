//! Programs without some of their transfers.
//!
//! A copy of the program loses statements; its names, ids and lines stay. Nothing is checked again.

use std::cell::RefCell;

use crate::program::{Direction, HostStmt, Program, Transfer};

/// Returns the program without the inward transfers of some arrays, as if these were on the device before,
/// and the global names of the arrays. An array may be named by either side of its transfer.
///
/// # Errors
/// The first name without an inward transfer.
pub fn resident(program: &Program, names: &[String]) -> Result<(Program, Vec<String>), String> {
    let is_named = |transfer: &Transfer, name: &String| {
        let sides = [&transfer.host, &transfer.global];
        let mut named = sides
            .map(|side| &program.variable(side.variable).name)
            .into_iter();
        transfer.direction == Direction::Inward && named.any(|side| side == name)
    };
    for name in names {
        let kept = without(program, &|transfer| is_named(transfer, name));
        if transfers(&kept.body) == transfers(&program.body) {
            return Err(name.clone());
        }
    }
    let there = RefCell::new(Vec::new());
    let rest = without(program, &|transfer| {
        let is_there = names.iter().any(|name| is_named(transfer, name));
        if is_there {
            let array = &program.variable(transfer.global.variable).name;
            there.borrow_mut().push(array.clone());
        }
        is_there
    });
    Ok((rest, there.into_inner()))
}

fn transfers(body: &[HostStmt]) -> usize {
    let of = |stmt: &HostStmt| match stmt {
        HostStmt::Transfer(_) => 1,
        HostStmt::For(inner) => transfers(&inner.body),
        HostStmt::While(inner) => transfers(&inner.body),
        HostStmt::Execute(inner) => transfers(&inner.body),
        HostStmt::Kernel(_) | HostStmt::Let(_) | HostStmt::Swap(_) => 0,
    };
    body.iter().map(of).sum()
}

pub(super) fn without(program: &Program, leaves_out: &dyn Fn(&Transfer) -> bool) -> Program {
    Program {
        body: kept(&program.body, leaves_out),
        ..program.clone()
    }
}

fn kept(body: &[HostStmt], leaves_out: &dyn Fn(&Transfer) -> bool) -> Vec<HostStmt> {
    let stays = |stmt: &&HostStmt| !matches!(stmt, HostStmt::Transfer(it) if leaves_out(it));
    let of = |stmt: &HostStmt| {
        let mut stmt = stmt.clone();
        match &mut stmt {
            HostStmt::For(inner) => inner.body = kept(&inner.body, leaves_out),
            HostStmt::While(inner) => inner.body = kept(&inner.body, leaves_out),
            HostStmt::Execute(inner) => inner.body = kept(&inner.body, leaves_out),
            HostStmt::Transfer(_) | HostStmt::Kernel(_) | HostStmt::Let(_) | HostStmt::Swap(_) => {}
        }
        stmt
    };
    body.iter().filter(stays).map(of).collect()
}
