//! PostgreSQL's own isolation specs (`src/test/isolation/specs` of its source) here and in PostgreSQL: several sessions, steps in every order that a spec names, what
//! each step answers and whether it waits.
//!
//! A permutation is *equal* if every step waited, answered and failed alike; rows count without their order, as most specs have no ORDER BY. It *lacks*
//! something if it differs and a statement of it, or of what was made before, was refused here for what is not there, or PostgreSQL fails for dependencies among
//! SERIALIZABLE transactions. Else it *differs*.
//!
//! Must not know: what the specs are about.

mod spec;

use crate::pairs::wire::{Answer, Client, Place};
use crate::{args, clients};
use spec::{Spec, statements};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How long a step may neither end nor wait, and how long the steps of a permutation may wait in the end.
const PATIENCE: Duration = Duration::from_secs(30);
/// Time for a session to go on when what it waited for is gone.
const WAKING: Duration = Duration::from_millis(30);
/// Orders of one spec that are shown.
const SHOWN: usize = 3;

/// What to run.
pub(crate) struct Options {
    postgres: Place,
    evenkeel: Option<Place>,
    release: bool,
    specs: Vec<PathBuf>,
    every: bool,
}

impl Options {
    /// Reads the command line.
    pub(crate) fn parse(args: &[String]) -> Result<Options, String> {
        let named = args.iter().take_while(|a| !a.starts_with("--")).count();
        let (mut postgres, mut evenkeel, mut release, mut every) = (None, None, false, false);
        args::each(&args[named..], &["--release", "--every"], |name, value| {
            match name {
                "--release" => release = true,
                "--every" => every = true,
                "--postgres" => postgres = Some(Place::parse(value.text)?),
                "--evenkeel" => evenkeel = Some(Place::parse(value.text)?),
                _ => return args::unknown(name),
            }
            Ok(())
        })?;
        let postgres =
            postgres.ok_or("--postgres 'host=… port=… user=… dbname=…' names the server to compare with")?;
        let specs = files(&args[..named])?;
        Ok(Options { postgres, evenkeel, release, specs, every })
    }
}

fn files(named: &[String]) -> Result<Vec<PathBuf>, String> {
    let mut specs = Vec::new();
    for name in named {
        let path = PathBuf::from(name);
        if !path.is_dir() {
            specs.push(path);
            continue;
        }
        let inside = std::fs::read_dir(&path).map_err(|e| format!("{name}: {e}"))?;
        specs.extend(
            inside.flatten().map(|f| f.path()).filter(|f| f.extension().is_some_and(|e| e == "spec")),
        );
    }
    specs.sort();
    if specs.is_empty() {
        return Err(
            "name specs, or the folder with them: src/test/isolation/specs of PostgreSQL's source".into()
        );
    }
    Ok(specs)
}

/// What one server said to a step.
#[derive(PartialEq, Eq, Clone, Debug)]
struct Told {
    turn: usize,
    /// Whether it waited, and until after which other step; nothing where that is vague.
    waited: Option<Option<usize>>,
    answer: Answer,
}

/// How a permutation went on one server.
struct Outcome {
    told: Vec<Told>,
    /// What was refused, outside of the steps.
    lacks: Vec<String>,
}

/// A server with the sessions of a spec.
struct Sessions {
    control: Client,
    observer: Client,
    sessions: Vec<Client>,
}

impl Sessions {
    fn new(place: &Place, spec: &Spec) -> Result<Sessions, String> {
        let mut first = Client::connect(place)?;
        first.query("drop database if exists isolation_specs")?;
        if let Some((code, message)) = first.query("create database isolation_specs")?.error {
            return Err(format!("create database isolation_specs: {code}: {message}"));
        }
        let place = Place { database: "isolation_specs".into(), ..place.clone() };
        let connect = || {
            let mut client = Client::connect(&place)?;
            client.query("set client_min_messages = error; set statement_timeout = '10s'")?;
            Ok::<_, String>(client)
        };
        let mut sessions = Vec::new();
        for session in &spec.sessions {
            let mut client = connect()?;
            client.query(&format!("set application_name = 'isolation/specs/{}'", session.name))?;
            sessions.push(client);
        }
        Ok(Sessions { control: connect()?, observer: connect()?, sessions })
    }

    /// Comes back when a session's statement has ended or waits.
    fn settled(&mut self, session: usize, sql: &str) -> Result<Option<Answer>, String> {
        let began = Instant::now();
        let pid = self.sessions[session].pid;
        let waits = format!("select 1 from pg_stat_activity where pid = {pid} and wait_event_type = 'Lock'");
        loop {
            if let Some(answer) = self.sessions[session].poll(Duration::from_millis(2))? {
                return Ok(Some(answer));
            }
            if !self.observer.query(&waits)?.rows.is_empty() {
                return Ok(None);
            }
            if began.elapsed() > PATIENCE {
                return Err(format!("neither ends nor waits: {sql}"));
            }
        }
    }

