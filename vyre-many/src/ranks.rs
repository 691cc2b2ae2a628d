//! The place of a process among others, as launchers tell it.

use std::env;
use std::fmt;
use std::time::Duration;

use vyre::{Device, Error, RankProblem, Result};

/// The port of rank 0, where nothing names one and all ranks are on one host. That of torchrun's own meetings.
const PORT: u16 = 29400;

/// The time that others have, where nothing says another.
pub(super) const LIMIT: Duration = Duration::from_secs(300);

/// The place of a process among those that work together: its rank, how many there are, and where rank 0 is met.
///
/// ```
/// use vyre_many::{Communicator, Ranks};
///
/// # fn main() -> vyre::Result<()> {
/// let ranks = Ranks::from_env()?; // one rank, unless a launcher has started several
/// let device = ranks.device()?;
/// let communicator = Communicator::new(&device, ranks)?;
/// println!("rank {} of {} on {device}", communicator.rank(), communicator.ranks());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Ranks {
    pub(super) rank: usize,
    pub(super) ranks: usize,
    local: usize,
    pub(super) address: String,
    pub(super) secret: Option<Vec<u8>>,
    pub(super) limit: Duration,
}

/// The variables of a launcher.
struct Launcher {
    rank: &'static str,
    ranks: &'static str,
    local: &'static [&'static str],
    locals: &'static [&'static str],
}

/// The launchers, those first that may run inside of others.
const LAUNCHERS: [Launcher; 4] = [
    // torchrun.
    Launcher {
        rank: "RANK",
        ranks: "WORLD_SIZE",
        local: &["LOCAL_RANK"],
        locals: &["LOCAL_WORLD_SIZE"],
    },
    // mpirun of Open MPI.
    Launcher {
        rank: "OMPI_COMM_WORLD_RANK",
        ranks: "OMPI_COMM_WORLD_SIZE",
        local: &["OMPI_COMM_WORLD_LOCAL_RANK"],
        locals: &["OMPI_COMM_WORLD_LOCAL_SIZE"],
    },
    // mpirun of MPICH and its kin, and other process managers that speak PMI.
    Launcher {
        rank: "PMI_RANK",
        ranks: "PMI_SIZE",
        local: &["MPI_LOCALRANKID", "PMI_LOCAL_RANK"],
        locals: &["MPI_LOCALNRANKS", "PMI_LOCAL_SIZE"],
    },
    // srun.
    Launcher {
        rank: "SLURM_PROCID",
        ranks: "SLURM_NTASKS",
        local: &["SLURM_LOCALID"],
        locals: &[],
    },
];

impl Ranks {
    /// The place that the environment tells, as torchrun, Open MPI, MPICH and other users of PMI, and Slurm set it; without
    /// any of these, the only rank.
    ///
    /// - `VYRE_ADDRESS` is host and port of rank 0. Without it these are `MASTER_ADDR` and `MASTER_PORT`, else the first node
    ///   of Slurm, else this host if all ranks are on it. Where the agent of torchrun keeps its port for itself, the next one
    ///   is taken.
    /// - `VYRE_SECRET` is a text that all ranks must have. It is not sent, and what ranks send is not encrypted.
    /// - `VYRE_TIMEOUT` is the time in seconds that ranks wait for others (300).
    ///
    /// ```
    /// use vyre_many::Ranks;
    ///
    /// # fn main() -> vyre::Result<()> {
    /// // `torchrun --nproc-per-node 4 ..`, `mpirun -n 4 ..` and `srun -n 4 ..` give 0 to 3 here.
    /// println!("rank {}", Ranks::from_env()?.rank());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`RankProblem::Variable`] for variables that are no numbers or do not fit each other, or if nothing tells where
    /// rank 0 is.
    pub fn from_env() -> Result<Ranks> {
        Ranks::read(&|name| env::var_os(name).map(|value| value.to_string_lossy().into_owned()))
    }

    /// A place that something else has told.
    ///
    /// ```
    /// use vyre_many::Ranks;
    ///
    /// let ranks = Ranks::new(2, 4, "node1:29400");
    /// assert_eq!((ranks.rank(), ranks.ranks()), (2, 4));
    /// ```
    pub fn new(rank: usize, ranks: usize, address: &str) -> Ranks {
        Ranks {
            rank,
            ranks,
            local: rank,
            address: address.to_owned(),
            secret: None,
            limit: LIMIT,
        }
    }

