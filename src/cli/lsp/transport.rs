//! Messages on standard input and output: a header with the length, an empty line, JSON.

use std::io::{self, BufRead, Read, Write};
use std::thread::{self, JoinHandle};

use lsp_server::{Connection, ErrorCode, Message, RequestId, Response};
use serde_json::Value;

/// Limits on the bytes of a message and of a header. No program is as long.
const MOST_BYTES: u64 = 64 << 20;
const MOST_HEADER: u64 = 4 << 10;

/// The threads that read and write.
pub(super) struct Threads {
    reader: JoinHandle<io::Result<()>>,
    writer: JoinHandle<io::Result<()>>,
}

/// The id of an answer to a message that has none which could be read: `null`.
const NO_ID: &str = "\u{0}";

/// What an id begins with that stands for a number beyond 32 bits, as some clients count.
const LARGE: char = '\u{1}';

/// Connects to the client on standard input and output.
pub(super) fn stdio() -> (Connection, Threads) {
    let (here, there) = Connection::memory();
    let Connection { sender, receiver } = there;
    let writer = thread::spawn(move || {
        let mut out = io::stdout().lock();
        receiver
            .into_iter()
            .try_for_each(|message| write(&message, &mut out))
    });
    let answers = here.sender.clone();
    let reader = thread::spawn(move || {
        let mut input = io::stdin().lock();
        let mut has_begun = false;
        while let Some(frame) = read(&mut input)? {
            let message = match frame {
                Frame::Message(message) => message,
                // It is answered at once, and the server goes on.
                Frame::Bad(code, why) => {
                    let id = RequestId::from(NO_ID.to_owned());
                    let answer = Response::new_err(id, code as i32, why);
                    if answers.send(answer.into()).is_err() {
                        break;
                    }
                    continue;
                }
            };
            match &message {
                Message::Notification(told) if told.method == "initialized" => has_begun = true,
                // It is answered here, whatever the server is at.
                Message::Request(asked) if asked.method == "shutdown" && has_begun => {
                    let answer = Response::new_ok(asked.id.clone(), ());
                    if answers.send(answer.into()).is_err() {
                        break;
                    }
                }
                _ => {}
            }
            let is_last = matches!(&message, Message::Notification(told) if told.method == "exit");
            // The serving side may have ended already.
            if sender.send(message).is_err() || is_last {
                break;
            }
        }
        Ok(())
    });
    (here, Threads { reader, writer })
}

/// Writes a message with its id as the client gave it.
fn write(message: &Message, out: &mut impl Write) -> io::Result<()> {
    let Message::Response(response) = message else {
        return message.write(out);
    };
    let mut value = serde_json::to_value(response)?;
    let id = value["id"].as_str().unwrap_or_default();
    let given = match id.strip_prefix(LARGE) {
        Some(number) => number.parse::<u64>().map_or(Value::Null, Value::from),
        None if id == NO_ID => Value::Null,
        None => return message.write(out),
    };
    value["id"] = given;
    value["jsonrpc"] = "2.0".into();
    let text = value.to_string();
    write!(out, "Content-Length: {}\r\n\r\n{text}", text.len())?;
    out.flush()
}

