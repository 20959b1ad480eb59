//! Random statements over random tables, against evenkeel and PostgreSQL at once: rows, and SQLSTATEs of errors, must be the same.
//!
//! Each statement is made from a number of its own: statement n of seed s is the first of seed s + n. The tables are made anew for every [`TABLES_EVERY`] numbers,
//! of which they depend. So a run is resumed, and a statement run again, by `--seed`.

mod catalog;
mod composites;
mod grammar;
mod ordered;
mod records;
mod richer;
mod series;
mod tables;
mod values;
mod versions;

use crate::args;
use crate::clients;
use crate::pairs::wire::{Answer, Client, Place};
use catalog::Catalog;
use grammar::{Grammar, Statement};
use std::collections::BTreeMap;
use std::time::{Duration, Instant, SystemTime};

const TABLES_EVERY: u64 = 500;
/// Slower than this is looked at, if it is ten times PostgreSQL's time.
const SLOW: Duration = Duration::from_millis(50);

/// What to run.
pub struct Options {
    postgres: Place,
    evenkeel: Option<Place>,
    seed: u64,
    statements: u64,
    differences: u64,
    release: bool,
    /// Only what `richer`, `records`, `ordered`, `versions` and `tables` make.
    rich: bool,
    /// Only what `composites` and `series` make.
    composites: bool,
    /// Queries as views, as they are written again.
    views: bool,
}

impl Options {
    /// Reads the command line.
    pub fn parse(args: &[String]) -> Result<Options, String> {
        let (mut postgres, mut evenkeel, mut release) = (None, None, false);
        let (mut rich, mut composites, mut views) = (false, false, false);
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let (mut seed, mut statements, mut differences) = (now.as_secs() * 1_000_000, 5000, 20);
        args::each(args, &["--release", "--rich", "--composites", "--views"], |name, value| {
            match name {
                "--release" => release = true,
                "--rich" => rich = true,
                "--composites" => composites = true,
                "--views" => views = true,
                "--postgres" => postgres = Some(Place::parse(value.text)?),
                "--evenkeel" => evenkeel = Some(Place::parse(value.text)?),
                "--seed" => seed = value.number()?,
                "--statements" => statements = value.number()?,
                "--differences" => differences = value.number()?,
                _ => return args::unknown(name),
            }
            Ok(())
        })?;
        let postgres =
            postgres.ok_or("--postgres 'host=… port=… user=… dbname=…' names the server to compare with")?;
        Ok(Options { postgres, evenkeel, seed, statements, differences, release, rich, composites, views })
    }
}

/// What came of all statements.
#[derive(Default)]
struct Counts {
    rows: u64,
    errors: u64,
    /// One side failed where the other, which evaluates in another order, did not get there, or failed elsewhere.
    order: u64,
    /// By message: what evenkeel does not have.
    unsupported: BTreeMap<String, u64>,
    slow: u64,
    differ: u64,
    /// Views: written again, left as they were, and written otherwise by PostgreSQL.
    views: [u64; 3],
}

/// Runs the statements; fails if any differs.
pub fn run(o: &Options) -> Result<(), String> {
    clients::with_server(o.evenkeel.as_ref(), o.release, "answers", |place| compare(o, place))
}

fn connect(place: &Place) -> Result<Client, String> {
    let mut client = Client::connect(place)?;
    let set = "set statement_timeout = '60s'; set client_min_messages = error; set timezone = 'UTC'; set intervalstyle = postgres";
    must(client.query(set)?)?;
    Ok(client)
}

fn must(answer: Answer) -> Result<(), String> {
    match answer.error {
        None => Ok(()),
        Some((code, message)) => Err(format!("{code}: {message}")),
    }
}