    /// Waits so long for other ranks, at the meeting and in each operation.
    ///
    /// ```
    /// use std::time::Duration;
    /// use vyre_many::{Communicator, Ranks};
    /// use vyre::{Device, Error, RankProblem};
    ///
    /// // Nobody else comes.
    /// let alone = Ranks::new(0, 2, "127.0.0.1:0").timeout(Duration::from_millis(50));
    /// let Err(Error::Ranks { problem, .. }) = Communicator::new(&Device::cpu(), alone) else { panic!() };
    /// assert!(matches!(*problem, RankProblem::Missing { .. }));
    /// ```
    #[must_use]
    pub fn timeout(mut self, limit: Duration) -> Ranks {
        self.limit = limit;
        self
    }

    /// Meets only ranks that have the same secret.
    ///
    /// ```
    /// use vyre_many::Ranks;
    ///
    /// let ranks = Ranks::new(0, 4, "node1:29400").secret("of this job");
    /// assert!(!format!("{ranks:?}").contains("of this job"));
    /// ```
    #[must_use]
    pub fn secret(mut self, secret: &str) -> Ranks {
        self.secret = Some(secret.as_bytes().to_vec());
        self
    }

    /// The number of this one, from 0.
    ///
    /// ```
    /// assert_eq!(vyre_many::Ranks::new(2, 4, "node1:29400").rank(), 2);
    /// ```
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// The number of all.
    ///
    /// ```
    /// assert_eq!(vyre_many::Ranks::new(2, 4, "node1:29400").ranks(), 4);
    /// ```
    pub fn ranks(&self) -> usize {
        self.ranks
    }

    /// The device of this rank on its host: the CUDA device with the number that the rank has among those of the host, or the
    /// only one that `CUDA_VISIBLE_DEVICES` shows, as `srun --gpus-per-task 1` does it. The CPU if the host has no CUDA device.
    ///
    /// ```
    /// # fn main() -> vyre::Result<()> {
    /// let device = vyre_many::Ranks::from_env()?.device()?;
    /// println!("{device}");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`RankProblem::NoDevice`] if the host has fewer devices, and those of [`Device::cuda`].
    pub fn device(&self) -> Result<Device> {
        let backends = Device::backends();
        let count = backends
            .iter()
            .find(|one| one.name == "cuda")
            .map_or(0, |one| one.devices);
        let is_chosen = env::var_os("CUDA_VISIBLE_DEVICES").is_some();
        match self.local_device(count, is_chosen)? {
            Some(index) => Device::cuda(index),
            None => Ok(Device::cpu()),
        }
    }

    /// The number of the CUDA device of this rank, on a host that shows so many, all of them or those that were chosen for it.
    fn local_device(&self, devices: usize, is_chosen: bool) -> Result<Option<usize>> {
        match devices {
            0 => Ok(None),
            1 if is_chosen => Ok(Some(0)),
            _ if self.local < devices => Ok(Some(self.local)),
            _ => Err(self.error(RankProblem::NoDevice {
                local: self.local,
                devices,
            })),
        }
    }

    pub(super) fn error(&self, problem: RankProblem) -> Error {
        Error::Ranks {
            rank: self.rank,
            ranks: self.ranks,
            problem: Box::new(problem),
        }
    }

