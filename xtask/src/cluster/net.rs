//! Machines that are network namespaces on a bridge, so that what one sends to another can be lost, one way or both. That takes root, and the program `ip`.
//!
//! What is cut is lost without a word, as by a broken switch: who sends has a wrong hardware address for who is to receive.

use std::process::{Command, Stdio};

/// A hardware address that nobody has.
const NOBODY: &str = "02:00:00:00:00:99";

/// Removed when dropped.
pub(super) struct Network {
    tag: String,
    net: u8,
    machines: usize,
}

fn ip(words: &str) -> Result<(), String> {
    let done = Command::new("ip").args(words.split(' ')).stdin(Stdio::null()).output();
    let done = done.map_err(|e| format!("ip: {e}"))?;
    match done.status.success() {
        true => Ok(()),
        false => Err(format!("ip {words}: {}", String::from_utf8_lossy(&done.stderr).trim())),
    }
}

impl Network {
    /// So many machines on a bridge that this machine is on, too.
    pub fn new(machines: usize) -> Result<Network, String> {
        let id = std::process::id();
        let network = Network { tag: format!("ek{}", id % 100_000), net: (id % 250) as u8, machines };
        let (tag, net) = (&network.tag, network.net);
        ip(&format!("link add {tag} type bridge"))?;
        ip(&format!("addr add 10.213.{net}.1/24 dev {tag}"))?;
        ip(&format!("link set {tag} up"))?;
        for n in 0..machines {
            let (name, address) = (network.namespace(n), network.address(n));
            ip(&format!("netns add {name}"))?;
            ip(&format!("link add {tag}-{n} type veth peer name eth0 netns {name}"))?;
            ip(&format!("link set {tag}-{n} master {tag} up"))?;
            ip(&format!("-n {name} addr add {address}/24 dev eth0"))?;
            ip(&format!("-n {name} link set lo up"))?;
            ip(&format!("-n {name} link set eth0 up"))?;
        }
        Ok(network)
    }

    fn namespace(&self, machine: usize) -> String {
        format!("{}-{machine}", self.tag)
    }

    /// Where a machine is reached.
    pub fn address(&self, machine: usize) -> String {
        format!("10.213.{}.{}", self.net, machine + 10)
    }

    /// Runs a program on a machine.
    pub fn command(&self, machine: usize, program: &str) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.namespace(machine), program]);
        command
    }

    /// What `from` sends to `to` is lost from now on.
    pub fn cut(&self, from: usize, to: usize) -> Result<(), String> {
        let (name, address) = (self.namespace(from), self.address(to));
        ip(&format!("-n {name} neigh replace {address} lladdr {NOBODY} dev eth0 nud permanent"))
    }

    /// And now not any more.
    pub fn mend(&self, from: usize, to: usize) -> Result<(), String> {
        ip(&format!("-n {} neigh del {} dev eth0", self.namespace(from), self.address(to)))
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        for n in 0..self.machines {
            let _ = ip(&format!("link del {}-{n}", self.tag));
            let _ = ip(&format!("netns del {}", self.namespace(n)));
        }
        let _ = ip(&format!("link del {}", self.tag));
    }
}