/// The text of a query as a view's, as evenkeel writes it; PostgreSQL, given that, must write the same. None: there is none.
fn written(
    seed: u64,
    ours: &mut Client,
    theirs: &mut Client,
    s: &Statement,
    counts: &mut Counts,
) -> Result<Option<String>, String> {
    if s.changes.is_some() {
        return Ok(None);
    }
    let view = |client: &mut Client, query: &str| -> Result<Answer, String> {
        must(client.query("begin")?)?;
        let made = client.query(&format!("create temp view written as {query}"))?;
        let shown = match made.error {
            Some(_) => made,
            None => client.query("select pg_get_viewdef('written'::regclass)")?,
        };
        client.query("rollback")?;
        Ok(shown)
    };
    let own = view(theirs, &s.sql)?;
    if own.error.is_some() {
        return Ok(None);
    }
    let shown = view(ours, &s.sql)?;
    let Some(text) = shown.rows.first().filter(|_| shown.error.is_none()) else { return Ok(None) };
    if s.sql.contains(text.trim().trim_end_matches(';')) {
        counts.views[1] += 1;
        if counts.views[1] <= 20 {
            println!("--seed {seed} --statements 1 is left as it is\n  {}", s.sql);
        }
        return Ok(None);
    }
    counts.views[0] += 1;
    // What PostgreSQL writes of the query it need not write again of its own text.
    if own.rows.first() == Some(text) {
        return Ok(Some(text.clone()));
    }
    let again = view(theirs, text)?;
    if again.rows.first() != Some(text) {
        counts.views[2] += 1;
        println!("--seed {seed} --statements 1: PostgreSQL writes it otherwise\n  {}\n{text}", s.sql);
        match &again.error {
            Some((code, why)) => println!("  PostgreSQL: {code} {why}"),
            None => println!("{}", again.rows.first().map_or("", String::as_str)),
        }
    }
    Ok(Some(text.clone()))
}

/// What a statement gave, and what its table has afterwards.
struct Outcome {
    answer: Answer,
    table: Vec<String>,
    took: Duration,
}

fn ask(client: &mut Client, s: &Statement) -> Result<Outcome, String> {
    let began = Instant::now();
    let Some(table) = &s.changes else {
        let answer = client.query(&s.sql)?;
        return Ok(Outcome { answer, table: Vec::new(), took: began.elapsed() });
    };
    must(client.query("begin")?)?;
    let answer = client.query(&s.sql)?;
    let took = began.elapsed();
    let rows = client.query(&format!("select * from {table}"))?.rows;
    client.query("rollback")?;
    Ok(Outcome { answer, table: rows, took })
}

fn compare(o: &Options, place: &Place) -> Result<(), String> {
    let (mut theirs, mut ours) = (connect(&o.postgres)?, connect(place)?);
    let mut catalog = Catalog::of(&mut ours)?;
    let left_out = catalog.keep_common(&mut theirs)?;
    println!(
        "seed {}, {} statements, {} functions, operators, casts and aggregates; {left_out} of extensions that PostgreSQL does not have there",
        o.seed,
        o.statements,
        catalog.entries.len()
    );
    let (mut counts, mut tables) = (Counts::default(), None);
    for n in 0..o.statements {
        let seed = o.seed.wrapping_add(n);
        if tables != Some(seed / TABLES_EVERY) {
            tables = Some(seed / TABLES_EVERY);
            let schema = [composites::schema, records::schema, richer::schema, values::schema]
                .map(|schema| schema(seed / TABLES_EVERY))
                .concat();
            must(theirs.query(&schema)?).map_err(|e| format!("PostgreSQL: {e}\n{schema}"))?;
            must(ours.query(&schema)?).map_err(|e| format!("evenkeel: {e}\n{schema}"))?;
        }
        let mut grammar = Grammar::new(&catalog, seed);
        let statement = match (o.rich, o.composites) {
            (_, true) => grammar.of_composites(),
            (true, _) => grammar.rich(),
            _ => grammar.statement(),
        };
        if o.views {
            if let Some(sql) = written(seed, &mut ours, &mut theirs, &statement, &mut counts)? {
                let again = Statement { sql, changes: None };
                let (a, b) = (ask(&mut ours, &statement)?, ask(&mut ours, &again)?);
                judge(seed, &again, &a, &b, &mut counts);
            }
            if counts.differ >= o.differences {
                break;
            }
            continue;
        }
        let (a, b) = std::thread::scope(|s| {
            let other = s.spawn(|| ask(&mut theirs, &statement));
            let b = ask(&mut ours, &statement);
            (other.join().unwrap_or_else(|_| Err("a thread panicked".into())), b)
        });
        let a = a.map_err(|e| format!("seed {seed}, PostgreSQL: {e}\n  {}", statement.sql))?;
        let b = b.map_err(|e| format!("seed {seed}, evenkeel: {e}\n  {}", statement.sql))?;
        judge(seed, &statement, &a, &b, &mut counts);
        if counts.differ >= o.differences {
            break;
        }
        if (n + 1) % 5000 == 0 {
            println!("{} statements, {} differ; next: --seed {}", n + 1, counts.differ, seed + 1);
        }
    }
    summary(&counts, &catalog);
    if o.views {
        let [written, left, otherwise] = counts.views;
        println!(
            "{written} views written again, {otherwise} of them otherwise by PostgreSQL; {left} left as they were"
        );
    }
    if counts.differ == 0 { Ok(()) } else { Err(format!("{} statements differ", counts.differ)) }
}

