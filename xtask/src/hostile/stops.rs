//! How soon a statement ends when it is canceled, whatever it does: a list of what takes long in one place, each canceled after several times.

use super::attack::{one, shown};
use super::client::Client;
use super::known::{known, long_ones};
use super::richer::{self, rich_ones};
use super::serve;
use super::server::Served;
use super::values::{self, ones_of_values};
use std::path::Path;
use std::time::Duration;

/// What each may take to end.
const LIMIT: Duration = Duration::from_millis(100);
/// When each is canceled: its phases follow one another.
const AFTER_MS: [u64; 5] = [10, 50, 150, 400, 1200];

/// Cancels each statement of the list after several times, and prints which took longest to end: by the clock, and by what the server computed meanwhile,
/// which tells the same on a machine that has other things to do. `only`: those of `richer` or of `values` alone.
pub fn run(binary: &Path, only: Option<&str>) -> Result<(), String> {
    let mut served = serve(binary, 4 << 30)?;
    let connect = |served: &Served| Client::connect(served.address).map_err(|e| e.to_string());
    let mut c = connect(&served)?;
    for sql in PREPARATION.iter().chain(&richer::PREPARATION).chain(&values::PREPARATION) {
        if let Some((code, message)) = c.ask(sql).map_err(|e| e.to_string())? {
            return Err(format!("{sql}: {code}: {message}"));
        }
    }
    let mut slowest = Vec::new();
    let list: Vec<String> = match only {
        Some("values") => ones_of_values(),
        Some(_) => rich_ones(),
        None => [known(), long_ones(), rich_ones(), ones_of_values()].concat(),
    };
    for sql in &list {
        let (mut most, mut computed, mut end) = (Duration::ZERO, Duration::ZERO, String::new());
        for after in AFTER_MS {
            let after = Duration::from_millis(after);
            let went = one(&mut c, sql, false, after, || served.computed())
                .and_then(|went| c.ask("rollback").map(|_| went));
            let went = match went {
                Ok(went) => went,
                Err(e) if served.is_alive() => {
                    // Nobody waits longer: it may go on for ever.
                    end = e.to_string();
                    most = Duration::MAX;
                    c = connect(&served)?;
                    break;
                }
                Err(e) => return Err(format!("{}: {e}: {}", shown(sql), served.log())),
            };
            end = went.answer.map_or("ok".into(), |(code, _)| code);
            let Some((reaction, by_server)) = went.reaction else { break };
            (most, computed) = (most.max(reaction), computed.max(by_server));
        }
        if std::env::var_os("EVENKEEL_HOSTILE_SHOW").is_some() {
            println!("{computed:>8.0?} {most:>8.0?} {end} {}", shown(sql));
        }
        slowest.push((computed, most, shown(sql)));
    }
    slowest.sort_by(|a, b| b.cmp(a));
    let late = slowest.iter().filter(|(computed, most, _)| *computed.min(most) > LIMIT).count();
    println!(
        "{} statements canceled after up to {} ms; {late} went on for more than {LIMIT:?}; the slowest (computed, by the clock):",
        slowest.len(),
        AFTER_MS[4]
    );
    for (computed, most, sql) in slowest.iter().take(late.max(10)) {
        println!("{computed:>8.0?} {most:>8.0?}  {sql}");
    }
    Ok(())
}

/// Tables that take long to change.
const PREPARATION: [&str; 6] = [
    "create table big (id int primary key, n int, v text)",
    "insert into big select g, g % 1000, repeat('x', 100) from generate_series(1, 500000) g",
    "create table child (id int)",
    "insert into child select g from generate_series(1, 500000) g",
    "create table large (id int, v text)",
    "insert into large select g, repeat('ä', 100000000) from generate_series(1, 2) g",
];
