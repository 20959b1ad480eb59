//! Pairs of random statements in two sessions, of which one often waits for the other, against evenkeel and PostgreSQL at once: what the sessions are
//! told and what the tables hold afterwards must be the same.
//!
//! Statements that are done CONCURRENTLY are the second session's, without a transaction.
//!
//! Most pairs are of rows and foreign keys (`statements`), the others of definitions, views, indexes of every kind and locks (`objects`).
//!
//! Each pair is made from a number of its own: pair n of seed s is the first of seed s + n. So a run is resumed, and a pair run again, by `--seed`.

mod objects;
pub mod statements;
pub mod wire;

use crate::args;
use crate::clients;
use objects::Objects;
use statements::{Family, Random};
use std::time::{Duration, Instant, SystemTime};
use wire::{Answer, Client, Place};

/// Differences that are shown before the run is given up.
const MAX_DIFFERENCES: u32 = 20;
/// How long a statement may neither end nor wait.
const PATIENCE: Duration = Duration::from_secs(300);

/// What to run.
pub struct Options {
    postgres: Place,
    evenkeel: Option<Place>,
    seed: u64,
    pairs: u64,
    release: bool,
    /// Only pairs on definitions.
    objects: bool,
}

impl Options {
    /// Reads the command line.
    pub fn parse(args: &[String]) -> Result<Options, String> {
        let (mut postgres, mut evenkeel, mut release, mut objects) = (None, None, false, false);
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let (mut seed, mut pairs) = (now.as_secs() * 1_000_000, 500);
        args::each(args, &["--release", "--objects"], |name, value| {
            match name {
                "--release" => release = true,
                "--objects" => objects = true,
                "--postgres" => postgres = Some(Place::parse(value.text)?),
                "--evenkeel" => evenkeel = Some(Place::parse(value.text)?),
                "--seed" => seed = value.number()?,
                "--pairs" => pairs = value.number()?,
                _ => return args::unknown(name),
            }
            Ok(())
        })?;
        let postgres =
            postgres.ok_or("--postgres 'host=… port=… user=… dbname=…' names the server to compare with")?;
        Ok(Options { postgres, evenkeel, seed, pairs, release, objects })
    }
}

/// One step of a pair.
enum Step {
    /// A statement of the first session.
    First(String),
    /// A statement of the second, which may wait.
    Second(String),
}

/// Time for a session to go on when what it waited for is gone.
const WAKING: Duration = Duration::from_millis(30);

/// What a pair is about.
enum Scene {
    Rows(Family),
    Objects(Objects),
}

impl Scene {
    fn new(r: &mut Random, only_objects: bool) -> Scene {
        match only_objects || r.percent(30) {
            true => Scene::Objects(Objects::new(r)),
            false => Scene::Rows(Family::new(r)),
        }
    }

    fn fill(&self) -> &str {
        match self {
            Scene::Rows(f) => &f.fill,
            Scene::Objects(o) => &o.fill,
        }
    }

    fn look(&self) -> Vec<String> {
        match self {
            Scene::Rows(f) => f.look().to_vec(),
            Scene::Objects(o) => o.look(),
        }
    }

    fn steps(&self, r: &mut Random) -> Vec<Step> {
        match self {
            Scene::Rows(f) => steps(f, r),
            Scene::Objects(o) => steps_of_objects(o, r),
        }
    }
}

/// A server with both sessions and one that looks on.
struct Sessions {
    first: Client,
    second: Client,
    observer: Client,
}

/// How a pair went on one server.
#[derive(PartialEq, Eq)]
struct Outcome {
    told: Vec<String>,
    tables: Vec<Vec<String>>,
}

impl Sessions {
    fn new(place: &Place) -> Result<Sessions, String> {
        let connect = || Client::connect(place);
        let mut s = Sessions { first: connect()?, second: connect()?, observer: connect()? };
        for client in [&mut s.first, &mut s.second, &mut s.observer] {
            must(client.query("set statement_timeout = '5min'; set client_min_messages = error"))?;
        }
        must(s.observer.query(&statements::schema()))?;
        must(s.observer.query(&objects::schema()))?;
        Ok(s)
    }

