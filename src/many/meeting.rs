//! How processes find each other: all come to rank 0, which tells each where the others are.
//!
//! A rank connects to rank 0, and both send a nonce. The rank then tells its number, how many ranks it knows of, its kind
//! of device and the port on which it listens, with a proof of the secret for all of that. When all have come, rank 0 answers
//! with the addresses of all and a token, with its own proof. Ranks then connect to those of lower numbers, by the token.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use super::frame::{array, malformed, read_text, write_text};
use super::mesh::{Mesh, deadline};
use super::ranks::Ranks;
use super::secret::{Digest, is_same, proof};
use crate::RankProblem;

/// The first bytes of a connection, with the version of what follows.
const MAGIC: [u8; 8] = *b"vyre\x01\0\0\0";

/// The time of a step between two ranks that are there.
const STEP: Duration = Duration::from_secs(10);

/// The pause between two tries.
const PAUSE: Duration = Duration::from_millis(10);

type Nonce = [u8; 16];

/// The answers of rank 0.
const WELCOME: u8 = 0;
const REFUSED: u8 = 1;
const WRONG_SECRET: u8 = 2;

/// A rank that has come to rank 0.
struct Guest {
    rank: u32,
    ranks: u32,
    is_cuda: bool,
    /// Where it listens.
    address: SocketAddr,
    connection: TcpStream,
    nonces: [Nonce; 2],
}

/// Meets all ranks, and links them.
pub(super) fn meet(ranks: &Ranks, is_cuda: bool) -> Result<Mesh, RankProblem> {
    let until = deadline(ranks.limit);
    let connections = match ranks.rank {
        0 => host(ranks, is_cuda, until)?,
        _ => visit(ranks, is_cuda, until)?,
    };
    Mesh::tcp(ranks.rank, connections).map_err(|error| unmet(ranks, &error))
}

fn unmet(ranks: &Ranks, reason: &dyn std::fmt::Display) -> RankProblem {
    RankProblem::Meeting {
        address: ranks.address.clone(),
        reason: reason.to_string(),
    }
}

/// A number that nobody can guess: the keys of maps are random.
fn nonce() -> Nonce {
    let word = || RandomState::new().build_hasher().finish().to_le_bytes();
    let mut nonce = [0; 16];
    nonce[..8].copy_from_slice(&word());
    nonce[8..].copy_from_slice(&word());
    nonce
}

/// The proof that a rank knows the secret; without one, of nothing.
fn proved(ranks: &Ranks, purpose: &[u8], nonces: &[Nonce; 2], message: &[u8]) -> Digest {
    let all = [purpose, &nonces[0], &nonces[1], message].concat();
    proof(ranks.secret.as_deref().unwrap_or_default(), &all)
}

/// The next connection, if one comes before a moment.
fn accept(listener: &TcpListener, until: Instant) -> io::Result<Option<TcpStream>> {
    listener.set_nonblocking(true)?;
    loop {
        if let Ok((connection, _)) = listener.accept() {
            connection.set_nonblocking(false)?;
            return Ok(Some(connection));
        }
        if Instant::now() >= until {
            return Ok(None);
        }
        thread::sleep(PAUSE);
    }
}

