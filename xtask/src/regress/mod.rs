//! PostgreSQL's own regression scripts (`src/test/regress` of its source) here and in PostgreSQL, by psql: statement by statement, what each answers.
//!
//! psql echoes each line that it reads; what stands between the end of one statement and the next one's first line is the former's answer. Both servers get
//! all scripts in the order of PostgreSQL's schedule, in one database each, as many need what others made; functions in C are missing in both.
//!
//! A statement is *equal* if both answers are; without an ORDER BY in any order of lines. It is *refused* if the answer here is an error that theirs is not, with
//! SQLSTATE 0A000, or is about something that was refused before (a name that does not exist, an aborted transaction). Plans (EXPLAIN) are left out. Else it *differs*.
//!
//! Must not know: what the scripts are about.

mod answers;

use crate::pairs::wire::Place;
use crate::{args, clients};
use answers::{Answered, answered, kind_of_difference};
use std::fmt::Write as _;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Longest that psql may take for a script.
const SCRIPT_MAX: Duration = Duration::from_secs(180);
/// What psql may take of memory.
const PSQL_KB_MAX: u32 = 2_000_000;
/// Scripts of psql itself, and those that need PostgreSQL's own library of test functions from the first line on.
const LEFT_OUT: [&str; 6] =
    ["psql", "psql_crosstab", "psql_pipeline", "create_function_c", "euc_kr", "conversion"];

/// What to run.
pub(crate) struct Options {
    folder: PathBuf,
    names: Vec<String>,
    postgres: Place,
    evenkeel: Option<Place>,
    release: bool,
    out: PathBuf,
}

impl Options {
    /// Reads the command line.
    pub(crate) fn parse(args: &[String]) -> Result<Options, String> {
        let named = args.iter().take_while(|a| !a.starts_with("--")).count();
        let (mut postgres, mut evenkeel, mut release) = (None, None, false);
        let mut out = clients::target().join("regress");
        args::each(&args[named..], &["--release"], |name, value| {
            match name {
                "--release" => release = true,
                "--postgres" => postgres = Some(Place::parse(value.text)?),
                "--evenkeel" => evenkeel = Some(Place::parse(value.text)?),
                "--out" => out = value.text.into(),
                _ => return args::unknown(name),
            }
            Ok(())
        })?;
        let postgres =
            postgres.ok_or("--postgres 'host=… port=… user=…' names the server to compare with")?;
        let mut named = args[..named].iter();
        let folder = named.next().ok_or("name the folder src/test/regress of PostgreSQL's source")?;
        let folder = std::path::absolute(folder).map_err(|e| format!("{folder}: {e}"))?;
        Ok(Options { folder, names: named.cloned().collect(), postgres, evenkeel, release, out })
    }

    /// The scripts that are asked for, in the schedule's order.
    fn scripts(&self) -> Result<Vec<String>, String> {
        let schedule = self.folder.join("parallel_schedule");
        let text = std::fs::read_to_string(&schedule).map_err(|e| format!("{}: {e}", schedule.display()))?;
        let all = text.lines().filter_map(|l| l.strip_prefix("test:")).flat_map(str::split_whitespace);
        let is_wanted = |name: &&str| match self.names.is_empty() {
            true => !LEFT_OUT.contains(name) && *name != "test_setup",
            false => self.names.iter().any(|n| n == name),
        };
        Ok(all.filter(is_wanted).map(str::to_string).collect())
    }

    /// The database that the scripts run in: the one that is named, else PostgreSQL's own for them.
    fn database<'a>(&self, place: &'a Place) -> &'a str {
        match place.database.as_str() {
            "postgres" => "regression",
            named => named,
        }
    }

    fn psql(&self, place: &Place, database: &str) -> Command {
        // psql keeps an answer whole: one without an end must not take the machine's memory with it.
        let mut c = Command::new("sh");
        c.args(["-c", &format!("ulimit -v {PSQL_KB_MAX}; exec psql \"$@\""), "psql"]);
        c.args(["-X", "-a", "-q", "-h", &place.host, "-p", &place.port.to_string(), "-U", &place.user]);
        c.args(["-d", database, "-v", "HIDE_TABLEAM=on", "-v", "HIDE_TOAST_COMPRESSION=on"]);
        c.env("PGTZ", "America/Los_Angeles").env("PGDATESTYLE", "Postgres, MDY").env("LC_MESSAGES", "C");
        c.env("PGOPTIONS", "-c intervalstyle=postgres_verbose").env("PG_LIBDIR", "/nowhere");
        c.env("PG_ABS_SRCDIR", &self.folder).env("PG_DLSUFFIX", ".so").env("PG_ABS_BUILDDIR", &self.out);
        c
    }

    fn fresh(&self, place: &Place) -> Result<(), String> {
        let name = self.database(place);
        let steps = [
            format!("drop database if exists {name}"),
            format!("create database {name} template template0 locale 'C' encoding 'UTF8'"),
        ];
        for step in steps {
            let status = self
                .psql(place, "postgres")
                .args(["-v", "ON_ERROR_STOP=1", "-c", &step])
                .env("PGOPTIONS", "-c client_min_messages=warning")
                .stdout(Stdio::null())
                .status();
            if !status.map_err(|e| format!("psql cannot be run: {e}"))?.success() {
                return Err(format!("{}:{}: {step}", place.host, place.port));
            }
        }
        self.run_script(place, "test_setup", "setup").map(drop)
    }

    /// Runs a script; what psql wrote, and whether it came to its end.
    fn run_script(&self, place: &Place, name: &str, who: &str) -> Result<(String, bool), String> {
        let at = |e: std::io::Error| format!("{name}: {e}");
        let script = std::fs::read(self.folder.join("sql").join(format!("{name}.sql"))).map_err(at)?;
        let source = self.out.join(format!("{name}.sql"));
        std::fs::write(&source, by_the_client(&self.folder, &script)).map_err(at)?;
        let source = File::open(source).map_err(at)?;
        let path = self.out.join(format!("{name}.{who}"));
        let out = File::create(&path).map_err(at)?;
        let errors = out.try_clone().map_err(at)?;
        let mut psql = self.psql(place, self.database(place));
        let mut psql = psql.stdin(source).stdout(out).stderr(errors).spawn().map_err(at)?;
        let began = Instant::now();
        let is_ended = loop {
            if psql.try_wait().map_err(at)?.is_some() {
                break true;
            }
            if began.elapsed() > SCRIPT_MAX {
                psql.kill().map_err(at)?;
                psql.wait().map_err(at)?;
                break false;
            }
            std::thread::sleep(Duration::from_millis(10));
        };
        let text = std::fs::read(&path).map_err(at)?;
        Ok((String::from_utf8_lossy(&text).into_owned(), is_ended))
    }
}

