//! How processes find each other: all come to rank 0, which tells each where the others are.
//!
//! A rank connects to rank 0, and both send a nonce. The rank then tells its number, how many ranks it knows of, its kind
//! of device and the port on which it listens, with a proof of the secret for all of that. When all have come, rank 0 answers
//! with the addresses of all and a token, with its own proof. Ranks then connect to those of lower numbers, by the token.
//!
//! - `door` reads the connections that are not recognised yet, all at the same time.
//! - `notice` tells on a terminal for which ranks a meeting waits.

mod door;
mod notice;

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::thread;
use std::time::{Duration, Instant};

use self::door::{Door, Told};
use self::notice::Notice;
use super::frame::{array, malformed, read_text, write_text};
use super::mesh::{Mesh, deadline};
use super::ranks::Ranks;
use super::secret::{Digest, is_same, proof};
use vyre::RankProblem;

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

/// The work of rank 0.
fn host(ranks: &Ranks, is_cuda: bool, until: Instant) -> Result<Vec<Option<TcpStream>>, RankProblem> {
    let listener = listen(&ranks.address).map_err(|error| unmet(ranks, &error))?;
    let mut door = Door::new(listener).map_err(|error| unmet(ranks, &error))?;
    let mut guests: Vec<Guest> = Vec::new();
    let found = gather(ranks, is_cuda, &mut door, until, &mut guests);
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

/// A connection that speaks as a rank.
enum Arrived {
    /// The rank, and the nonces of both sides.
    Rank(Hello, [Nonce; 2]),
    /// A rank of this number, as it says, with another secret.
    Refused(u32),
}

/// Waits for all other ranks. One with another secret may be no rank of this program, so the others are waited for all the same.
fn gather(
    ranks: &Ranks,
    is_cuda: bool,
    door: &mut Door<Option<Nonce>>,
    until: Instant,
    guests: &mut Vec<Guest>,
) -> Result<(), RankProblem> {
    let mut refused = Vec::new();
    let mut notice = Notice::new();
    while guests.len() + 1 < ranks.ranks {
        let known = |rank: &usize| guests.iter().any(|guest| guest.rank as usize == *rank);
        let missing: Vec<usize> = (1..ranks.ranks).filter(|rank| !known(rank)).collect();
        let arrived = door.next(notice.until(until), |own, connection, bytes| {
            welcome(ranks, own, connection, bytes)
        });
        match arrived {
            Some((Arrived::Rank(hello, nonces), connection)) => {
                let timed = connection.set_write_timeout(Some(STEP));
                let Ok(peer) = timed.and_then(|()| connection.peer_addr()) else {
                    continue;
                };
                guests.push(Guest {
                    rank: hello.rank,
                    ranks: hello.ranks,
                    is_cuda: hello.is_cuda,
                    address: SocketAddr::new(peer.ip(), hello.port),
                    connection,
                    nonces,
                });
                check(ranks, is_cuda, guests)?;
            }
            Some((Arrived::Refused(rank), _)) => {
                let rank = rank as usize;
                if missing.contains(&rank) && !refused.contains(&rank) {
                    refused.push(rank);
                }
            }
            None if Instant::now() < until => notice.tell(|| notice::missing(&missing, &refused, &ranks.address)),
            None if missing.iter().any(|rank| refused.contains(rank)) => return Err(RankProblem::Secret),
            None => {
                return Err(RankProblem::Missing {
                    missing,
                    limit: ranks.limit,
                    address: ranks.address.clone(),
                });
            }
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

/// A rank's introduction of itself.
struct Hello {
    rank: u32,
    ranks: u32,
    is_cuda: bool,
    /// On which it listens.
    port: u16,
}

impl Hello {
    const BYTES: usize = 11;

    fn bytes(&self) -> [u8; Hello::BYTES] {
        let mut bytes = [0; Hello::BYTES];
        bytes[..4].copy_from_slice(&self.rank.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.ranks.to_le_bytes());
        bytes[8] = u8::from(self.is_cuda);
        bytes[9..].copy_from_slice(&self.port.to_le_bytes());
        bytes
    }

    fn read(mut from: &[u8]) -> io::Result<Hello> {
        let from = &mut from;
        Ok(Hello {
            rank: u32::from_le_bytes(array(from)?),
            ranks: u32::from_le_bytes(array(from)?),
            is_cuda: array(from)? == [1],
            port: u16::from_le_bytes(array(from)?),
        })
    }
}

/// Recognises a rank by what it has sent. `own` is the nonce that it got.
fn welcome(
    ranks: &Ranks,
    own: &mut Option<Nonce>,
    connection: &mut TcpStream,
    bytes: &[u8],
) -> io::Result<Told<Arrived>> {
    const GREETING: usize = size_of::<Nonce>() + MAGIC.len();
    const ALL: usize = GREETING + Hello::BYTES + size_of::<Digest>();
    if bytes.len() < GREETING {
        return Ok(Told::More(GREETING));
    }
    let mut rest = bytes;
    if array(&mut rest)? != MAGIC {
        return Ok(Told::Stranger);
    }
    let theirs: Nonce = array(&mut rest)?;
    let Some(own) = *own else {
        let nonce = *own.insert(nonce());
        connection.write_all(&[&MAGIC[..], &nonce].concat())?;
        return Ok(Told::More(ALL));
    };
    let nonces = [theirs, own];
    let hello: [u8; Hello::BYTES] = array(&mut rest)?;
    let theirs: Digest = array(&mut rest)?;
    let told = Hello::read(&hello)?;
    if is_same(&proved(ranks, b"hello", &nonces, &hello), &theirs) {
        return Ok(Told::Is(Arrived::Rank(told, nonces)));
    }
    connection.write_all(&[WRONG_SECRET])?;
    Ok(Told::Is(Arrived::Refused(told.rank)))
}

/// The work of another rank than 0.
fn visit(ranks: &Ranks, is_cuda: bool, until: Instant) -> Result<Vec<Option<TcpStream>>, RankProblem> {
    let failed = |error: io::Error| unmet(ranks, &error);
    let told = |error: io::Error| match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => unmet(ranks, &"rank 0 did not answer in time"),
        io::ErrorKind::UnexpectedEof => unmet(ranks, &"rank 0 has ended, or it is another program"),
        _ => unmet(ranks, &error),
    };
    let (mut connection, nonces) = greet(ranks, until).map_err(told)?;
    // On all interfaces, for which of them the others reach is not known here.
    let own = connection.local_addr().map_err(failed)?.ip();
    let any: IpAddr = match own {
        own if own.is_loopback() => own,
        IpAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        IpAddr::V6(_) => std::net::Ipv6Addr::UNSPECIFIED.into(),
    };
    let listener = TcpListener::bind((any, 0)).map_err(failed)?;
    let hello = Hello {
        rank: ranks.rank as u32,
        ranks: ranks.ranks as u32,
        is_cuda,
        port: listener.local_addr().map_err(failed)?.port(),
    };
    let (tag, body) = introduce(ranks, &hello, &mut connection, &nonces, until).map_err(told)?;
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
    let mut notice = Notice::new();
    loop {
        let mut last = io::Error::new(io::ErrorKind::InvalidInput, "the host has no address");
        for found in address.to_socket_addrs()? {
            match try_connect(&found, step(until)) {
                Ok(connection) => return Ok(connection),
                Err(error) => last = error,
            }
        }
        if Instant::now() >= until {
            return Err(last);
        }
        notice.tell(|| format!("nobody listens at {address} yet: {last}"));
        thread::sleep(PAUSE);
    }
}

/// The time for a step that ends before a moment. Sockets refuse to wait for no time at all.
fn step(until: Instant) -> Duration {
    until.saturating_duration_since(Instant::now()).clamp(PAUSE, STEP)
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

/// Connects to rank 0 and exchanges nonces with it. Rank 0 lets connections go where too many have come; then this comes again.
fn greet(ranks: &Ranks, until: Instant) -> io::Result<(TcpStream, [Nonce; 2])> {
    loop {
        let mut connection = connect(&ranks.address, until)?;
        let own = nonce();
        let greeted = (|| {
            connection.set_read_timeout(Some(step(until)))?;
            connection.set_write_timeout(Some(step(until)))?;
            connection.write_all(&[&MAGIC[..], &own].concat())?;
            match array(&mut connection)? == MAGIC {
                true => array(&mut connection),
                false => Err(malformed()),
            }
        })();
        match greeted {
            Ok(theirs) => return Ok((connection, [own, theirs])),
            Err(error) if is_gone(&error) && Instant::now() < until => thread::sleep(PAUSE),
            Err(error) => return Err(error),
        }
    }
}

/// True for the error of a connection that the other side has ended.
fn is_gone(error: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
    matches!(
        error.kind(),
        BrokenPipe | ConnectionAborted | ConnectionReset | UnexpectedEof
    )
}

/// Tells rank 0 who this is, and waits for its answer.
fn introduce(
    ranks: &Ranks,
    hello: &Hello,
    connection: &mut TcpStream,
    nonces: &[Nonce; 2],
    until: Instant,
) -> io::Result<(u8, Vec<u8>)> {
    let hello = hello.bytes();
    let proof = proved(ranks, b"hello", nonces, &hello);
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
    match is_same(&proved(ranks, b"welcome", nonces, &body), &theirs) {
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
    let mut door =
        Door::new(listener.try_clone().map_err(|error| unmet(ranks, &error))?).map_err(|error| unmet(ranks, &error))?;
    while let Some(missing) = (ranks.rank + 1..ranks.ranks).find(|&other| connections[other].is_none()) {
        let found = door.next(until, |(), _, bytes| recognise(bytes, token));
        let Some((other, connection)) = found else {
            return Err(RankProblem::Timeout {
                other: Some(missing),
                operation: "the meeting".to_owned(),
                limit: ranks.limit,
            });
        };
        if other > ranks.rank && other < ranks.ranks {
            connections[other] = Some(connection);
        }
    }
    Ok(connections)
}

/// The rank that has connected, if it knows the token.
fn recognise(bytes: &[u8], token: Nonce) -> io::Result<Told<usize>> {
    const ALL: usize = MAGIC.len() + size_of::<Nonce>() + size_of::<u32>();
    if bytes.len() < ALL {
        return Ok(Told::More(ALL));
    }
    let mut rest = bytes;
    let (magic, theirs): ([u8; 8], Nonce) = (array(&mut rest)?, array(&mut rest)?);
    if magic != MAGIC || theirs != token {
        return Ok(Told::Stranger);
    }
    Ok(Told::Is(u32::from_le_bytes(array(&mut rest)?) as usize))
}

#[cfg(test)]
mod tests;
