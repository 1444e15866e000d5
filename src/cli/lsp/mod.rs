//! `atgpu lsp`: the language server, on standard input and output.
//!
//! A thin layer over `atgpu::editor`: messages come in, documents change or are queried, answers go out.
//! Every change is parsed and checked at once. A worker thread derives and judges (`worker`) after a short
//! pause in typing; its results for an outdated text are dropped. No message from a client except `exit`
//! ends the server.

mod advising;
mod answers;
mod configuration;
mod convert;
mod places;
mod session;
mod settings;
mod transport;
mod worker;
mod working;

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Instant;

use lsp_server::{Connection, ErrorCode, Message, Response};
use serde_json::json;

use crate::cli::args::LspArgs;
use crate::cli::files;
use crate::cli::lsp::session::{Session, uri_of};
use crate::cli::lsp::worker::{Found, Work};
use crate::cli::reply::Reply;

/// An event of the main loop.
enum Event {
    /// From the client.
    Message(Box<Message>),
    /// From the worker.
    Found(Box<Found>),
    /// The client closed the connection.
    End,
}

/// Serves until the client sends `exit` or closes the connection.
pub fn lsp(_args: &LspArgs) -> Reply {
    let (connection, threads) = transport::stdio();
    let (sender, events) = channel();
    let served = serve(&connection, sender, &events);
    drop(connection);
    let has_ended = match &served {
        Ok(_) => true,
        Err(error) => error.channel_is_disconnected(),
    };
    let joined = threads.join(has_ended);
    let mut reply = Reply::text("");
    // A client that closed the connection gets no message.
    reply.refused = joined.is_err() || !matches!(served, Ok(true));
    let why = match (joined, served) {
        (Err(error), _) => Some(error.to_string()),
        (_, Err(_)) if has_ended => Some("the client went away before `initialize`".to_owned()),
        (_, Err(error)) => Some(error.to_string()),
        (_, Ok(_)) => None,
    };
    if let Some(why) = why {
        files::print_error(&format!("atgpu lsp: {why}\n"));
    }
    reply
}

/// Runs the main loop. Returns true if the client ended the session properly.
fn serve(
    connection: &Connection,
    sender: Sender<Event>,
    events: &std::sync::mpsc::Receiver<Event>,
) -> Result<bool, lsp_server::ProtocolError> {
    let (id, params) = connection.initialize_start()?;
    let version = concat!(env!("CARGO_PKG_VERSION"), env!("ATGPU_REVISION"));
    connection.initialize_finish(
        id,
        json!({
            "capabilities": answers::capabilities(),
            "serverInfo": {"name": "atgpu", "version": version},
        }),
    )?;
    let work = Work::start(sender.clone());
    let receiver = connection.receiver.clone();
    thread::spawn(move || {
        for message in &receiver {
            if sender.send(Event::Message(Box::new(message))).is_err() {
                return;
            }
        }
        let _ = sender.send(Event::End);
    });
    let out = connection.sender.clone();
    let send = move |message| {
        // A failure to send means that the client is gone.
        let _ = out.send(message);
    };
    let mut session = Session::new(&params, send, work);
    let mut was_shut_down = false;
    loop {
        let event = match session.due() {
            None => events.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(due) => events.recv_timeout(due.saturating_duration_since(Instant::now())),
        };
        match event {
            Err(RecvTimeoutError::Timeout) => {
                session.begin_work();
                session.tell_of_long_work();
            }
            Err(RecvTimeoutError::Disconnected) | Ok(Event::End) => return Ok(was_shut_down),
            Ok(Event::Found(found)) => session.survive(None, |session| session.found(*found)),
            Ok(Event::Message(message)) => match *message {
                // `transport` has answered it.
                Message::Request(request) if request.method == "shutdown" && !was_shut_down => {
                    was_shut_down = true;
                }
                Message::Request(request) if was_shut_down => {
                    let code = ErrorCode::InvalidRequest as i32;
                    let told = "the server is shut down".to_owned();
                    session.send(Response::new_err(request.id, code, told).into());
                }
                Message::Notification(told) if told.method == "exit" => return Ok(was_shut_down),
                Message::Request(request) => session.request(request),
                Message::Notification(told) => {
                    let uri = uri_of(&told.params).map(str::to_owned);
                    session.survive(uri.as_deref(), |session| session.notification(&told));
                }
                Message::Response(response) => {
                    session.survive(None, |session| session.response(&response));
                }
            },
        }
    }
}