fn judge(seed: u64, s: &Statement, a: &Outcome, b: &Outcome, counts: &mut Counts) {
    if b.took > SLOW && b.took > a.took * 10 {
        counts.slow += 1;
        println!("--seed {seed} --statements 1 is slow: {:?}, PostgreSQL {:?}\n  {}", b.took, a.took, s.sql);
    }
    // Of single values: what is evaluated first, or not at all, is not laid down.
    let of_values = |code: &str| ["22", "54", "21", "0A"].iter().any(|class| code.starts_with(class));
    match (&a.answer.error, &b.answer.error) {
        (None, None) => {
            let same = same_rows(&a.answer.rows, &b.answer.rows)
                && same_rows(&a.table, &b.table)
                && a.answer.tag == b.answer.tag;
            counts.rows += 1;
            if same {
                return;
            }
        }
        (Some((x, _)), Some((y, _))) if x == y => {
            counts.errors += 1;
            return;
        }
        (_, Some((code, why))) if code == "0A000" => {
            *counts.unsupported.entry(why.clone()).or_default() += 1;
            return;
        }
        // Errors of values: whichever is met first, or at all.
        (Some((x, _)), Some((y, _))) if of_values(x) && of_values(y) => {
            counts.order += 1;
            return;
        }
        (Some((x, _)), None) | (None, Some((x, _)))
            if of_values(x) && (s.changes.is_some() || s.sql.to_lowercase().contains(" from ")) =>
        {
            counts.order += 1;
            return;
        }
        _ => {}
    }
    counts.differ += 1;
    println!("--seed {seed} --statements 1 differs\n  {}", s.sql);
    for (who, o, other) in [("PostgreSQL", a, b), ("evenkeel", b, a)] {
        match &o.answer.error {
            Some((code, message)) => println!("  {who}: {code} {message}"),
            None => {
                println!("  {who}: {}, {} rows", o.answer.tag, o.answer.rows.len());
                let missing = |mine: &[String], others: &[String]| -> Vec<String> {
                    mine.iter().filter(|r| !others.contains(r)).take(5).cloned().collect()
                };
                missing(&o.answer.rows, &other.answer.rows).iter().for_each(|r| println!("    {r}"));
                missing(&o.table, &other.table).iter().for_each(|r| println!("    table: {r}"));
            }
        }
    }
}

/// In any order; numbers as numbers, as sums of floats depend on their order, and equal numbers are written in several ways.
fn same_rows(a: &[String], b: &[String]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let sorted = |rows: &[String]| {
        let mut rows: Vec<String> = rows.to_vec();
        rows.sort();
        rows
    };
    let (a, b) = (sorted(a), sorted(b));
    if a == b {
        return true;
    }
    let mut left: Vec<&String> = b.iter().collect();
    a.iter().all(|x| match left.iter().position(|y| same_row(x, y)) {
        Some(n) => {
            left.swap_remove(n);
            true
        }
        None => false,
    })
}

fn same_row(a: &str, b: &str) -> bool {
    let (x, y): (Vec<&str>, Vec<&str>) = (a.split('|').collect(), b.split('|').collect());
    x.len() == y.len() && x.iter().zip(&y).all(|(x, y)| same_value(x, y))
}

fn same_value(a: &str, b: &str) -> bool {
    if a == b || a.trim_end() == b.trim_end() {
        return true;
    }
    match (a.parse::<f64>(), b.parse::<f64>()) {
        (Ok(x), Ok(y)) => {
            (x - y).abs() <= 1e-9 * x.abs().max(y.abs()).max(10.0) || (x.is_nan() && y.is_nan())
        }
        _ => false,
    }
}

fn summary(c: &Counts, catalog: &Catalog) {
    let total = c.rows + c.errors + c.order + c.differ + c.unsupported.values().sum::<u64>();
    println!(
        "{total} statements: {} gave rows, {} failed alike, {} failed on one side or elsewhere (order of evaluation), {} asked for what is not there, {} slow, {} differ",
        c.rows,
        c.errors,
        c.order,
        c.unsupported.values().sum::<u64>(),
        c.slow,
        c.differ
    );
    let mut wanting: Vec<(&String, &u64)> = c.unsupported.iter().collect();
    wanting.sort_by_key(|(_, n)| std::cmp::Reverse(**n));
    wanting.iter().take(12).for_each(|(why, n)| println!("  {n} times: {why}"));
    let rare: Vec<String> =
        catalog.entries.iter().filter(|e| e.used.get() < 20).map(|e| e.signature()).collect();
    println!("{} of {} entries were used fewer than 20 times", rare.len(), catalog.entries.len());
}