/// A script whose tables are filled by psql's own \\copy: the servers need not see the folder.
fn by_the_client(folder: &Path, script: &[u8]) -> Vec<u8> {
    let mut file = None;
    let mut out = Vec::new();
    for line in script.split_inclusive(|b| *b == b'\n') {
        let text = String::from_utf8_lossy(line);
        if let Some(rest) = text.strip_prefix("\\set filename :abs_srcdir '") {
            file = rest.split('\'').next().map(|path| format!("{}{path}", folder.display()));
        }
        match (&file, text.trim_end().strip_suffix(" FROM :'filename';")) {
            (Some(file), Some(copy)) if copy.starts_with("COPY ") => {
                out.extend_from_slice(format!("\\copy {} FROM '{file}'\n", &copy[5..]).as_bytes());
            }
            _ => out.extend_from_slice(line),
        }
    }
    out
}

/// Runs the scripts.
pub(crate) fn run(o: &Options) -> Result<(), String> {
    let results = o.out.join("results");
    std::fs::create_dir_all(&results).map_err(|e| format!("{}: {e}", results.display()))?;
    clients::with_server(o.evenkeel.as_ref(), o.release, "regress", |place| compare(o, place))
}

fn compare(o: &Options, place: &Place) -> Result<(), String> {
    o.fresh(&o.postgres)?;
    o.fresh(place)?;
    println!("| script | statements | equal | refused | differ |\n| --- | --- | --- | --- | --- |");
    let mut sum = [0; 4];
    for name in o.scripts()? {
        let (theirs, _) = o.run_script(&o.postgres, &name, "postgres")?;
        let (ours, is_ended) = o.run_script(place, &name, "evenkeel")?;
        let counts = count(o, &name, &theirs, &ours)?;
        let more = if is_ended { String::new() } else { format!(" (not at its end after {SCRIPT_MAX:?})") };
        let [all, equal, refused, differ] = counts;
        println!("| {name}{more} | {all} | {equal} | {refused} | {differ} |");
        for (s, c) in sum.iter_mut().zip(counts) {
            *s += c;
        }
    }
    let [all, equal, refused, differ] = sum;
    println!("| all | {all} | {equal} | {refused} | {differ} |");
    println!("\nwhat differs: {}", o.out.join("NAME.diff").display());
    Ok(())
}

/// All statements, equal, refused and different ones; those that are not equal go into a file.
fn count(o: &Options, name: &str, theirs: &str, ours: &str) -> Result<[usize; 4], String> {
    let path = o.out.join(format!("{name}.sql"));
    let source = std::fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let source = String::from_utf8_lossy(&source);
    let (theirs, ours) = (answered(&source, theirs), answered(&source, ours));
    let mut counts = [0; 4];
    let mut told = String::new();
    for (theirs, ours) in theirs.iter().zip(&ours) {
        let Some(kind) = kind_of_difference(theirs, ours) else { continue };
        counts[0] += 1;
        counts[kind as usize + 1] += 1;
        if kind != answers::Kind::Equal {
            tell(&mut told, kind, theirs, ours);
        }
    }
    write(&o.out.join(format!("{name}.diff")), &told)?;
    Ok(counts)
}

fn tell(told: &mut String, kind: answers::Kind, theirs: &Answered, ours: &Answered) {
    let _ = writeln!(told, "=== {kind:?} line {}\n{}", theirs.line, theirs.statement);
    for (sign, answer) in [('-', &theirs.answer), ('+', &ours.answer)] {
        for line in answer.iter().take(40) {
            let _ = writeln!(told, "{sign} {line}");
        }
    }
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}
