//! What the checks share: each has a name, and passes unless it gives an error or takes a minute.

use std::fmt::{Debug, Display};
use std::future::Future;
use std::io::Write;
use std::time::Duration;

/// Why a check fails.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;
/// What a check gives.
pub type Done = Result<(), Failure>;

/// What is there to begin with.
pub const SETUP: &str = "
    drop table if exists apps_d; drop domain if exists apps_even cascade; drop type if exists apps_mood cascade;
    create type apps_mood as enum ('sad', 'ok', 'not so good');
    create domain apps_even as int4 check (value % 2 = 0);
    create table apps_d (id int generated always as identity primary key, m apps_mood, t text, j jsonb, u text unique)";

/// A variable of the environment.
pub fn var(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

/// The authority's certificate, a role and its password; None: the server has no such things.
pub fn secured() -> Option<(String, String, String)> {
    let root = std::env::var("APPS_ROOT_CERT").ok()?;
    Some((root, var("APPS_USER"), var("APPS_PASSWORD")))
}

/// Types, and values as the server writes them.
pub fn values() -> Vec<(String, String)> {
    let text = std::fs::read_to_string(var("APPS_VALUES")).expect("the values");
    let lines = text.lines().filter(|l| !l.starts_with('#')).filter_map(|l| l.split_once('\t'));
    lines
        .map(|(ty, v)| {
            let v = v.replace("\\\\", "\0").replace("\\n", "\n").replace("\\t", "\t").replace('\0', "\\");
            (ty.to_owned(), v)
        })
        .collect()
}

/// The version of a package in the lock file.
fn version(package: &str) -> String {
    let lock = include_str!("../Cargo.lock");
    let at = lock.split_once(&format!("name = \"{package}\"\nversion = \"")).map(|(_, rest)| rest);
    at.and_then(|rest| rest.split('"').next()).unwrap_or("?").to_owned()
}

/// Runs a check, and tells how it went.
pub async fn check(client: &str, name: &str, body: impl Future<Output = Done>) {
    let (how, why) = match tokio::time::timeout(Duration::from_secs(60), body).await {
        Ok(Ok(())) => ("ok", String::new()),
        Ok(Err(e)) => {
            let mut why = e.to_string();
            let mut source = e.source();
            while let Some(e) = source {
                why = format!("{why}: {e}");
                source = e.source();
            }
            ("FAILED", why.split_whitespace().collect::<Vec<_>>().join(" "))
        }
        Err(_) => ("FAILED", "it took more than a minute".to_owned()),
    };
    println!("{how}\t{client}\t{}\t{name}\t{why}", version(client));
}

/// An error that says something.
pub fn wrong(why: impl Display) -> Failure {
    why.to_string().into()
}

/// What must be the same.
#[track_caller]
pub fn equal<T: PartialEq + Debug>(got: T, wanted: T) -> Done {
    if got == wanted {
        return Ok(());
    }
    let at = std::panic::Location::caller();
    Err(wrong(format!("{got:?} is not {wanted:?} ({}:{})", at.file(), at.line())))
}

/// Whoever runs the checks restarts the server, and says when it is there again.
pub fn restart() -> Done {
    println!("restart");
    std::io::stdout().flush()?;
    std::io::stdin().read_line(&mut String::new())?;
    Ok(())
}
