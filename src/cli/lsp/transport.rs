//! Messages as they come and go on standard input and output: a header that tells the length, an empty line, JSON.

use std::io::{self, BufRead, Cursor, Read};
use std::thread::{self, JoinHandle};

use lsp_server::{Connection, Message};

/// The longest message, in bytes, and the longest header: no program is as long.
const MOST_BYTES: u64 = 64 << 20;
const MOST_HEADER: u64 = 4 << 10;

/// What reads and what writes.
pub(super) struct Threads {
    reader: JoinHandle<io::Result<()>>,
    writer: JoinHandle<io::Result<()>>,
}

/// The client on standard input and output.
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
            // Who serves may be gone already.
            if sender.send(message).is_err() || is_last {
                break;
            }
        }
        Ok(())
    });
    (here, Threads { reader, writer })
}

impl Threads {
    /// Waits until all is written, and for the reader where the client says no more; what went wrong in one of them.
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

/// The next message; nothing at the end. No room is taken for a length that is only claimed.
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