/// The work of rank 0.
fn host(ranks: &Ranks, is_cuda: bool, until: Instant) -> Result<Vec<Option<TcpStream>>, RankProblem> {
    let listener = listen(&ranks.address).map_err(|error| unmet(ranks, &error))?;
    let mut guests: Vec<Guest> = Vec::new();
    let found = gather(ranks, is_cuda, &listener, until, &mut guests);
    let token = nonce();
    let mut connections: Vec<Option<TcpStream>> = (0..ranks.ranks).map(|_| None).collect();
    let answer = found.map(|()| {
        guests.sort_unstable_by_key(|guest| guest.rank);
        let addresses: Vec<_> = guests.iter().map(|guest| guest.address.to_string()).collect();
        let mut answer = token.to_vec();
        write_text(&mut answer, &addresses.join(" "));
        answer
    });
    for mut guest in guests {
        let (tag, body) = match &answer {
            Ok(answer) => (WELCOME, answer.clone()),
            Err(problem) => {
                let mut text = Vec::new();
                write_text(&mut text, &problem.to_string());
                (REFUSED, text)
            }
        };
        let proof = proved(ranks, b"welcome", &guest.nonces, &body);
        let told = guest.connection.write_all(&[&[tag], &proof[..], &body].concat());
        // One that has gone is missed by the first operation.
        if told.is_ok() && answer.is_ok() {
            connections[guest.rank as usize] = Some(guest.connection);
        } else if answer.is_ok() {
            return Err(RankProblem::Ended {
                other: guest.rank as usize,
            });
        }
    }
    answer.map(|_| connections)
}