    fn read(variable: &dyn Fn(&str) -> Option<String>) -> Result<Ranks> {
        let mut ranks = Ranks::new(0, 1, "");
        let wrong = |name: &str, wanted: &str| Error::Ranks {
            rank: 0,
            ranks: 1,
            problem: Box::new(RankProblem::Variable {
                name: name.to_owned(),
                value: variable(name),
                wanted: wanted.to_owned(),
            }),
        };
        let number = |name: &str| match variable(name) {
            None => Ok(None),
            Some(value) => match value.parse::<usize>() {
                Ok(number) => Ok(Some(number)),
                Err(_) => Err(wrong(name, "a number")),
            },
        };
        let first = |names: &[&'static str]| -> Result<Option<(&'static str, usize)>> {
            for &name in names {
                if let Some(number) = number(name)? {
                    return Ok(Some((name, number)));
                }
            }
            Ok(None)
        };
        if let Some(seconds) = variable("VYRE_TIMEOUT") {
            let parsed = seconds.parse::<f64>().ok();
            let limit = parsed.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
            ranks.limit = limit.ok_or_else(|| wrong("VYRE_TIMEOUT", "a number of seconds"))?;
        }
        ranks.secret = variable("VYRE_SECRET").map(String::into_bytes);
        let is_set = |launcher: &&Launcher| variable(launcher.rank).is_some() || variable(launcher.ranks).is_some();
        let Some(launcher) = LAUNCHERS.iter().find(is_set) else {
            return Ok(ranks);
        };
        let needed =
            "the number of this rank, from 0, or that of all ranks; start the program by torchrun, mpirun or srun";
        ranks.rank = number(launcher.rank)?.ok_or_else(|| wrong(launcher.rank, needed))?;
        ranks.ranks = number(launcher.ranks)?.ok_or_else(|| wrong(launcher.ranks, needed))?;
        if ranks.ranks == 0 {
            return Err(wrong(launcher.ranks, "at least 1"));
        }
        if ranks.rank >= ranks.ranks {
            return Err(wrong(
                launcher.rank,
                &format!("less than {} = {}", launcher.ranks, ranks.ranks),
            ));
        }
        let local = first(launcher.local)?;
        let locals = first(launcher.locals)?;
        ranks.local = local.map_or(ranks.rank, |(_, local)| local);
        if let (Some((name, local)), Some((of, locals))) = (local, locals)
            && local >= locals
        {
            return Err(wrong(name, &format!("less than {of} = {locals}")));
        }
        if ranks.ranks > 1 {
            let is_one_host = locals.is_some_and(|(_, locals)| locals == ranks.ranks);
            ranks.address = address(variable, is_one_host, &number, &wrong)?
                .ok_or_else(|| wrong("VYRE_ADDRESS", "host:port of rank 0, as the ranks are on several hosts"))?;
        }
        Ok(ranks)
    }
}

/// The address of rank 0.
fn address(
    variable: &dyn Fn(&str) -> Option<String>,
    is_one_host: bool,
    number: &dyn Fn(&str) -> Result<Option<usize>>,
    wrong: &dyn Fn(&str, &str) -> Error,
) -> Result<Option<String>> {
    /// The ports for jobs of Slurm: below those that systems give out by themselves, from 32768 on Linux.
    const FIRST: usize = 20000;
    const PORTS: usize = 12000;
    if let Some(address) = variable("VYRE_ADDRESS") {
        return Ok(Some(address));
    }
    if let Some(host) = variable("MASTER_ADDR") {
        let port = number("MASTER_PORT")?.map_or(Ok(PORT), |port| {
            u16::try_from(port).map_err(|_| wrong("MASTER_PORT", "a port, up to 65535"))
        })?;
        let is_taken = variable("TORCHELASTIC_USE_AGENT_STORE").is_some_and(|value| value.eq_ignore_ascii_case("true"));
        return Ok(Some(join(&host, usize::from(port) + usize::from(is_taken))));
    }
    let nodes = variable("SLURM_STEP_NODELIST").or_else(|| variable("SLURM_JOB_NODELIST"));
    if let Some(node) = nodes.as_deref().and_then(first_node) {
        let job = number("SLURM_JOB_ID")?.unwrap_or(0);
        return Ok(Some(join(&node, FIRST + job % PORTS)));
    }
    Ok(is_one_host.then(|| join("127.0.0.1", usize::from(PORT))))
}

fn join(host: &str, port: usize) -> String {
    match host.contains(':') {
        true => format!("[{host}]:{port}"),
        false => format!("{host}:{port}"),
    }
}

/// The first node of a list of Slurm: `gpu03` of `gpu[03-05,09],login1`.
fn first_node(list: &str) -> Option<String> {
    let end = list.find([',', '[']).unwrap_or(list.len());
    let (name, rest) = list.split_at(end);
    let Some(numbers) = rest.strip_prefix('[') else {
        return (!name.is_empty()).then(|| name.to_owned());
    };
    let number = &numbers[..numbers.find(['-', ',', ']'])?];
    let after = &numbers[numbers.find(']')? + 1..];
    let suffix = &after[..after.find(',').unwrap_or(after.len())];
    Some(format!("{name}{number}{suffix}"))
}

impl fmt::Debug for Ranks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Ranks({} of {} by {})", self.rank, self.ranks, self.address)
    }
}

#[cfg(test)]
mod tests;