impl Threads {
    /// Waits until everything is written, and for the reader if the client has ended. Returns the first
    /// error of either.
    pub(super) fn join(self, has_ended: bool) -> io::Result<()> {
        let reader = Some(self.reader).filter(|_| has_ended);
        for thread in reader.into_iter().chain([self.writer]) {
            match thread.join() {
                Ok(ended) => ended?,
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        Ok(())
    }
}

/// What the client sent.
enum Frame {
    Message(Message),
    /// A body that is no message: the code of the answer, and why.
    Bad(ErrorCode, String),
}

/// Reads the next message; `None` at the end of input. Memory is allocated only as bytes arrive, not by the
/// claimed length. A header that does not say where its message ends is an error, as all that follows is lost.
fn read(input: &mut impl BufRead) -> io::Result<Option<Frame>> {
    let mut header = Vec::new();
    let mut length = None;
    loop {
        let start = header.len();
        let left = MOST_HEADER - start as u64;
        input.take(left).read_until(b'\n', &mut header)?;
        let line = header[start..].trim_ascii();
        if line.is_empty() || header.len() as u64 == MOST_HEADER {
            break;
        }
        let told = str::from_utf8(line)
            .ok()
            .and_then(|line| line.split_once(':'));
        if let Some((_, number)) =
            told.filter(|(name, _)| name.eq_ignore_ascii_case("Content-Length"))
        {
            length = number.trim().parse::<u64>().ok();
        }
    }
    if header.is_empty() {
        return Ok(None);
    }
    let invalid = |told: String| io::Error::new(io::ErrorKind::InvalidData, told);
    let is_whole = header.ends_with(b"\n");
    let length = length.filter(|_| is_whole);
    let length = length.ok_or_else(|| invalid("a message without its length".to_owned()))?;
    if length > MOST_BYTES {
        return Err(invalid(format!(
            "a message of {length} bytes; there is room for {MOST_BYTES}"
        )));
    }
    let mut body = Vec::new();
    input.take(length).read_to_end(&mut body)?;
    if (body.len() as u64) < length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(Some(message(&body)))
}

/// Makes a message of a body.
fn message(body: &[u8]) -> Frame {
    let mut value: Value = match serde_json::from_slice(body) {
        Ok(value) => value,
        Err(error) => return Frame::Bad(ErrorCode::ParseError, error.to_string()),
    };
    if let Some(id) = value.get("id").and_then(Value::as_u64)
        && i32::try_from(id).is_err()
    {
        value["id"] = format!("{LARGE}{id}").into();
    }
    match serde_json::from_value(value) {
        Ok(message) => Frame::Message(message),
        Err(error) => Frame::Bad(ErrorCode::InvalidRequest, error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framed(text: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{text}", text.len())
    }

    #[test]
    fn messages_follow_each_other_to_the_end() {
        let exit = r#"{"jsonrpc":"2.0","method":"exit"}"#;
        let ask = r#"{"jsonrpc":"2.0","id":1,"method":"shutdown"}"#;
        let text = framed(ask) + &framed(exit).replace("Content-Length", "content-length");
        let mut input = text.as_bytes();
        let mut next = || read(&mut input).expect("a frame");
        assert!(matches!(next(), Some(Frame::Message(Message::Request(_)))));
        assert!(matches!(
            next(),
            Some(Frame::Message(Message::Notification(_)))
        ));
        assert!(next().is_none());
    }

    #[test]
    fn what_is_no_message_is_refused_without_room_for_it() {
        let endless = "x".repeat(5 << 10);
        let cases = [
            "Content-Length: 99999999999999\r\n\r\n{}",
            "Content-Length: -1\r\n\r\n{}",
            "Content-Length: 12\r\n\r\n{}",
            "Content-Length: 2",
            "\r\n",
            &endless,
        ];
        for text in cases {
            assert!(read(&mut text.as_bytes()).is_err(), "{text}");
        }
    }

    /// A body that is no message is answered, and the next one is read.
    #[test]
    fn a_bad_body_is_answered_and_the_next_message_read() {
        let ask = r#"{"jsonrpc":"2.0","id":9007199254740991,"method":"shutdown"}"#;
        let text = framed("{\"id\":") + &framed("{}") + &framed(ask);
        let mut input = text.as_bytes();
        let mut next = || read(&mut input).expect("a frame");
        assert!(matches!(next(), Some(Frame::Bad(ErrorCode::ParseError, _))));
        assert!(matches!(
            next(),
            Some(Frame::Bad(ErrorCode::InvalidRequest, _))
        ));
        let Some(Frame::Message(Message::Request(request))) = next() else {
            panic!("the request is read");
        };
        let mut out = Vec::new();
        write(&Response::new_ok(request.id, ()).into(), &mut out).expect("writable");
        let out = String::from_utf8(out).expect("text");
        assert!(out.contains("\"id\":9007199254740991"), "{out}");
        let mut out = Vec::new();
        let id = RequestId::from(NO_ID.to_owned());
        write(&Response::new_err(id, -32700, "?".into()).into(), &mut out).expect("writable");
        assert!(
            String::from_utf8(out)
                .expect("text")
                .contains("\"id\":null")
        );
    }
}
