//! What is done to a cluster, and what must hold meanwhile. Each says for how long nobody could write.

use std::time::{Duration, Instant};

use super::load::PATIENCE;
use super::servers::{Cluster, LONG, MEMBERS, NAMES};
use super::store::NODES;
use crate::cuts::shell;
use crate::pairs::statements::Random;
use crate::pairs::wire::Client;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Trouble {
    /// kill -9 of the leader.
    Kill,
    /// kill -9 of a standby, in the midst of its replay.
    Standby,
    /// The leader is frozen beyond its lease, and wakes up.
    Freeze,
    /// All of etcd is killed, and comes back when all leases are over.
    Stores,
    /// kill -9 of etcd's leader.
    StoreLeader,
    /// Of etcd's leader and of ours.
    Both,
    /// Links are cut: each of [`LINKS`] in turn.
    Cut,
    /// A standby's disk is full, and has room again.
    Full,
    /// The leader's disk takes no write any more, for a while.
    Hang,
    /// The power of all members' disk is cut.
    Power,
}

impl Trouble {
    /// With the options that say how often, and how often it is without them.
    pub const ALL: [(Trouble, &str, u32); 10] = [
        (Trouble::Kill, "--kills", 3),
        (Trouble::Standby, "--standbys", 1),
        (Trouble::Freeze, "--freezes", 1),
        (Trouble::Stores, "--stores", 1),
        (Trouble::StoreLeader, "--store-leaders", 1),
        (Trouble::Both, "--both", 1),
        (Trouble::Cut, "--cuts", 3),
        (Trouble::Full, "--full", 1),
        (Trouble::Hang, "--hangs", 1),
        (Trouble::Power, "--powers", 0),
    ];
}

/// Who is at the ends of links.
#[derive(Clone, Copy)]
enum End {
    Leader,
    /// Both of them.
    Standbys,
    OneStandby,
    /// All nodes.
    Store,
    StoreLeader,
    /// Its other nodes.
    StoreOthers,
}

/// What is cut: from, to, and whether the other way as well.
const LINKS: [(&str, End, &[End], bool); 9] = [
    ("from the leader to the standbys", End::Leader, &[End::Standbys], false),
    ("from the leader to etcd", End::Leader, &[End::Store], false),
    ("between the leader and the standbys", End::Leader, &[End::Standbys], true),
    ("from the standbys to the leader", End::Standbys, &[End::Leader], false),
    ("between the leader and all others", End::Leader, &[End::Standbys, End::Store], true),
    ("from etcd to the leader", End::Store, &[End::Leader], false),
    ("between the leader and etcd", End::Leader, &[End::Store], true),
    ("between etcd's leader and its nodes", End::StoreLeader, &[End::StoreOthers], true),
    ("between the leader and one standby", End::Leader, &[End::OneStandby], true),
];

