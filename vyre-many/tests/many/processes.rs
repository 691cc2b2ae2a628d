//! Ranks that are processes, as launchers start them.

use std::io::Read;
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, thread};

use vyre::Result;
use vyre::prelude::*;
use vyre_many::{Communicator, Ranks, Reduction};
use vyre_test_support::address::free_address;

use crate::{LONG, within};

/// What a process of [`rank_of_another_test`] does. The text goes to the test that has started it.
fn act(role: &str) -> Result<String> {
    let ranks = Ranks::from_env()?;
    let own = Communicator::new(&Device::cpu(), ranks)?;
    let mut x = own.device().upload(&[own.rank() as f32 + 0.5; 1000])?;
    own.all_reduce(&mut x, Reduction::Sum)?;
    match role {
        "sum" => {}
        "killed" => {
            // In the middle of a collective for the others.
            if own.rank() == 1 {
                println!("READY");
                loop {
                    thread::sleep(Duration::from_secs(1));
                }
            }
            own.all_reduce(&mut x, Reduction::Sum)?;
        }
        "lengths" => {
            let mut y = own.device().zeros::<f32>(1 + own.rank())?;
            own.all_reduce(&mut y, Reduction::Sum)?;
        }
        other => panic!("{other}"),
    }
    // Not all bytes are values of this type: ranks hold its identity against each other.
    let mut is_first = own.device().upload(&[own.rank() == 0])?;
    own.broadcast(&mut is_first, 0)?;
    assert!(is_first.download()?[0]);
    // A ring, too: all pairs are linked.
    let (left, right) = (
        (own.rank() + own.ranks() - 1) % own.ranks(),
        (own.rank() + 1) % own.ranks(),
    );
    let mut theirs = own.device().zeros::<u64>(1)?;
    let mine = own.device().upload(&[own.rank() as u64])?;
    own.group().receive(&mut theirs, left).send(&mine, right).run()?;
    assert_eq!(theirs.download()?, [left as u64]);
    Ok(format!("{}", x.download()?[999]))
}

/// A rank that another test starts; nothing by itself.
#[test]
fn rank_of_another_test() {
    if let Ok(role) = env::var("VYRE_TEST_ROLE") {
        match act(&role) {
            Ok(text) => println!("FOUND {text}"),
            Err(error) => println!("ERROR {error}"),
        }
    }
}

/// A process that is killed at the end of its test.
struct Process(Child);

impl Process {
    fn start(role: &str, variables: &[(&str, &str)]) -> Process {
        let mut command = Command::new(env::current_exe().unwrap());
        command.args([
            "--exact",
            "processes::rank_of_another_test",
            "--nocapture",
            "--test-threads=1",
        ]);
        for (name, _) in env::vars().filter(|(name, _)| is_of_launcher(name)) {
            command.env_remove(name);
        }
        command.env("VYRE_TEST_ROLE", role).envs(variables.iter().copied());
        Process(command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap())
    }

    /// The line of the rank, once it has ended.
    fn line(mut self) -> String {
        let mut text = String::new();
        self.0.stdout.take().unwrap().read_to_string(&mut text).unwrap();
        let line = text.lines().find_map(|line| {
            let at = line.find("FOUND").or_else(|| line.find("ERROR"))?;
            Some(line[at..].to_owned())
        });
        line.unwrap_or_else(|| panic!("{text}"))
    }