    /// Runs one permutation.
    fn run(&mut self, spec: &Spec, permutation: &[spec::Turn]) -> Result<Outcome, String> {
        let mut lacks = Vec::new();
        for sql in spec.setups.iter().flat_map(|s| statements(s)) {
            lacks.extend(lacking(&self.control.query(&sql)?, &sql));
        }
        for (session, client) in spec.sessions.iter().zip(&mut self.sessions) {
            for sql in session.setup.iter().flat_map(|s| statements(s)) {
                lacks.extend(lacking(&client.query(&sql)?, &sql));
            }
        }
        let (mut told, mut open) = (Vec::new(), Vec::<(usize, usize)>::new());
        for (turn, t) in permutation.iter().enumerate() {
            // Who is to go on has first to end what it waits in.
            while open.iter().any(|(_, session)| *session == t.session) {
                let began = Instant::now();
                self.look(permutation, spec, &mut open, &mut told, turn.saturating_sub(1))?;
                if began.elapsed() > PATIENCE {
                    return Err("a session waits that is to go on".into());
                }
                if open.iter().any(|(_, session)| *session == t.session) {
                    let answer = self.sessions[t.session].finish()?;
                    let at = open.iter().position(|(_, s)| *s == t.session).expect("seen above");
                    let (of, _) = open.remove(at);
                    told.push(Told { turn: of, waited: known(&permutation[of], turn), answer });
                }
            }
            let sql = &spec.sessions[t.session].steps[t.step].sql;
            self.sessions[t.session].start(sql)?;
            match self.settled(t.session, sql)? {
                Some(answer) => {
                    let waited = if t.is_vague || t.is_late { None } else { Some(None) };
                    told.push(Told { turn, waited, answer });
                }
                None => open.push((turn, t.session)),
            }
            self.look(permutation, spec, &mut open, &mut told, turn)?;
        }
        while !open.is_empty() {
            let (turn, session) = open.remove(0);
            let answer = self.sessions[session].finish()?;
            told.push(Told { turn, waited: known(&permutation[turn], permutation.len()), answer });
        }
        told.sort_by_key(|t| t.turn);
        for (session, client) in spec.sessions.iter().zip(&mut self.sessions) {
            for sql in session.teardown.iter().flat_map(|s| statements(s)) {
                client.query(&sql)?;
            }
            client.query("rollback")?;
        }
        for sql in spec.teardown.iter().flat_map(|s| statements(s)) {
            self.control.query(&sql)?;
        }
        Ok(Outcome { told, lacks })
    }

    /// Takes the answers of those who waited and have ended by now.
    fn look(
        &mut self,
        permutation: &[spec::Turn],
        spec: &Spec,
        open: &mut Vec<(usize, usize)>,
        told: &mut Vec<Told>,
        after: usize,
    ) -> Result<(), String> {
        if open.is_empty() {
            return Ok(());
        }
        std::thread::sleep(WAKING);
        let mut still = Vec::new();
        for (turn, session) in std::mem::take(open) {
            let t = &permutation[turn];
            match self.settled(session, &spec.sessions[session].steps[t.step].sql)? {
                Some(answer) => {
                    told.push(Told { turn, waited: known(t, after), answer });
                }
                None => still.push((turn, session)),
            }
        }
        *open = still;
        Ok(())
    }
}

/// Until after which step one waited, unless the spec leaves it open.
fn known(turn: &spec::Turn, after: usize) -> Option<Option<usize>> {
    (!turn.is_vague && !turn.is_late).then_some(Some(after))
}

/// The statement and why, if it is refused for what is not there.
fn lacking(answer: &Answer, sql: &str) -> Option<String> {
    let (code, message) = answer.error.as_ref()?;
    ["0A000", "42883", "42704", "42P01"].contains(&code.as_str()).then(|| {
        let begin: String = sql.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(60).collect();
        format!("{message} ({begin})")
    })
}

/// Runs the specs; fails if any permutation differs.
pub(crate) fn run(o: &Options) -> Result<(), String> {
    clients::with_server(o.evenkeel.as_ref(), o.release, "isolation", |place| compare(o, place))
}

/// Of a spec's permutations.
#[derive(Default)]
struct Counts {
    equal: usize,
    lack: usize,
    differ: usize,
}

fn compare(o: &Options, place: &Place) -> Result<(), String> {
    let mut sum = Counts::default();
    let mut causes: BTreeMap<String, usize> = BTreeMap::new();
    println!("| spec | equal | lack something | differ |\n| --- | --- | --- | --- |");
    for path in &o.specs {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
        let spec = Spec::parse(&text).map_err(|e| format!("{}: {e}", path.display()))?;
        let mut counts = Counts::default();
        if let Err(e) = one(o, place, &spec, &mut counts, &mut causes) {
            println!("  {name}: {e}");
            counts.differ += 1;
        }
        println!("| {name} | {} | {} | {} |", counts.equal, counts.lack, counts.differ);
        sum.equal += counts.equal;
        sum.lack += counts.lack;
        sum.differ += counts.differ;
    }
    println!("| all | {} | {} | {} |", sum.equal, sum.lack, sum.differ);
    let mut causes: Vec<_> = causes.into_iter().collect();
    causes.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    println!("\n| permutations | lack |\n| --- | --- |");
    causes.iter().for_each(|(cause, n)| println!("| {n} | {cause} |"));
    match sum.differ {
        0 => Ok(()),
        n => Err(format!("{n} permutations differ")),
    }
}