impl Cluster<'_> {
    /// Gives what it was, who was concerned, and for how long nobody could write.
    pub fn meet(
        &mut self,
        what: Trouble,
        random: &mut Random,
    ) -> Result<(String, &'static str, Duration), String> {
        let leader = self.leader()?;
        let standby = (leader + 1 + random.below(2) as usize) % MEMBERS;
        self.told.watch();
        let (kind, who, took) = match what {
            Trouble::Kill => ("kill -9 of the leader", leader, self.kill(leader)?),
            Trouble::Standby => ("kill -9 of a standby", standby, self.kill_standby(standby)?),
            Trouble::Freeze => ("freeze of the leader", leader, self.freeze(leader)?),
            Trouble::Stores => ("loss of etcd", leader, self.lose_store()?),
            Trouble::StoreLeader => ("kill -9 of etcd's leader", leader, self.kill_store_leader(None)?),
            Trouble::Both => {
                ("kill -9 of etcd's leader and ours", leader, self.kill_store_leader(Some(leader))?)
            }
            Trouble::Cut => {
                let (what, took) = self.cut_links(leader, standby)?;
                return Ok((format!("links cut {what}"), NAMES[leader], took));
            }
            Trouble::Full => ("full disk of a standby", standby, self.fill(leader, standby)?),
            Trouble::Hang => ("hanging disk of the leader", leader, self.hang(leader)?),
            Trouble::Power => ("power cut", leader, self.cut_power()?),
        };
        Ok((kind.into(), NAMES[who], took))
    }

    /// Until something is told on a connection that was begun since.
    fn next_leader(&self) -> Result<(), String> {
        self.wait("a write of a new session", || (self.told.counts().1 > 0).then_some(()))
    }

    /// Until something is told that was written from now on.
    fn goes_on(&self) -> Result<(), String> {
        let before = self.told.counts().0;
        self.wait("a write", || (self.told.counts().0 > before + 10).then_some(()))
    }

    fn kill(&mut self, leader: usize) -> Result<Duration, String> {
        let began = Instant::now();
        self.servers[leader].take().ok_or("it runs")?.kill();
        self.next_leader()?;
        let took = began.elapsed();
        self.start(leader)?;
        Ok(took)
    }

    fn kill_standby(&mut self, n: usize) -> Result<Duration, String> {
        self.servers[n].take().ok_or("it runs")?.kill();
        self.goes_on()?;
        self.start(n)?;
        Ok(self.told.pause())
    }

    /// Who wakes up must not show what is no longer so.
    fn freeze(&mut self, leader: usize) -> Result<Duration, String> {
        let mut old = Client::connect_within(&self.places[leader], PATIENCE)?;
        old.query("SELECT count(*) FROM f")?;
        let began = Instant::now();
        self.servers[leader].as_ref().ok_or("it runs")?.signal("STOP");
        self.next_leader()?;
        let took = began.elapsed();
        // A question that is older than the answer of somebody else who leads by now.
        let newest = self.told.facts().into_iter().max().unwrap_or(0);
        old.start(&format!("SELECT count(*) FROM f WHERE id = {newest}"))?;
        self.servers[leader].as_ref().ok_or("it runs")?.signal("CONT");
        match old.poll(Duration::from_secs(10)) {
            Ok(Some(answer)) if answer.rows == ["0"] => {
                return Err(format!("{} woke up and told that {newest} is not there", NAMES[leader]));
            }
            _ => {}
        }
        Ok(took)
    }

    fn lose_store(&mut self) -> Result<Duration, String> {
        (0..NODES).for_each(|n| self.store.kill(n));
        std::thread::sleep(Duration::from_secs(u64::from(self.o.lease) * 2));
        for n in 0..NODES {
            self.start_store(n)?;
        }
        self.next_leader()?;
        Ok(self.told.pause())
    }

    fn kill_store_leader(&mut self, leader: Option<usize>) -> Result<Duration, String> {
        let node = self.wait("etcd's leader", || self.store.leader())?;
        let began = Instant::now();
        self.store.kill(node);
        let took = match leader {
            Some(n) => {
                self.servers[n].take().ok_or("it runs")?.kill();
                self.next_leader()?;
                began.elapsed()
            }
            None => {
                // Longer than the lease: it is prolonged by the others.
                std::thread::sleep(Duration::from_secs(u64::from(self.o.lease) * 2));
                self.goes_on()?;
                self.told.pause()
            }
        };
        if let Some(n) = leader {
            self.start(n)?;
        }
        self.start_store(node)?;
        self.wait("etcd's leader", || self.store.leader())?;
        Ok(took)
    }

    /// While they are cut somebody leads and can write; and when they are mended all is as before.
    fn cut_links(&mut self, leader: usize, standby: usize) -> Result<(&'static str, Duration), String> {
        let (what, from, to, both) = LINKS[self.cuts_done % LINKS.len()];
        self.cuts_done += 1;
        let node = self.wait("etcd's leader", || self.store.leader())?;
        let machines = |end: End| -> Vec<usize> {
            let nodes = MEMBERS..MEMBERS + NODES;
            match end {
                End::Leader => vec![leader],
                End::Standbys => (0..MEMBERS).filter(|n| *n != leader).collect(),
                End::OneStandby => vec![standby],
                End::Store => nodes.collect(),
                End::StoreLeader => vec![MEMBERS + node],
                End::StoreOthers => nodes.filter(|n| *n != MEMBERS + node).collect(),
            }
        };
        let mut links = Vec::new();
        for a in machines(from) {
            for b in to.iter().flat_map(|end| machines(*end)) {
                links.push((a, b));
                if both {
                    links.push((b, a));
                }
            }
        }
        let network = self.network.as_ref().ok_or("there is a network")?;
        for (a, b) in &links {
            network.cut(*a, *b)?;
        }
        // Whatever was on its way, and all that a lease or a silence allows.
        std::thread::sleep(Duration::from_secs(u64::from(self.o.lease) * 2));
        let done = self.goes_on();
        let pause = self.told.pause();
        for (a, b) in &links {
            network.mend(*a, *b)?;
        }
        done.map_err(|e| format!("while links are cut {what}: {e}"))?;
        Ok((what, pause))
    }

    /// The others go on, and it comes back by itself.
    fn fill(&mut self, leader: usize, standby: usize) -> Result<Duration, String> {
        self.disk(standby).fill()?;
        let mut c = Client::connect_within(&self.places[leader], PATIENCE)?;
        let began = Instant::now();
        // What has room for now is made to have none.
        // Seen once is enough: its agent starts it again, and it follows until it wants room again.
        let is_full = loop {
            if !self.follows(standby) {
                break true;
            }
            if began.elapsed() >= Duration::from_secs(60) {
                break false;
            }
            // As long as a standby that has failed is waited for, nobody is told.
            c.start("INSERT INTO big SELECT repeat(md5(n::text), 100) FROM generate_series(1, 1000) n")?;
            if c.poll(LONG)?.is_none() {
                break false;
            }
        };
        let done = self.goes_on();
        let pause = self.told.pause();
        self.disk(standby).make_room()?;
        done?;
        c.query("TRUNCATE big")?;
        if is_full { Ok(pause) } else { Err(format!("{} does not mind its full disk", NAMES[standby])) }
    }

    /// Others lead until it goes on, and it comes back by itself.
    fn hang(&mut self, leader: usize) -> Result<Duration, String> {
        let began = Instant::now();
        self.disk(leader).hang()?;
        let done = self.next_leader();
        let took = began.elapsed();
        self.disk(leader).go_on()?;
        done?;
        self.wait("its return", || self.follows(leader).then_some(()))?;
        Ok(took)
    }

    fn cut_power(&mut self) -> Result<Duration, String> {
        self.powers_done += 1;
        let began = Instant::now();
        let cut = shell(&self.o.power.cut, self.powers_done);
        // What processes still hold must not reach the disk when that is back. They end whether or not the cut worked.
        self.servers.iter_mut().flatten().for_each(|server| server.kill());
        cut?;
        shell(&self.o.power.restore, self.powers_done)?;
        for n in 0..MEMBERS {
            self.start(n)?;
        }
        self.next_leader()?;
        Ok(began.elapsed())
    }
}
