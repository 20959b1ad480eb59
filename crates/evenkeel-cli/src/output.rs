//! Files that a long command writes in the end: whether they can be written is found out at its beginning.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use crate::{CliError, io_error};

/// Guards the files; those that were not written go with it, unless there was something in them before.
#[derive(Debug)]
pub(crate) struct Outputs(Vec<PathBuf>);

impl Outputs {
    /// Tries them out.
    pub fn try_out<'a>(files: impl IntoIterator<Item = &'a Path>) -> Result<Outputs, CliError> {
        let mut tried = Outputs(Vec::new());
        for file in files {
            let is_new = !file.exists();
            File::options()
                .append(true)
                .create(true)
                .open(file)
                .map_err(io_error(file.display().to_string()))?;
            if is_new {
                tried.0.push(file.to_owned());
            }
        }
        Ok(tried)
    }
}

impl Drop for Outputs {
    fn drop(&mut self) {
        for file in &self.0 {
            if fs::metadata(file).is_ok_and(|m| m.is_file() && m.len() == 0) {
                let _ = fs::remove_file(file);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_only_tried_out_goes() {
        let folder = tempfile::tempdir().unwrap();
        let [new, old, written] = ["new", "old", "written"].map(|n| folder.path().join(n));
        fs::write(&old, "").unwrap();
        let tried = Outputs::try_out([&*new, &*old, &*written]).unwrap();
        assert!(new.exists());
        fs::write(&written, "x").unwrap();
        drop(tried);
        assert!(!new.exists() && old.exists() && written.exists());
        assert!(Outputs::try_out([&*new, &*folder.path().join("no/such")]).is_err());
        assert!(!new.exists());
    }
}
