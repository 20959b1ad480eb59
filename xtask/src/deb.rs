//! A package for Debian: the program, its manual pages, completions and unit, put together by cargo-deb.
//!
//! Must not know: what the program does. What lies where in the package says `crates/evenkeel-cli/Cargo.toml`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cargo;

/// Builds it, and prints where it is.
pub(crate) fn run() -> Result<(), String> {
    let known = cargo::command().args(["deb", "--version"]).output();
    if !known.is_ok_and(|o| o.status.success()) {
        return Err("cargo-deb is not installed: cargo install cargo-deb --locked".into());
    }
    let build = ["build", "--profile", "dist", "--locked", "--package", "evenkeel-cli"];
    run_command(cargo::command().args(build))?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    let built = target.join("dist");
    let (program, parts) = (built.join("evenkeel"), built.join("deb"));
    let _ = fs::remove_dir_all(&parts);
    run_command(Command::new(&program).arg("man").arg(parts.join("man")))?;
    for shell in ["bash", "zsh", "fish"] {
        let out = Command::new(&program).args(["completions", shell]).output();
        let out = out.map_err(|e| format!("{}: {e}", program.display()))?;
        write(&parts.join(shell), &out.stdout)?;
    }
    let unit = fs::read_to_string("ops/systemd/evenkeel.service").map_err(|e| format!("the unit: {e}"))?;
    // The lines before the first section tell how to install it by hand.
    let sections = &unit[unit.find("[Unit]").ok_or("the unit has no [Unit]")?..];
    let unit = sections.replace("/usr/local/bin/", "/usr/bin/");
    write(&parts.join("evenkeel.service"), unit.as_bytes())?;
    run_command(cargo::command().args([
        "deb",
        "--no-build",
        "--profile",
        "dist",
        "--locked",
        "--package",
        "evenkeel-cli",
    ]))
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    fs::write(path, bytes).map_err(|e| format!("{}: {e}", path.display()))
}

fn run_command(command: &mut Command) -> Result<(), String> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{command:?}: {status}")),
        Err(e) => Err(format!("{command:?}: {e}")),
    }
}
