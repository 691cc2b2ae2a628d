use std::net::TcpListener;

use super::super::collective::signature;
use super::super::frame::Operation;
use super::*;

/// Two ranks that are linked by TCP.
fn pair() -> [Mesh; 2] {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let one = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let zero = listener.accept().unwrap().0;
    [
        Mesh::tcp(0, vec![None, Some(zero)]).unwrap(),
        Mesh::tcp(1, vec![Some(one), None]).unwrap(),
    ]
}

fn parcel(bytes: usize) -> Parcel {
    (signature::<u8>(Operation::Message, bytes), Arc::new(vec![1; bytes]))
}

const LONG: Duration = Duration::from_secs(60);

/// Others may send for as long as they like.
#[test]
fn nothing_is_kept_for_a_rank_that_has_ended() {
    let [zero, one] = pair();
    let inbox = Arc::downgrade(&zero.inbox);
    // Earlier messages still arrive, after much that the ended rank does not read.
    zero.send(1, parcel(3), LONG).unwrap();
    drop(zero);
    for _ in 0..100 {
        one.send(0, parcel(100_000), LONG).unwrap();
    }
    let until = Instant::now() + LONG;
    while inbox.strong_count() > 0 {
        assert!(Instant::now() < until, "what has come is kept");
        thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(*one.receive(0, &parcel(3).0, LONG).unwrap(), [1; 3]);
    assert_eq!(one.receive(0, &parcel(3).0, LONG), Err(RankProblem::Ended { other: 0 }));
}

#[test]
fn a_time_of_zero_is_no_end_of_the_other() {
    let [zero, one] = pair();
    zero.send(1, parcel(3), Duration::ZERO).unwrap();
    assert_eq!(*one.receive(0, &parcel(3).0, LONG).unwrap(), [1; 3]);
    let late = one.receive(0, &parcel(3).0, Duration::ZERO).unwrap_err();
    assert!(matches!(late, RankProblem::Timeout { other: Some(0), .. }), "{late}");
}
