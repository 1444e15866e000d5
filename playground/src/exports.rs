//! The three functions that the page's worker calls. No pointer is followed here: the request's bytes are
//! written by the worker into memory of ours, and the answer's are read by it.

use std::cell::RefCell;

use crate::session::Session;

thread_local! {
    static SESSION: RefCell<Session> = RefCell::new(Session::new());
    static REQUEST: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static ANSWER: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Room for a request of so many bytes; where it is.
#[allow(unsafe_code, reason = "a name that is not mangled")]
#[unsafe(no_mangle)]
pub extern "C" fn room(length: usize) -> *mut u8 {
    REQUEST.with_borrow_mut(|request| {
        request.clear();
        request.resize(length, 0);
        request.as_mut_ptr()
    })
}

/// Answers the request that stands in the room; where the answer is.
#[allow(unsafe_code, reason = "a name that is not mangled")]
#[unsafe(no_mangle)]
pub extern "C" fn call() -> *const u8 {
    let request = REQUEST.take();
    let answer = SESSION.with_borrow_mut(|session| session.answer(&request));
    ANSWER.with_borrow_mut(|held| {
        *held = answer;
        held.as_ptr()
    })
}

/// How many bytes the answer has.
#[allow(unsafe_code, reason = "a name that is not mangled")]
#[unsafe(no_mangle)]
pub extern "C" fn length() -> usize {
    ANSWER.with_borrow(String::len)
}
