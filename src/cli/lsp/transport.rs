//! Messages on standard input and output: a header with the length, an empty line, JSON.

use std::io::{self, BufRead, Cursor, Read};
use std::thread::{self, JoinHandle};

use lsp_server::{Connection, Message};

/// Limits on the bytes of a message and of a header. No program is as long.
const MOST_BYTES: u64 = 64 << 20;
const MOST_HEADER: u64 = 4 << 10;

/// The threads that read and write.
pub(super) struct Threads {
    reader: JoinHandle<io::Result<()>>,
    writer: JoinHandle<io::Result<()>>,
}

/// Connects to the client on standard input and output.
pub(super) fn stdio() -> (Connection, Threads) {
    let (here, there) = Connection::memory();
    let Connection { sender, receiver } = there;
    let writer = thread::spawn(move || {
        let mut out = io::stdout().lock();
        receiver
            .into_iter()
            .try_for_each(|message| message.write(&mut out))
    });
    let reader = thread::spawn(move || {
        let mut input = io::stdin().lock();
        while let Some(message) = read(&mut input)? {
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

/// Reads the next message; `None` at the end of input. Memory is allocated only as bytes arrive, not by the
/// claimed length.
fn read(input: &mut impl BufRead) -> io::Result<Option<Message>> {
    let mut header = Vec::new();
    let mut length = 0;
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
            length = number.trim().parse().unwrap_or(0);
        }
    }
    if length > MOST_BYTES {
        let told = format!("a message of {length} bytes; there is room for {MOST_BYTES}");
        return Err(io::Error::new(io::ErrorKind::InvalidData, told));
    }
    Message::read(&mut Cursor::new(header).chain(input.take(length)))
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
        assert!(matches!(read(&mut input), Ok(Some(Message::Request(_)))));
        assert!(matches!(
            read(&mut input),
            Ok(Some(Message::Notification(_)))
        ));
        assert!(matches!(read(&mut input), Ok(None)));
    }

    #[test]
    fn what_is_no_message_is_refused_without_room_for_it() {
        let endless = "x".repeat(5 << 10);
        let cases = [
            "Content-Length: 99999999999999\r\n\r\n{}",
            "Content-Length: -1\r\n\r\n{}",
            "Content-Length: 12\r\n\r\n{}",
            "Content-Length: 2\r\n\r\n{}",
            "Content-Length: 2",
            "\r\n",
            &endless,
        ];
        for text in cases {
            assert!(read(&mut text.as_bytes()).is_err(), "{text}");
        }
    }
}
