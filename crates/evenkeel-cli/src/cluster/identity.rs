//! Who a folder is in a cluster, what it has promised, and whom it has followed: the file `cluster` in it.
//!
//! Invariants
//! 1. What is promised is durable before anybody hears of it, and never falls.
//! 2. Another folder is another member: it has not promised, nor confirmed, what this one has.

use std::path::{Path, PathBuf};

use evenkeel::Lsn;
use evenkeel::io::{OsDisk, OsOptions, replace_whole};
use evenkeel_cluster::{Leader, MemberId};
use serde::{Deserialize, Serialize};

use crate::{CliError, io_error};

const FILE: &str = "cluster";

/// Refuses to do something on its own with a folder that belongs to a cluster: who leads there is not for this program to say.
pub(crate) fn refuse_member(folder: &Path) -> Result<(), CliError> {
    if !folder.join(FILE).exists() {
        return Ok(());
    }
    Err(CliError::Folder(format!(
        "the folder {0} belongs to a cluster: serve it with --cluster. To take it out for good, remove the member with evenkeel cluster remove, and then the file {0}/{FILE}",
        folder.display()
    )))
}

#[derive(Serialize, Deserialize)]
struct Kept {
    cluster: String,
    member: MemberId,
    promised: u64,
    /// The latest leader that it has followed, or been.
    #[serde(default)]
    followed: Option<Leader>,
    /// It has seen the cluster. A store that does not know it any more has lost it, and it is not to be founded anew by whoever comes first.
    #[serde(default)]
    has_joined: bool,
    /// Under which epoch, and where, its log ended when no server had it, before it was opened: each opening goes on in another segment.
    #[serde(default)]
    ended: Option<(u64, u64)>,
}

/// Two lines: what is kept, and a checksum of it. A digit that is not what it was must not make a promise less.
fn encode(kept: &Kept) -> String {
    let text = serde_json::to_string(kept).expect("numbers and strings");
    format!("{text}\ncrc32c {:08x}\n", crc32c::crc32c(text.as_bytes()))
}

/// From such text; the first versions of this program wrote no second line.
fn decode(text: &str) -> Result<Kept, String> {
    let (kept, rest) = text.split_once('\n').unwrap_or((text, ""));
    if !rest.is_empty() && rest != format!("crc32c {:08x}\n", crc32c::crc32c(kept.as_bytes())) {
        return Err("its checksum does not match".into());
    }
    serde_json::from_str(kept).map_err(|e| e.to_string())
}

pub(super) struct Identity {
    folder: PathBuf,
    kept: Kept,
}

impl Identity {
    /// Reads it, or makes one up.
    pub fn of(folder: &Path, cluster: &str) -> Result<Identity, CliError> {
        std::fs::create_dir_all(folder).map_err(io_error(folder.display().to_string()))?;
        let path = folder.join(FILE);
        let ctx = || io_error(path.display().to_string());
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
                let member = MemberId(fastrand::u64(1..));
                let kept = Kept {
                    cluster: cluster.into(),
                    member,
                    promised: 0,
                    followed: None,
                    has_joined: false,
                    ended: None,
                };
                let mut identity = Identity { folder: folder.into(), kept };
                identity.write()?;
                return Ok(identity);
            }
            Err(e) => return Err(ctx()(e)),
        };
        let kept = decode(&text).map_err(|why| {
            CliError::Folder(format!(
                "the file {} is damaged ({why}): it says what this member has promised. Remove the folder, and the member with evenkeel cluster remove, and start anew",
                path.display()
            ))
        })?;
        if kept.cluster != cluster {
            return Err(CliError::Folder(format!(
                "the folder {} belongs to the cluster \"{}\"",
                folder.display(),
                kept.cluster
            )));
        }
        Ok(Identity { folder: folder.into(), kept })
    }

    pub fn member(&self) -> MemberId {
        self.kept.member
    }

    pub fn promised(&self) -> u64 {
        self.kept.promised
    }

    pub fn followed(&self) -> Option<Leader> {
        self.kept.followed
    }

    /// It follows this one from now on, or is it.
    pub fn follow(&mut self, leader: Leader) -> Result<(), CliError> {
        if self.kept.followed != Some(leader) {
            self.kept.followed = Some(leader);
            self.write()?;
        }
        Ok(())
    }

    pub fn has_joined(&self) -> bool {
        self.kept.has_joined
    }

    /// The cluster is there.
    pub fn join(&mut self) -> Result<(), CliError> {
        if !self.kept.has_joined {
            self.kept.has_joined = true;
            self.write()?;
        }
        Ok(())
    }

    /// Where its log ended, until a server has it again: epoch and position.
    pub fn ended(&self) -> Option<(u64, Lsn)> {
        self.kept.ended.map(|(epoch, lsn)| (epoch, Lsn(lsn)))
    }

    /// It ended there; `None`: a server is about to have it.
    pub fn end(&mut self, ended: Option<(u64, Lsn)>) -> Result<(), CliError> {
        if self.ended() != ended {
            self.kept.ended = ended.map(|(epoch, lsn)| (epoch, lsn.0));
            self.write()?;
        }
        Ok(())
    }

    /// (1)
    pub fn promise(&mut self, epoch: u64) -> Result<(), CliError> {
        if epoch > self.kept.promised {
            self.kept.promised = epoch;
            self.write()?;
        }
        Ok(())
    }

    fn write(&mut self) -> Result<(), CliError> {
        let ctx = io_error(self.folder.join(FILE).display().to_string());
        let disk = OsDisk::new(&self.folder, OsOptions::default()).map_err(io_error("the folder"))?;
        let text = encode(&self.kept);
        replace_whole(&disk, FILE, text.as_bytes()).map_err(ctx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_a_folder_is_and_what_it_has_promised_stays() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("a");
        assert!(refuse_member(&folder).is_ok());
        let mut identity = Identity::of(&folder, "shop").unwrap();
        identity.promise(7).unwrap();
        identity.promise(3).unwrap();
        identity.join().unwrap();
        let leader = Leader { member: MemberId(1), session: 2, epoch: 7 };
        identity.follow(leader).unwrap();
        let again = Identity::of(&folder, "shop").unwrap();
        assert_eq!(again.followed(), Some(leader));
        assert_eq!((again.member(), again.promised(), again.has_joined()), (identity.member(), 7, true));
        assert!(refuse_member(&folder).unwrap_err().to_string().contains("belongs to a cluster"));
        assert!(Identity::of(&folder, "other").is_err());
        // What an earlier version wrote counts; a bit that is turned over does not.
        let text = std::fs::read_to_string(folder.join(FILE)).unwrap();
        std::fs::write(folder.join(FILE), text.lines().next().unwrap().to_owned() + "\n").unwrap();
        assert_eq!(Identity::of(&folder, "shop").unwrap().promised(), 7);
        for at in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[at] ^= 1;
            std::fs::write(folder.join(FILE), bytes).unwrap();
            assert!(Identity::of(&folder, "shop").is_err(), "byte {at} of {text}");
        }
        std::fs::write(folder.join(FILE), "{").unwrap();
        assert!(Identity::of(&folder, "shop").map(drop).unwrap_err().to_string().contains("damaged"));
    }
}
