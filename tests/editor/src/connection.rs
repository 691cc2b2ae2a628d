//! The language server protocol: JSON messages with a header that has their length.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// The longest wait for one answer. A first answer may wait for a build.
const PATIENCE: Duration = Duration::from_secs(300);

/// A server at the other end of two pipes.
pub(crate) struct Connection {
    input: ChildStdin,
    messages: Receiver<Value>,
    last_id: u64,
    /// The last state that the server has told: true if it has nothing left to do.
    is_quiet: bool,
}

impl Connection {
    /// A connection to a process with piped input and output.
    pub(crate) fn new(child: &mut Child) -> Self {
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let (input, output) = (input.expect("a pipe"), output.expect("a pipe"));
        let (sender, messages) = channel();
        thread::spawn(move || {
            let mut output = BufReader::new(output);
            while let Ok(message) = read(&mut output) {
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        Connection {
            input,
            messages,
            last_id: 0,
            is_quiet: false,
        }
    }

    /// The result of a request. One that the server has cancelled, since a document changed, is made again.
    pub(crate) fn request(&mut self, method: &str, parameters: &Value) -> Value {
        let until = Instant::now() + PATIENCE;
        loop {
            self.last_id += 1;
            let id = self.last_id;
            self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": parameters }));
            let answer = loop {
                let message = self.receive(until);
                if message["id"] == id && message.get("method").is_none() {
                    break message;
                }
            };
            match answer.get("error") {
                // Content modified, and cancelled by the server.
                Some(error) if error["code"] == -32801 || error["code"] == -32802 => {
                    thread::sleep(Duration::from_millis(50));
                }
                Some(error) => panic!("rust-analyzer refuses {method}: {error}"),
                None => return answer["result"].clone(),
            }
        }
    }

    /// Sends a message that has no answer.
    pub(crate) fn notify(&mut self, method: &str, parameters: &Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": parameters }));
    }

    /// Waits until the server has loaded what it needs.
    pub(crate) fn wait_until_quiet(&mut self) {
        let until = Instant::now() + PATIENCE;
        while !self.is_quiet {
            self.receive(until);
        }
    }

    fn send(&mut self, message: &Value) {
        let body = message.to_string();
        let sent = write!(self.input, "Content-Length: {}\r\n\r\n{body}", body.len()).and_then(|()| self.input.flush());
        sent.expect("rust-analyzer runs");
    }

    /// The next message. Requests of the server are answered with nothing.
    fn receive(&mut self, until: Instant) -> Value {
        let left = until.saturating_duration_since(Instant::now());
        let message = match self.messages.recv_timeout(left) {
            Ok(message) => message,
            Err(RecvTimeoutError::Timeout) => panic!("rust-analyzer does not answer"),
            Err(RecvTimeoutError::Disconnected) => panic!("rust-analyzer has ended"),
        };
        if let (Some(id), Some(_)) = (message.get("id"), message.get("method")) {
            self.send(&json!({ "jsonrpc": "2.0", "id": id, "result": null }));
        }
        if message["method"] == "experimental/serverStatus" {
            let status = &message["params"];
            assert_ne!(
                status["health"], "error",
                "rust-analyzer cannot load the crate: {status}"
            );
            self.is_quiet = status["quiescent"] == true;
        }
        message
    }
}

fn read(output: &mut BufReader<ChildStdout>) -> io::Result<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        match line.trim_end().split_once(": ") {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                length = value.parse().map_err(io::Error::other)?;
            }
            Some(_) => {}
            None => break,
        }
    }
    let mut body = vec![0; length];
    output.read_exact(&mut body)?;
    Ok(serde_json::from_slice(&body)?)
}