    /// Starts the second session's statement and comes back when it has ended or waits.
    fn start_second(&mut self, sql: &str) -> Result<Option<Answer>, String> {
        self.second.start(sql)?;
        self.settled(sql)
    }

    /// Comes back when the second session's statement has ended or waits.
    fn settled(&mut self, sql: &str) -> Result<Option<Answer>, String> {
        let (began, pid) = (Instant::now(), self.second.pid);
        let waits = format!("select 1 from pg_stat_activity where pid = {pid} and wait_event_type = 'Lock'");
        loop {
            if let Some(answer) = self.second.poll(Duration::from_millis(1))? {
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

    /// Runs a pair; also whether the second session had to wait.
    fn run(&mut self, scene: &Scene, steps: &[Step]) -> Result<(Outcome, bool), String> {
        must(self.observer.query(scene.fill()))?;
        let (mut told, mut waited, mut open) = (Vec::new(), false, false);
        for step in steps {
            match step {
                Step::First(sql) => {
                    told.push(show("1", self.first.query(sql)?));
                    // It may go on now, and wait for what the first does next: not to depend on who is quicker.
                    if open && sql.starts_with("rollback to") {
                        std::thread::sleep(WAKING);
                        if let Some(answer) = self.settled(sql)? {
                            told.push(show("2", answer));
                            open = false;
                        }
                    }
                }
                Step::Second(sql) => {
                    if std::mem::take(&mut open) {
                        told.push(show("2", self.second.finish()?));
                    }
                    match self.start_second(sql)? {
                        Some(answer) => told.push(show("2", answer)),
                        None => (waited, open) = (true, true),
                    }
                }
            }
        }
        if open {
            told.push(show("2", self.second.finish()?));
        }
        // A waiting statement's answer comes at one place or another: by session the order is certain.
        told.sort_by_key(|line| line.starts_with('2'));
        for client in [&mut self.first, &mut self.second] {
            client.query("rollback")?;
        }
        let tables = scene
            .look()
            .iter()
            .map(|sql| self.observer.query(sql).map(|a| a.rows))
            .collect::<Result<_, _>>()?;
        Ok((Outcome { told, tables }, waited))
    }
}

fn must(answer: Result<Answer, String>) -> Result<(), String> {
    match answer?.error {
        None => Ok(()),
        Some((code, message)) => Err(format!("{code}: {message}")),
    }
}

/// An answer in one line. Rows are sorted, and those before an error do not count; of errors only serialization failures have words that count.
fn show(who: &str, mut a: Answer) -> String {
    a.rows.sort();
    match a.error {
        None => format!("{who}: {} {}", a.tag, a.rows.join(" ")),
        Some((code, message)) if code == "40001" => format!("{who}: {code} {message}"),
        Some((code, _)) => format!("{who}: {code}"),
    }
}

/// The steps of a pair.
fn steps(family: &Family, r: &mut Random) -> Vec<Step> {
    let mut steps = Vec::new();
    let is_repeatable = r.percent(35);
    let mut is_alone = false;
    let begin = if r.percent(15) { "begin isolation level repeatable read" } else { "begin" };
    steps.push(Step::First(begin.into()));
    if is_repeatable {
        steps.push(Step::Second("begin isolation level repeatable read".into()));
        steps.push(Step::Second(family.glance()));
    } else if r.percent(40) {
        steps.push(Step::Second("begin".into()));
    } else {
        is_alone = true;
    }
    let mut seconds = [family.statement(r), family.statement(r)];
    if is_alone && r.percent(10) {
        seconds[0] = family.reindex(r);
    }
    // Here PostgreSQL, which locks a referenced row, refuses what evenkeel, which locks its key, need not.
    let careful = is_repeatable && seconds.iter().any(|s| family.refers(s));
    // A key that one row gives up and another takes in the same transaction: evenkeel lets a child that waited refer to it, PostgreSQL does not.
    let mut is_given_up = false;
    let mut first = |r: &mut Random| loop {
        let sql = family.statement(r);
        if !(careful && family.locks_more_than_a_key(&sql) || is_given_up && family.takes_key(&sql)) {
            is_given_up |= family.gives_key_up(&sql);
            break Step::First(sql);
        }
    };
    for _ in 0..1 + r.below(2) {
        steps.push(first(r));
    }
    let goes_back = r.percent(12);
    if goes_back {
        steps.push(Step::First("savepoint s".into()));
        steps.push(first(r));
    }
    let end = if r.percent(88) { "commit" } else { "rollback" };
    let is_over = is_repeatable && r.percent(25);
    if is_over {
        steps.push(Step::First(end.into()));
    }
    let [second, third] = seconds;
    steps.push(Step::Second(second));
    if !is_over {
        if goes_back {
            steps.push(Step::First("rollback to s".into()));
        }
        steps.push(Step::First(end.into()));
    }
    if r.percent(30) {
        steps.push(Step::Second(third));
    }
    steps.push(Step::Second("commit".into()));
    steps
}

/// The steps of a pair on definitions.
fn steps_of_objects(objects: &Objects, r: &mut Random) -> Vec<Step> {
    let mut steps = vec![Step::First("begin".into())];
    let is_repeatable = r.percent(20);
    let is_alone = !is_repeatable && r.percent(50);
    if is_repeatable {
        steps.push(Step::Second("begin isolation level repeatable read".into()));
        steps.push(Step::Second(objects.glance()));
    } else if !is_alone {
        steps.push(Step::Second("begin".into()));
    }
    for _ in 0..1 + r.below(2) {
        steps.push(Step::First(objects.first(r)));
    }
    let goes_back = r.percent(12);
    if goes_back {
        steps.push(Step::First("savepoint s".into()));
        steps.push(Step::First(objects.first(r)));
    }
    steps.push(Step::Second(objects.second(r, is_alone)));
    if goes_back {
        steps.push(Step::First("rollback to s".into()));
    }
    steps.push(Step::First(if r.percent(80) { "commit" } else { "rollback" }.into()));
    if r.percent(40) {
        steps.push(Step::Second(objects.second(r, is_alone)));
    }
    if !is_alone {
        steps.push(Step::Second("commit".into()));
    }
    steps
}

/// A key that the first session gives up, and that the second takes while its snapshot still has the row: evenkeel refuses that with 40001, PostgreSQL shows both rows
/// (README, "What the SQL layer does"). Whether the two may differ because of it.
fn is_refused_on_purpose(steps: &[Step], theirs: &Outcome, ours: &Outcome) -> bool {
    let any = |who: bool, words: &[&str]| {
        steps.iter().any(|step| match step {
            Step::First(sql) => who && words.iter().any(|w| sql.contains(w)),
            Step::Second(sql) => !who && words.iter().any(|w| sql.contains(w)),
        })
    };
    let told = theirs.told.iter().zip(&ours.told).find(|(a, b)| a != b);
    let refused =
        told.is_some_and(|(_, b)| b == "2: 40001 could not serialize access due to concurrent update");
    any(true, &["delete from", "set id = ", "set k = ", "k = k + "])
        && any(false, &["isolation level repeatable read"])
        && any(false, &["insert into", "set id = ", "set k = ", "k = k + "])
        && refused
}

/// What README says of definitions and waiting: a name is looked up before locks, a view is read as it was, and a snapshot is older than a definition.
fn is_of_definitions(steps: &[Step], theirs: &Outcome, ours: &Outcome) -> bool {
    let says = |who: bool, words: &[&str]| {
        steps.iter().any(|step| match step {
            Step::First(sql) => who && words.iter().any(|w| sql.contains(w)),
            Step::Second(sql) => !who && words.iter().any(|w| sql.contains(w)),
        })
    };
    let Some((a, b)) = theirs.told.iter().zip(&ours.told).find(|(a, b)| a != b) else {
        return false;
    };
    let older = b == "2: 40001 could not serialize access due to concurrent update"
        && says(false, &["isolation level repeatable read"]);
    let same_name = a == "2: 23505" && b == "2: 42P07" && says(false, &["index ot_new"]);
    let gone = ["2: 42P01", "2: 42703"].contains(&a.as_str())
        && says(true, &["drop view", "alter view", "rename column"]);
    older || same_name || gone
}

/// The first difference is that evenkeel said that it has not what was asked for, such as definitions in a transaction whose snapshot is older.
fn is_unsupported(theirs: &Outcome, ours: &Outcome) -> bool {
    let told = theirs.told.iter().zip(&ours.told).find(|(a, b)| a != b);
    told.is_some_and(|(_, b)| b.ends_with(": 0A000"))
}

/// Runs the pairs; fails if any differs.
pub fn run(o: &Options) -> Result<(), String> {
    clients::with_server(o.evenkeel.as_ref(), o.release, "pairs", |place| compare(o, place))
}

fn compare(o: &Options, place: &Place) -> Result<(), String> {
    let mut theirs = Sessions::new(&o.postgres)?;
    let mut ours = Sessions::new(place)?;
    println!("seed {}, {} pairs", o.seed, o.pairs);
    let (mut waits, mut both, mut differences, mut refused, mut unsupported, mut documented) =
        (0, 0, 0, 0, 0, 0);
    for n in 0..o.pairs {
        let seed = o.seed.wrapping_add(n);
        let mut r = Random::new(seed);
        let scene = Scene::new(&mut r, o.objects);
        let steps = scene.steps(&mut r);
        let (a, b) = std::thread::scope(|s| {
            let other = s.spawn(|| theirs.run(&scene, &steps));
            let ours = ours.run(&scene, &steps);
            (other.join().unwrap_or_else(|_| Err("a thread panicked".into())), ours)
        });
        let at = |e: String, who: &str| format!("seed {seed}, {who}: {e}");
        let (theirs, they_waited) = a.map_err(|e| at(e, "PostgreSQL"))?;
        let (ours, we_waited) = b.map_err(|e| at(e, "evenkeel"))?;
        waits += u64::from(they_waited);
        both += u64::from(they_waited && we_waited);
        let is_of_definitions =
            matches!(scene, Scene::Objects(_)) && is_of_definitions(&steps, &theirs, &ours);
        if theirs != ours && is_of_definitions {
            documented += 1;
        } else if theirs != ours && is_refused_on_purpose(&steps, &theirs, &ours) {
            refused += 1;
        } else if theirs != ours && is_unsupported(&theirs, &ours) {
            unsupported += 1;
        } else if theirs != ours {
            differences += 1;
            report(seed, &scene, &steps, &theirs, &ours);
            if differences == MAX_DIFFERENCES {
                return Err(format!(
                    "{differences} pairs differ; go on with --seed {}",
                    seed.wrapping_add(1)
                ));
            }
        }
        if (n + 1) % 1000 == 0 {
            println!(
                "{} pairs, {waits} waited in PostgreSQL, {both} in both; next: --seed {}",
                n + 1,
                seed + 1
            );
        }
    }
    println!(
        "{} pairs, {waits} waited in PostgreSQL, {both} in both, {refused} took a key that the snapshot still had, {documented} met a definition as README says, {unsupported} asked for what is not there, {differences} differ",
        o.pairs
    );
    if differences == 0 { Ok(()) } else { Err(format!("{differences} pairs differ")) }
}

fn report(seed: u64, scene: &Scene, steps: &[Step], theirs: &Outcome, ours: &Outcome) {
    println!("--seed {seed} --pairs 1 differs\n  {}", scene.fill());
    for step in steps {
        match step {
            Step::First(sql) => println!("  1: {sql}"),
            Step::Second(sql) => println!("  2: {sql}"),
        }
    }
    for (who, o) in [("PostgreSQL", theirs), ("evenkeel", ours)] {
        println!("  {who}:");
        o.told.iter().for_each(|line| println!("    {line}"));
        o.tables.iter().for_each(|rows| println!("    table {}", rows.join(" ")));
    }
}
