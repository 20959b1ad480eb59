//! Three servers that elect who leads, with three nodes of a real etcd, under load: leaders and standbys are killed, leaders freeze and wake up, links are cut one way and both, disks are full and hang, the power fails,
//! etcd loses its leader, or goes and comes back. Whatever any client was told, by whomever, is there afterwards; nobody who was replaced shows what is no longer so; in the end all three have the same.
//!
//! Links and disks are real ones as far as the kernel is concerned: network namespaces and mounted files, which take root. Without it, what they are for is left out, and that is said.

mod disk;
mod group;
mod load;
mod net;
mod servers;
mod store;
mod troubles;

use std::path::PathBuf;
use std::time::Duration;

use crate::args;
use crate::clients::build;
use servers::Cluster;
use troubles::Trouble;

/// What to do to them.
pub struct Options {
    /// How often each of [`Trouble::ALL`].
    times: [u32; Trouble::ALL.len()],
    lease: u32,
    seed: u64,
    release: bool,
    power: Power,
}

/// How the power of a disk is cut that all members are on; an empty folder means that it is not.
#[derive(Default)]
struct Power {
    /// The members' folders are made here.
    data: PathBuf,
    /// Shell commands; `{seed}` in them is the cut's number.
    cut: String,
    restore: String,
}

impl Default for Options {
    fn default() -> Options {
        let times = Trouble::ALL.map(|(_, _, usual)| usual);
        Options { times, lease: 3, seed: 1, release: false, power: Power::default() }
    }
}

impl Options {
    /// Reads the command line.
    pub fn parse(args: &[String]) -> Result<Options, String> {
        let mut o = Options::default();
        args::each(args, &["--release"], |name, value| {
            match name {
                "--release" => o.release = true,
                "--lease" => o.lease = value.number()?,
                "--seed" => o.seed = value.number()?,
                "--power-data" => o.power.data = value.text.into(),
                "--power-cut" => o.power.cut = value.text.into(),
                "--power-restore" => o.power.restore = value.text.into(),
                _ => {
                    let Some(n) = Trouble::ALL.iter().position(|(_, option, _)| *option == name) else {
                        return args::unknown(name);
                    };
                    o.times[n] = value.number()?;
                }
            }
            Ok(())
        })?;
        let power = &o.power;
        let given = [!power.data.as_os_str().is_empty(), !power.cut.is_empty(), !power.restore.is_empty()];
        if given.contains(&true) != given.iter().all(|g| *g) {
            return Err("--power-data, --power-cut and --power-restore go together".into());
        }
        if o.times(Trouble::Power) > 0 && !given[0] {
            return Err("--powers needs --power-data, --power-cut and --power-restore".into());
        }
        Ok(o)
    }

    fn times(&self, trouble: Trouble) -> u32 {
        let of = Trouble::ALL.iter().position(|(t, ..)| *t == trouble);
        of.map_or(0, |n| self.times[n])
    }
}

/// Runs everything.
pub fn run(o: &Options) -> Result<(), String> {
    store::ensure()?;
    let program = build(o.release)?;
    let folder = std::env::temp_dir().join(format!("evenkeel-cluster-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
    let mut cluster = Cluster::new(o, program, folder.clone())?;
    let done = cluster.found().and_then(|()| {
        let clients = load::start(&cluster.places, &cluster.told);
        let done = all(&mut cluster, o);
        cluster.told.stop();
        clients.into_iter().for_each(|t| drop(t.join()));
        done.and_then(|()| cluster.judge())
    });
    drop(cluster);
    match &done {
        Ok(()) => _ = std::fs::remove_dir_all(&folder),
        Err(_) => println!("what they said is in {}", folder.display()),
    }
    done
}

/// All that is asked for, in an order by chance.
fn all(cluster: &mut Cluster, o: &Options) -> Result<(), String> {
    let mut list = Vec::new();
    for (n, (what, ..)) in Trouble::ALL.iter().enumerate() {
        if cluster.can(*what) {
            list.extend((0..o.times[n]).map(|_| *what));
        }
    }
    let mut random = crate::pairs::statements::Random::new(o.seed);
    for n in (1..list.len()).rev() {
        list.swap(n, random.below(n as u64 + 1) as usize);
    }
    let mut took: Vec<(String, Duration)> = Vec::new();
    for (n, what) in list.iter().enumerate() {
        cluster.all_follow()?;
        std::thread::sleep(Duration::from_millis(200 + random.below(1000)));
        let (kind, who, waited) = cluster.meet(*what, &mut random)?;
        let facts = cluster.check()?;
        let (n, of, seconds) = (n + 1, list.len(), waited.as_secs_f64());
        println!(
            "cluster: {n} of {of}: {kind}, {who}: {facts} facts told, all there; no write for {seconds:.2} s"
        );
        took.push((kind, waited));
    }
    took.sort();
    for of in took.chunk_by(|a, b| a.0 == b.0) {
        let at = |share: usize| of[(of.len() * share).div_ceil(100).clamp(1, of.len()) - 1].1.as_secs_f64();
        println!(
            "cluster: {}, lease {} s: no write for {:.2} s (p50), {:.2} s (p99), {:.2} s (longest) of {}",
            of[0].0,
            o.lease,
            at(50),
            at(99),
            at(100),
            of.len()
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(args: &[&str]) -> Result<Options, String> {
        Options::parse(&args.iter().map(|a| (*a).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn each_trouble_has_an_option_and_power_needs_three() {
        let o = parse(&["--kills", "7", "--cuts", "2", "--lease", "5"]).unwrap();
        assert_eq!((o.times(Trouble::Kill), o.times(Trouble::Cut), o.lease), (7, 2, 5));
        assert!(parse(&["--kill", "7"]).is_err());
        assert!(parse(&["--powers", "1"]).is_err());
        assert!(parse(&["--power-data", "/d", "--power-cut", "x"]).is_err());
        let all = ["--powers", "1", "--power-data", "/d", "--power-cut", "x", "--power-restore", "y"];
        assert_eq!(parse(&all).unwrap().times(Trouble::Power), 1);
    }
}