/// Listens where others look for rank 0: on this host alone if only it can reach the address.
fn listen(address: &str) -> io::Result<TcpListener> {
    let mut last = io::Error::new(io::ErrorKind::InvalidInput, "the host has no address");
    for found in address.to_socket_addrs()? {
        let ip = match found.ip() {
            ip if ip.is_loopback() => ip,
            IpAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
            IpAddr::V6(_) => std::net::Ipv6Addr::UNSPECIFIED.into(),
        };
        match TcpListener::bind((ip, found.port())) {
            Ok(listener) => return Ok(listener),
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// Waits for all other ranks. Each comes by a thread of its own, so that a stranger who says nothing keeps nobody waiting.
fn gather(
    ranks: &Ranks,
    is_cuda: bool,
    listener: &TcpListener,
    until: Instant,
    guests: &mut Vec<Guest>,
) -> Result<(), RankProblem> {
    let (sender, receiver) = mpsc::channel();
    while guests.len() + 1 < ranks.ranks {
        if let Some(connection) = accept(listener, Instant::now()).map_err(|error| unmet(ranks, &error))? {
            receive_guest(ranks.clone(), connection, sender.clone());
        }
        match receiver.recv_timeout(PAUSE) {
            Ok(guest) => {
                guests.push(guest);
                check(ranks, is_cuda, guests)?;
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
        }
        if Instant::now() >= until {
            let is_missing = |rank: &usize| guests.iter().all(|guest| guest.rank as usize != *rank);
            return Err(RankProblem::Missing {
                missing: (1..ranks.ranks).filter(is_missing).collect(),
                limit: ranks.limit,
                address: ranks.address.clone(),
            });
        }
    }
    Ok(())
}

/// Holds the last guest against this rank and the other guests.
fn check(ranks: &Ranks, is_cuda: bool, guests: &[Guest]) -> Result<(), RankProblem> {
    let Some((last, before)) = guests.split_last() else {
        return Ok(());
    };
    let number = last.rank as usize;
    if last.ranks as usize != ranks.ranks {
        return Err(RankProblem::Sizes {
            other: number,
            theirs: last.ranks as usize,
        });
    }
    if number == 0 || before.iter().any(|guest| guest.rank == last.rank) {
        return Err(RankProblem::Doubled { number });
    }
    if number >= ranks.ranks {
        return Err(RankProblem::NoSuchRank { number });
    }
    if last.is_cuda != is_cuda {
        return Err(mixed(0, is_cuda, number));
    }
    Ok(())
}

/// The problem of a rank on the CPU and one on a GPU.
pub(super) fn mixed(first: usize, is_cuda: bool, second: usize) -> RankProblem {
    let (gpu, cpu) = if is_cuda { (first, second) } else { (second, first) };
    RankProblem::Devices {
        reason: format!(
            "rank {gpu} is on a GPU and rank {cpu} on the CPU; use devices of one kind, and see whether the host of rank {cpu} \
             has a CUDA driver"
        ),
    }
}

/// Receives a rank by a new thread. What is no rank of this program is let go.
fn receive_guest(ranks: Ranks, connection: TcpStream, to: Sender<Guest>) {
    thread::spawn(move || {
        if let Ok(Some(guest)) = welcome(&ranks, connection) {
            drop(to.send(guest));
        }
    });
}

fn welcome(ranks: &Ranks, mut connection: TcpStream) -> io::Result<Option<Guest>> {
    connection.set_read_timeout(Some(STEP))?;
    connection.set_write_timeout(Some(STEP))?;
    if array(&mut connection)? != MAGIC {
        return Err(malformed());
    }
    let nonces = [array(&mut connection)?, nonce()];
    connection.write_all(&[&MAGIC[..], &nonces[1]].concat())?;
    let hello: [u8; 11] = array(&mut connection)?;
    let theirs: Digest = array(&mut connection)?;
    if !is_same(&proved(ranks, b"hello", &nonces, &hello), &theirs) {
        connection.write_all(&[WRONG_SECRET])?;
        return Ok(None);
    }
    let word = |at: usize| u32::from_le_bytes(hello[at..at + 4].try_into().expect("four bytes"));
    let port = u16::from_le_bytes([hello[9], hello[10]]);
    Ok(Some(Guest {
        rank: word(0),
        ranks: word(4),
        is_cuda: hello[8] == 1,
        address: SocketAddr::new(connection.peer_addr()?.ip(), port),
        connection,
        nonces,
    }))
}

/// The work of another rank than 0.
fn visit(ranks: &Ranks, is_cuda: bool, until: Instant) -> Result<Vec<Option<TcpStream>>, RankProblem> {
    let failed = |error: io::Error| unmet(ranks, &error);
    let mut connection = connect(&ranks.address, until).map_err(failed)?;
    // On all interfaces, for which of them the others reach is not known here.
    let own = connection.local_addr().map_err(failed)?.ip();
    let any: IpAddr = match own {
        own if own.is_loopback() => own,
        IpAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        IpAddr::V6(_) => std::net::Ipv6Addr::UNSPECIFIED.into(),
    };
    let listener = TcpListener::bind((any, 0)).map_err(failed)?;
    let port = listener.local_addr().map_err(failed)?.port();
    let (tag, body) = introduce(ranks, is_cuda, port, &mut connection, until).map_err(|error| match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => unmet(ranks, &"rank 0 did not answer in time"),
        io::ErrorKind::UnexpectedEof => unmet(ranks, &"rank 0 has ended, or it is another program"),
        _ => unmet(ranks, &error),
    })?;
    match tag {
        WELCOME => {}
        WRONG_SECRET => return Err(RankProblem::Secret),
        _ => {
            let reason = read_text(&mut &body[..]).map_err(failed)?;
            return Err(RankProblem::Failed { other: 0, reason });
        }
    }
    let mut rest = &body[..];
    let token: Nonce = array(&mut rest).map_err(failed)?;
    let addresses = read_text(&mut rest).map_err(failed)?;
    let mut connections = link(ranks, token, &addresses, &listener, until)?;
    connections[0] = Some(connection);
    Ok(connections)
}

fn connect(address: &str, until: Instant) -> io::Result<TcpStream> {
    loop {
        let mut last = io::Error::new(io::ErrorKind::InvalidInput, "the host has no address");
        for found in address.to_socket_addrs()? {
            let left = until.saturating_duration_since(Instant::now()).min(STEP);
            match try_connect(&found, left.max(PAUSE)) {
                Ok(connection) => return Ok(connection),
                Err(error) => last = error,
            }
        }
        if Instant::now() >= until {
            return Err(last);
        }
        thread::sleep(PAUSE);
    }
}

/// A connection to another socket than the own one: where nothing listens at a port that the system gives to connections, one
/// of them may get that port and meet itself.
fn try_connect(address: &SocketAddr, limit: Duration) -> io::Result<TcpStream> {
    let connection = TcpStream::connect_timeout(address, limit)?;
    match connection.local_addr()? == connection.peer_addr()? {
        true => Err(io::ErrorKind::ConnectionRefused.into()),
        false => Ok(connection),
    }
}

/// Tells rank 0 who this is, and waits for its answer.
fn introduce(
    ranks: &Ranks,
    is_cuda: bool,
    port: u16,
    connection: &mut TcpStream,
    until: Instant,
) -> io::Result<(u8, Vec<u8>)> {
    connection.set_read_timeout(Some(STEP))?;
    connection.set_write_timeout(Some(STEP))?;
    let own = nonce();
    connection.write_all(&[&MAGIC[..], &own].concat())?;
    if array(connection)? != MAGIC {
        return Err(malformed());
    }
    let nonces = [own, array(connection)?];
    let mut hello = Vec::with_capacity(11);
    hello.extend((ranks.rank as u32).to_le_bytes());
    hello.extend((ranks.ranks as u32).to_le_bytes());
    hello.push(u8::from(is_cuda));
    hello.extend(port.to_le_bytes());
    let proof = proved(ranks, b"hello", &nonces, &hello);
    connection.write_all(&[&hello[..], &proof].concat())?;
    // Rank 0 waits for all others, from when it was started.
    let left = until.saturating_duration_since(Instant::now());
    connection.set_read_timeout(Some(left + STEP))?;
    let [tag] = array(connection)?;
    if tag == WRONG_SECRET {
        return Ok((tag, Vec::new()));
    }
    let theirs: Digest = array(connection)?;
    let mut body = Vec::new();
    if tag == WELCOME {
        body.extend(array::<16>(connection)?);
    }
    let text = read_text(connection)?;
    write_text(&mut body, &text);
    match is_same(&proved(ranks, b"welcome", &nonces, &body), &theirs) {
        true => Ok((tag, body)),
        false => Ok((WRONG_SECRET, Vec::new())),
    }
}

/// Connects to the ranks of lower numbers, and waits for those of higher ones.
fn link(
    ranks: &Ranks,
    token: Nonce,
    addresses: &str,
    listener: &TcpListener,
    until: Instant,
) -> Result<Vec<Option<TcpStream>>, RankProblem> {
    let mut connections: Vec<Option<TcpStream>> = (0..ranks.ranks).map(|_| None).collect();
    for (other, address) in (1..ranks.rank).zip(addresses.split(' ')) {
        let found = connect(address, until).and_then(|mut connection| {
            let number = (ranks.rank as u32).to_le_bytes();
            connection.write_all(&[&MAGIC[..], &token, &number].concat())?;
            Ok(connection)
        });
        let found = found.map_err(|error| RankProblem::Meeting {
            address: address.to_owned(),
            reason: format!("rank {other} listens there: {error}"),
        })?;
        connections[other] = Some(found);
    }
    while let Some(missing) = (ranks.rank + 1..ranks.ranks).find(|&other| connections[other].is_none()) {
        let accepted = accept(listener, until).map_err(|error| unmet(ranks, &error))?;
        let Some(connection) = accepted else {
            return Err(RankProblem::Timeout {
                other: Some(missing),
                operation: "the meeting".to_owned(),
                limit: ranks.limit,
            });
        };
        if let Ok((other, connection)) = recognise(connection, token)
            && other > ranks.rank
            && other < ranks.ranks
        {
            connections[other] = Some(connection);
        }
    }
    Ok(connections)
}

/// The rank that has connected, if it knows the token.
fn recognise(mut connection: TcpStream, token: Nonce) -> io::Result<(usize, TcpStream)> {
    connection.set_read_timeout(Some(STEP))?;
    let (magic, theirs): ([u8; 8], Nonce) = (array(&mut connection)?, array(&mut connection)?);
    if magic != MAGIC || theirs != token {
        return Err(malformed());
    }
    let number = u32::from_le_bytes(array(&mut connection)?);
    Ok((number as usize, connection))
}

#[cfg(test)]
mod tests;