    /// Waits for the mark that the rank prints.
    fn ready(&mut self) {
        let (mut seen, mut byte) = (Vec::new(), [0]);
        let out = self.0.stdout.as_mut().unwrap();
        while !seen.ends_with(b"READY") {
            out.read_exact(&mut byte).unwrap();
            seen.push(byte[0]);
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

fn is_of_launcher(name: &str) -> bool {
    ["VYRE_", "OMPI_", "PMI_", "MPI_", "SLURM_", "MASTER_"]
        .iter()
        .any(|prefix| name.starts_with(prefix))
        || ["RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"].contains(&name)
}

/// The variables of a rank, as Open MPI sets them.
fn ompi(rank: usize, ranks: usize, address: &str) -> Vec<(&'static str, String)> {
    vec![
        ("OMPI_COMM_WORLD_RANK", rank.to_string()),
        ("OMPI_COMM_WORLD_SIZE", ranks.to_string()),
        ("VYRE_ADDRESS", address.to_owned()),
        ("VYRE_TIMEOUT", "60".to_owned()),
    ]
}

fn start(role: &str, variables: &[(&'static str, String)], more: &[(&str, &str)]) -> Process {
    let own = variables.iter().map(|(name, value)| (*name, value.as_str()));
    Process::start(role, &own.chain(more.iter().copied()).collect::<Vec<_>>())
}

fn lines(processes: Vec<Process>) -> Vec<String> {
    processes.into_iter().map(Process::line).collect()
}

#[test]
fn processes_work_together() {
    within(LONG, || {
        let address = free_address();
        let secret = [("VYRE_SECRET", "of this test")];
        let processes = (0..3).map(|rank| start("sum", &ompi(rank, 3, &address), &secret));
        assert_eq!(lines(processes.collect()), ["FOUND 4.5"; 3]);
    });
}

#[test]
fn ranks_come_in_any_order_among_strangers() {
    within(LONG, || {
        let address = free_address();
        let (host, port) = address.split_once(':').unwrap();
        // As torchrun sets them.
        let rank = |rank: usize| {
            let text = rank.to_string();
            let variables = [
                ("WORLD_SIZE", "3"),
                ("MASTER_ADDR", host),
                ("MASTER_PORT", port),
                ("RANK", &text),
            ];
            Process::start("sum", &variables)
        };
        let second = rank(2);
        thread::sleep(Duration::from_millis(300));
        let zero = rank(0);
        // One that says nothing, and one that says something else.
        let silent = connect(&address);
        std::io::Write::write_all(&mut connect(&address), b"GET / HTTP/1.1\r\nHost: none\r\n\r\n").unwrap();
        assert_eq!(lines(vec![zero, rank(1), second]), ["FOUND 4.5"; 3]);
        drop(silent);
    });
}

fn connect(address: &str) -> TcpStream {
    let started = Instant::now();
    loop {
        match TcpStream::connect(address) {
            Ok(connection) => return connection,
            Err(error) => assert!(started.elapsed() < LONG, "{error}"),
        }
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_killed_process_is_an_error_on_all_others() {
    within(LONG, || {
        let address = free_address();
        let mut processes: Vec<_> = (0..3)
            .map(|rank| start("killed", &ompi(rank, 3, &address), &[]))
            .collect();
        let mut victim = processes.remove(1);
        victim.ready();
        thread::sleep(Duration::from_millis(300));
        let killed = Instant::now();
        drop(victim);
        for line in lines(processes) {
            assert!(
                line.starts_with("ERROR ") && line.contains("rank 1 has ended"),
                "{line}"
            );
        }
        assert!(killed.elapsed() < Duration::from_secs(20), "{:?}", killed.elapsed());
    });
}

#[test]
fn lengths_that_differ_are_errors_between_processes() {
    within(LONG, || {
        let address = free_address();
        let processes = (0..3).map(|rank| start("lengths", &ompi(rank, 3, &address), &[]));
        let lines = lines(processes.collect());
        assert!(lines.iter().all(|line| line.starts_with("ERROR ")), "{lines:?}");
        assert!(
            lines
                .iter()
                .any(|line| line.contains("this rank calls `all_reduce` by Sum of")),
            "{lines:?}"
        );
    });
}

#[test]
fn missing_ranks_are_named() {
    within(LONG, || {
        let address = free_address();
        let limit = [("VYRE_TIMEOUT", "1.5")];
        let processes = [0, 2].map(|rank| start("sum", &ompi(rank, 4, &address), &limit));
        let lines = lines(processes.into());
        let expected = format!("ranks 1, 3 did not come to {address} within 1.5s");
        assert!(
            lines
                .iter()
                .all(|line| line.starts_with("ERROR ") && line.contains(&expected)),
            "{lines:?}"
        );
        // And where rank 0 itself is missing.
        let alone = start("sum", &ompi(1, 2, &address), &limit).line();
        assert!(
            alone.contains(&format!("the ranks cannot meet at {address}")),
            "{alone}"
        );
    });
}

#[test]
fn doubled_ranks_and_other_numbers_of_ranks_are_refused() {
    within(LONG, || {
        let address = free_address();
        let doubled = [0, 1, 1].map(|rank| start("sum", &ompi(rank, 3, &address), &[]));
        for line in lines(doubled.into()) {
            assert!(
                line.starts_with("ERROR ") && line.contains("several processes are rank 1"),
                "{line}"
            );
        }
        let address = free_address();
        let firsts = [0, 0].map(|rank| start("sum", &ompi(rank, 2, &address), &[("VYRE_TIMEOUT", "1.5")]));
        let lines_of_firsts = lines(firsts.into());
        let count = |part: &str| lines_of_firsts.iter().filter(|line| line.contains(part)).count();
        assert_eq!(
            (
                count("rank 1 did not come"),
                count("see whether rank 0 was started, once")
            ),
            (1, 1),
            "{lines_of_firsts:?}"
        );
        let address = free_address();
        let sizes = [(0, 2), (1, 3)].map(|(rank, ranks)| start("sum", &ompi(rank, ranks, &address), &[]));
        for line in lines(sizes.into()) {
            assert!(
                line.starts_with("ERROR ") && line.contains("rank 1 was started as one of 3"),
                "{line}"
            );
        }
    });
}

#[test]
fn ranks_without_the_secret_are_refused() {
    within(LONG, || {
        let address = free_address();
        let limit = ("VYRE_TIMEOUT", "3");
        let zero = start("sum", &ompi(0, 2, &address), &[limit, ("VYRE_SECRET", "right")]);
        let wrong = start("sum", &ompi(1, 2, &address), &[limit, ("VYRE_SECRET", "wrong")]).line();
        assert!(wrong.contains("another rank has another secret"), "{wrong}");
        let none = start("sum", &ompi(1, 2, &address), &[limit]).line();
        assert!(none.contains("another rank has another secret"), "{none}");
        let zero = zero.line();
        assert!(zero.contains("another rank has another secret"), "{zero}");
    });
}
