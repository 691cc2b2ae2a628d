use super::*;

/// As many tries as a rank makes in the default time. Linux gives even ports to connections.
#[test]
fn a_connection_does_not_meet_itself() {
    let is_free = |port: &u16| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok();
    let port = (40_000..50_000).step_by(2).find(is_free).unwrap();
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    for _ in 0..30_000 {
        if let Ok(connection) = try_connect(&address, STEP) {
            // That of another program, at best.
            assert_ne!(connection.local_addr().unwrap(), connection.peer_addr().unwrap());
        }
    }
}

fn a_rank(rank: usize, ranks: usize, limit: Duration) -> Ranks {
    Ranks::new(rank, ranks, "127.0.0.1:1").timeout(limit)
}

fn loopback() -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = listener.local_addr().unwrap();
    (listener, address)
}

fn connections(address: SocketAddr, count: usize) -> Vec<TcpStream> {
    (0..count).map(|_| TcpStream::connect(address).unwrap()).collect()
}

/// Connections to a rank above 0, before the rank that it waits for comes.
#[test]
fn strangers_do_not_hold_a_link() {
    let limit = Duration::from_secs(5);
    for strangers in [3, 60] {
        let (listener, address) = loopback();
        let idle = connections(address, strangers.min(20));
        let ranks = a_rank(1, 3, limit);
        let token = nonce();
        let linked = thread::spawn(move || {
            let began = Instant::now();
            let linked = link(&ranks, token, "", &listener, deadline(limit));
            (linked, began.elapsed())
        });
        // While it waits.
        let more = connections(address, strangers - idle.len());
        let talkers = connections(address, 3);
        for mut talker in &talkers {
            talker.write_all(b"GET / HTTP/1.1\r\nHost: none\r\n\r\n").unwrap();
        }
        let mut next = TcpStream::connect(address).unwrap();
        // In two pieces, as a network may deliver it.
        next.write_all(&[&MAGIC[..], &token].concat()).unwrap();
        thread::sleep(Duration::from_millis(30));
        next.write_all(&2u32.to_le_bytes()).unwrap();
        let (linked, took) = linked.join().unwrap();
        let linked = linked.unwrap();
        assert_eq!(
            linked[2].as_ref().unwrap().peer_addr().unwrap(),
            next.local_addr().unwrap()
        );
        assert!(took < limit, "{took:?}");
        drop((idle, more));
    }
}

/// A rank that does not come is an error at the deadline, whoever else is there.
#[test]
fn strangers_do_not_delay_a_deadline() {
    let limit = Duration::from_millis(400);
    let (listener, address) = loopback();
    let idle = connections(address, 3);
    let began = Instant::now();
    let problem = link(&a_rank(1, 3, limit), nonce(), "", &listener, deadline(limit)).unwrap_err();
    assert!(
        matches!(problem, RankProblem::Timeout { other: Some(2), .. }),
        "{problem}"
    );
    assert!(began.elapsed() < 5 * limit, "{:?}", began.elapsed());
    drop(idle);
    // One that waits for an answer of rank 0, where another program listens that says nothing.
    let (_silent, address) = loopback();
    let ranks = Ranks::new(1, 2, &address.to_string()).timeout(limit);
    let began = Instant::now();
    let problem = meet(&ranks, false).unwrap_err();
    assert!(matches!(problem, RankProblem::Meeting { .. }), "{problem}");
    assert!(began.elapsed() < 5 * limit, "{:?}", began.elapsed());
}

/// Many connections that say nothing, before and while the ranks meet.
#[test]
fn a_flood_of_strangers_does_not_keep_ranks_from_meeting() {
    let limit = Duration::from_secs(20);
    let (listener, address) = loopback();
    drop(listener);
    let flood = thread::spawn(move || {
        let mut idle = Vec::new();
        while idle.len() < 300 {
            match TcpStream::connect(address) {
                Ok(connection) => idle.push(connection),
                Err(_) => thread::sleep(PAUSE),
            }
        }
        idle
    });
    let began = Instant::now();
    let ranks = (0..3).map(|rank| {
        let ranks = Ranks::new(rank, 3, &address.to_string()).timeout(limit);
        thread::spawn(move || {
            thread::sleep(Duration::from_millis(200 * rank as u64));
            meet(&ranks, false).map(drop)
        })
    });
    for rank in ranks.collect::<Vec<_>>() {
        rank.join().unwrap().unwrap();
    }
    assert!(began.elapsed() < limit, "{:?}", began.elapsed());
    drop(flood);
}

/// The rank with another secret is told so at once, and rank 0 at the end of its time.
#[test]
fn another_secret_is_told_on_both_sides() {
    let (listener, address) = loopback();
    drop(listener);
    let limit = Duration::from_secs(1);
    let rank = |number, secret| {
        let ranks = Ranks::new(number, 3, &address.to_string())
            .timeout(limit)
            .secret(secret);
        thread::spawn(move || meet(&ranks, false).map(drop))
    };
    let ranks = [rank(0, "right"), rank(1, "right"), rank(2, "wrong")];
    let found = ranks.map(|one| one.join().unwrap().unwrap_err());
    assert_eq!(
        (&found[0], &found[2]),
        (&RankProblem::Secret, &RankProblem::Secret),
        "{found:?}"
    );
    assert!(found[1].to_string().contains("has another secret"), "{found:?}");
}

/// A stranger that guesses at secrets does not end the meeting of those who know it.
#[test]
fn a_wrong_secret_does_not_end_a_meeting() {
    let (listener, address) = loopback();
    drop(listener);
    let rank = |number, secret, limit| {
        let ranks = Ranks::new(number, 2, &address.to_string())
            .timeout(limit)
            .secret(secret);
        thread::spawn(move || meet(&ranks, false).map(drop))
    };
    let zero = rank(0, "right", Duration::from_secs(20));
    let wrong = rank(1, "wrong", Duration::from_secs(20)).join().unwrap();
    assert_eq!(wrong, Err(RankProblem::Secret));
    let one = rank(1, "right", Duration::from_secs(20));
    assert_eq!([zero, one].map(|one| one.join().unwrap()), [Ok(()), Ok(())]);
}

#[test]
fn what_is_waited_for_is_named() {
    assert_eq!(
        notice::missing(&[3], &[], "node1:29400"),
        "waiting for rank 3 at node1:29400"
    );
    assert_eq!(
        notice::missing(&[1, 3], &[3, 2], "node1:29400"),
        "waiting for ranks 1, 3 at node1:29400; rank 3 came with another secret"
    );
    let all: Vec<usize> = (1..100).collect();
    assert!(notice::missing(&all, &[], "node1:29400").contains("15, 16, .. at"));
    let notice = Notice::new();
    let soon = Instant::now() + Duration::from_millis(5);
    assert_eq!(notice.until(soon), soon);
    assert!(notice.until(soon + LIMIT_OF_TESTS) < soon + LIMIT_OF_TESTS);
}

const LIMIT_OF_TESTS: Duration = Duration::from_secs(60);
