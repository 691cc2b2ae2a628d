//! Connections that have come and are not recognised yet.
//!
//! All are read side by side, and none is waited for, so that one that says nothing keeps nobody from being recognised.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

/// The most connections that are read at the same time. Where more come, the oldest is let go: a rank says at once who it is.
const CROWD: usize = 256;

/// The pause between two looks at all of them.
const PAUSE: Duration = Duration::from_millis(2);

/// The result of parsing the bytes of a connection.
pub(super) enum Told<T> {
    /// More bytes are needed: this many.
    More(usize),
    /// It is recognised.
    Is(T),
    /// It belongs to no rank.
    Stranger,
}

/// A listener with the connections that have come. `S` is what is known of one that is not recognised yet.
pub(super) struct Door<S> {
    listener: TcpListener,
    guests: VecDeque<Guest<S>>,
}

struct Guest<S> {
    connection: TcpStream,
    bytes: Vec<u8>,
    wanted: usize,
    state: S,
}

impl<S: Default> Door<S> {
    pub(super) fn new(listener: TcpListener) -> io::Result<Door<S>> {
        listener.set_nonblocking(true)?;
        Ok(Door {
            listener,
            guests: VecDeque::new(),
        })
    }

    /// The next connection that `recognise` knows, before a moment. It is called with the first bytes of a connection, at first
    /// with none, again with as many as it asks for.
    pub(super) fn next<T>(
        &mut self,
        until: Instant,
        mut recognise: impl FnMut(&mut S, &mut TcpStream, &[u8]) -> io::Result<Told<T>>,
    ) -> Option<(T, TcpStream)> {
        loop {
            self.admit();
            let mut at = 0;
            while let Some(guest) = self.guests.get_mut(at) {
                match guest.advance(&mut recognise) {
                    Ok(Told::More(_)) => at += 1,
                    Ok(Told::Is(found)) => {
                        let guest = self.guests.remove(at)?;
                        if guest.connection.set_nonblocking(false).is_ok() {
                            return Some((found, guest.connection));
                        }
                    }
                    Ok(Told::Stranger) | Err(_) => drop(self.guests.remove(at)),
                }
            }
            if Instant::now() >= until {
                return None;
            }
            thread::sleep(PAUSE);
        }
    }

    /// Takes the connections that have come.
    fn admit(&mut self) {
        for _ in 0..CROWD {
            match self.listener.accept() {
                Ok((connection, _)) => {
                    if connection.set_nonblocking(true).is_ok() {
                        self.guests.push_back(Guest {
                            connection,
                            bytes: Vec::new(),
                            wanted: 0,
                            state: S::default(),
                        });
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                // The process may have no more connections.
                Err(_) => {
                    drop(self.guests.pop_front());
                    return;
                }
            }
            if self.guests.len() > CROWD {
                drop(self.guests.pop_front());
            }
        }
    }
}

impl<S> Guest<S> {
    /// Reads what has come, without waiting.
    fn advance<T>(
        &mut self,
        recognise: &mut impl FnMut(&mut S, &mut TcpStream, &[u8]) -> io::Result<Told<T>>,
    ) -> io::Result<Told<T>> {
        loop {
            // No more than what is wanted: later bytes are not those of the meeting.
            while self.bytes.len() < self.wanted {
                let mut piece = [0; 128];
                let room = piece.len().min(self.wanted - self.bytes.len());
                match self.connection.read(&mut piece[..room]) {
                    Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                    Ok(read) => self.bytes.extend(&piece[..read]),
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(Told::More(self.wanted)),
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => return Err(error),
                }
            }
            match recognise(&mut self.state, &mut self.connection, &self.bytes)? {
                Told::More(wanted) if wanted > self.bytes.len() => self.wanted = wanted,
                // It would never have enough.
                Told::More(_) => return Ok(Told::Stranger),
                told => return Ok(told),
            }
        }
    }
}
