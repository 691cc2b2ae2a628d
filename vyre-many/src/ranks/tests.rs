use super::*;

fn read(variables: &[(&str, &str)]) -> Result<Ranks> {
    Ranks::read(&|name| {
        let found = variables.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| (*value).to_owned())
    })
}

#[test]
fn launchers_are_understood() {
    let torchrun = [
        ("RANK", "5"),
        ("WORLD_SIZE", "8"),
        ("LOCAL_RANK", "1"),
        ("LOCAL_WORLD_SIZE", "4"),
        ("MASTER_ADDR", "10.0.0.7"),
        ("MASTER_PORT", "29500"),
    ];
    let ompi = [
        ("OMPI_COMM_WORLD_RANK", "1"),
        ("OMPI_COMM_WORLD_SIZE", "2"),
        ("OMPI_COMM_WORLD_LOCAL_RANK", "1"),
        ("OMPI_COMM_WORLD_LOCAL_SIZE", "2"),
        // The batch step in which mpirun runs.
        ("SLURM_PROCID", "0"),
        ("SLURM_NTASKS", "2"),
    ];
    let pmi = [
        ("PMI_RANK", "3"),
        ("PMI_SIZE", "4"),
        ("MPI_LOCALRANKID", "3"),
        ("MPI_LOCALNRANKS", "4"),
        ("VYRE_ADDRESS", "fe80::1:700"),
    ];
    let slurm = [
        ("SLURM_PROCID", "3"),
        ("SLURM_NTASKS", "4"),
        ("SLURM_LOCALID", "1"),
        ("SLURM_STEP_NODELIST", "gpu[03-05,09],login1"),
        ("SLURM_JOB_ID", "123456"),
    ];
    let cases: [(&[_], _, _); 4] = [
        (&torchrun, (5, 8, 1), "10.0.0.7:29500"),
        (&ompi, (1, 2, 1), "127.0.0.1:29400"),
        (&pmi, (3, 4, 3), "fe80::1:700"),
        (&slurm, (3, 4, 1), "gpu03:23456"),
    ];
    for (variables, place, address) in cases {
        let ranks = read(variables).unwrap();
        assert_eq!((ranks.rank, ranks.ranks, ranks.local), place);
        assert_eq!(ranks.address, address);
        assert_eq!(ranks.limit, LIMIT);
    }
    let mut shared = torchrun.to_vec();
    shared.extend([("TORCHELASTIC_USE_AGENT_STORE", "True"), ("VYRE_TIMEOUT", "2.5")]);
    shared.push(("VYRE_SECRET", "s"));
    let ranks = read(&shared).unwrap();
    assert_eq!(ranks.address, "10.0.0.7:29501");
    assert_eq!(
        (ranks.limit, ranks.secret.as_deref()),
        (Duration::from_millis(2500), Some(&b"s"[..]))
    );
    let alone = read(&[]).unwrap();
    assert_eq!((alone.rank, alone.ranks, alone.local), (0, 1, 0));
}

#[test]
fn wrong_variables_are_named() {
    let cases: [(&[_], &str); 9] = [
        (&[("RANK", "1")], "the variable WORLD_SIZE is not set, and should be"),
        (&[("WORLD_SIZE", "2")], "the variable RANK is not set"),
        (
            &[("RANK", "one"), ("WORLD_SIZE", "2")],
            "the variable RANK is `one`, and should be a number",
        ),
        (
            &[("RANK", "0"), ("WORLD_SIZE", "0")],
            "WORLD_SIZE is `0`, and should be at least 1",
        ),
        (
            &[("RANK", "2"), ("WORLD_SIZE", "2")],
            "RANK is `2`, and should be less than WORLD_SIZE = 2",
        ),
        (
            &[
                ("RANK", "2"),
                ("WORLD_SIZE", "4"),
                ("LOCAL_RANK", "2"),
                ("LOCAL_WORLD_SIZE", "2"),
            ],
            "LOCAL_RANK is `2`, and should be less than LOCAL_WORLD_SIZE = 2",
        ),
        (
            &[("PMI_RANK", "1"), ("PMI_SIZE", "2")],
            "VYRE_ADDRESS is not set, and should be host:port of rank 0",
        ),
        (
            &[
                ("RANK", "1"),
                ("WORLD_SIZE", "2"),
                ("MASTER_ADDR", "a"),
                ("MASTER_PORT", "18446744073709551615"),
                ("TORCHELASTIC_USE_AGENT_STORE", "True"),
            ],
            "MASTER_PORT is `18446744073709551615`, and should be a port",
        ),
        (
            &[("VYRE_TIMEOUT", "-1")],
            "VYRE_TIMEOUT is `-1`, and should be a number of seconds",
        ),
    ];
    for (variables, expected) in cases {
        let error = read(variables).unwrap_err().to_string();
        // Without the number of a rank, which they would tell.
        let is_right = error.starts_with("the variable ") && error.contains(expected);
        assert!(is_right, "{error}");
    }
}

#[test]
fn nodes_of_slurm_are_read() {
    let lists = [
        ("n1", Some("n1")),
        ("n1,n2", Some("n1")),
        ("gpu[07]", Some("gpu07")),
        ("gpu[3,5-7]", Some("gpu3")),
        ("rack[1-2]-a,rack3", Some("rack1-a")),
        ("", None),
        ("gpu[3", None),
    ];
    for (list, first) in lists {
        assert_eq!(first_node(list).as_deref(), first, "{list}");
    }
}

#[test]
fn devices_are_those_of_the_host() {
    let slurm = [
        ("SLURM_PROCID", "6"),
        ("SLURM_NTASKS", "8"),
        ("SLURM_LOCALID", "2"),
        ("VYRE_ADDRESS", "a:1"),
    ];
    let ranks = read(&slurm).unwrap();
    assert_eq!(ranks.local_device(0, false).unwrap(), None);
    assert_eq!(ranks.local_device(4, false).unwrap(), Some(2));
    assert_eq!(ranks.local_device(4, true).unwrap(), Some(2));
    // Each rank is shown one of its own.
    assert_eq!(ranks.local_device(1, true).unwrap(), Some(0));
    assert!(ranks.local_device(1, false).is_err());
    let error = ranks.local_device(2, true).unwrap_err().to_string();
    assert!(
        error.starts_with("rank 6 of 8: it is number 2 on its host, from 0, which has 2 CUDA devices; start no more"),
        "{error}"
    );
}
