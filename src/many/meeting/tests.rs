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