fn one(
    o: &Options,
    place: &Place,
    spec: &Spec,
    counts: &mut Counts,
    causes: &mut BTreeMap<String, usize>,
) -> Result<(), String> {
    let mut theirs = Sessions::new(&o.postgres, spec).map_err(|e| format!("PostgreSQL: {e}"))?;
    let mut ours = Sessions::new(place, spec).map_err(|e| format!("evenkeel: {e}"))?;
    let mut shown = 0;
    for permutation in &spec.permutations {
        let (a, b) = std::thread::scope(|s| {
            let other = s.spawn(|| theirs.run(spec, permutation));
            let ours = ours.run(spec, permutation);
            (other.join().unwrap_or_else(|_| Err("a thread panicked".into())), ours)
        });
        let (a, b) = match (a, b) {
            (Ok(a), Ok(b)) => (a, b),
            (Ok(_), Err(e)) => {
                tell(spec, permutation, None);
                return Err(format!("evenkeel: {e}"));
            }
            (Err(_), Ok(b)) if !b.lacks.is_empty() => {
                counts.lack += 1;
                *causes.entry(b.lacks[0].clone()).or_default() += 1;
                return Ok(());
            }
            (Err(e), _) => return Err(format!("PostgreSQL: {e}")),
        };
        let differ = a.told.iter().zip(&b.told).any(|(a, b)| !alike(a, b));
        if !differ {
            counts.equal += 1;
            continue;
        }
        let of_steps = b.told.iter().zip(&a.told).filter_map(|(b, a)| {
            let t = &permutation[b.turn];
            (a.answer.error.as_ref().map(|e| &e.0) != b.answer.error.as_ref().map(|e| &e.0))
                .then(|| lacking(&b.answer, &spec.sessions[t.session].steps[t.step].sql))?
        });
        let of_steps: Vec<String> = of_steps.collect();
        let is_of_dependencies =
            |t: &Told| t.answer.error.as_ref().is_some_and(|(_, m)| m.contains("read/write dependencies"));
        let serializable = "SERIALIZABLE, which runs as REPEATABLE READ".to_string();
        let waits_for_safety = spec.is_deferrable() && a.told.iter().any(|t| t.answer.error.is_some());
        let is_of_serializable = waits_for_safety || a.told.iter().any(is_of_dependencies);
        let serializable = is_of_serializable.then_some(&serializable);
        let cause =
            serializable.or(of_steps.first()).or_else(|| b.lacks.iter().find(|l| !a.lacks.contains(l)));
        if let Some(cause) = cause {
            counts.lack += 1;
            *causes.entry(cause.clone()).or_default() += 1;
            // A spec whose sessions cannot begin is not worth its many orders.
            if counts.lack >= 20 && counts.equal == 0 {
                return Ok(());
            }
            if !o.every {
                continue;
            }
        } else {
            counts.differ += 1;
        }
        shown += 1;
        if shown <= SHOWN {
            tell(spec, permutation, Some((&a, &b)));
        }
    }
    Ok(())
}

/// Whether both servers said the same; where a step waited is compared only if both know.
fn alike(a: &Told, b: &Told) -> bool {
    let rows = |t: &Told| {
        let mut rows = t.answer.rows.clone();
        rows.sort();
        // Plans are written in other words, and rows before an error come or do not.
        if t.answer.tag == "EXPLAIN" || t.answer.error.is_some() {
            rows.clear();
        }
        rows
    };
    let waits = match (a.waited, b.waited) {
        (Some(a), Some(b)) => a == b,
        _ => true,
    };
    waits && a.answer.tag == b.answer.tag && a.answer.error == b.answer.error && rows(a) == rows(b)
}

fn tell(spec: &Spec, permutation: &[spec::Turn], outcomes: Option<(&Outcome, &Outcome)>) {
    let names: Vec<&str> =
        permutation.iter().map(|t| spec.sessions[t.session].steps[t.step].name.as_str()).collect();
    println!("  permutation {}", names.join(" "));
    let Some((a, b)) = outcomes else { return };
    for lack in b.lacks.iter().filter(|l| !a.lacks.contains(l)) {
        println!("    lacks: {lack}");
    }
    for (a, b) in a.told.iter().zip(&b.told) {
        let t = &permutation[a.turn];
        let step = &spec.sessions[t.session].steps[t.step];
        let sql = step.sql.split_whitespace().collect::<Vec<_>>().join(" ");
        println!("    {} {}: {sql}", spec.sessions[t.session].name, step.name);
        if !alike(a, b) {
            for (who, told) in [("PostgreSQL", a), ("evenkeel", b)] {
                let waited = match told.waited {
                    Some(Some(after)) => {
                        format!(" waited until {}", names.get(after).unwrap_or(&"the end"))
                    }
                    Some(None) => String::new(),
                    None => " (waited)".into(),
                };
                let answer = &told.answer;
                println!("      {who}{waited}: {} {:?} {}", answer.tag, answer.error, answer.rows.join(" "));
            }
        }
    }
}
