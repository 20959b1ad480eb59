//! Cargo, called by a program that cargo itself has started.
//!
//! Must not know: what is built.

use std::process::Command;

/// Cargo, with the environment that it has from a shell. `cargo xtask` sets variables about the package `xtask`; libraries whose build scripts look at such variables
/// (ring does) would be built anew, with all that stands on them, whenever a direct call follows one from here or the other way round.
pub(crate) fn command() -> Command {
    let mut cargo = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".into()));
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(is_of_package) {
            cargo.env_remove(name);
        }
    }
    cargo
}

fn is_of_package(name: &str) -> bool {
    ["CARGO_PKG_", "CARGO_MANIFEST_"].iter().any(|prefix| name.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_cargo_says_of_this_package_is_not_handed_on() {
        assert!(std::env::var("CARGO_PKG_NAME").is_ok(), "cargo runs the tests");
        let command = super::command();
        let removed: Vec<_> = command.get_envs().filter(|(_, v)| v.is_none()).map(|(name, _)| name).collect();
        assert!(
            removed.iter().any(|n| *n == "CARGO_PKG_NAME")
                && removed.iter().any(|n| *n == "CARGO_MANIFEST_DIR")
        );
        assert!(!removed.iter().any(|n| *n == "CARGO_TARGET_DIR"));
    }
}
