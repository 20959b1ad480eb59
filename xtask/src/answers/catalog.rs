//! What evenkeel says that it has: functions, operators, casts and aggregates, and how often each was used.

use super::values::TYPES;
use crate::pairs::statements::Random;
use crate::pairs::wire::Client;
use std::cell::Cell;
use std::collections::HashSet;

/// Functions whose value is of the session, the time or the server.
const NOT_OF_ARGUMENTS: [&str; 27] = [
    "icu_",
    "system_user",
    "txid_",
    "pg_",
    "current",
    "has_",
    "to_reg",
    "set_config",
    "inet_",
    "format_type",
    "col_desc",
    "obj_desc",
    "shobj",
    "evenkeel",
    "version",
    "lastval",
    "currval",
    "nextval",
    "setval",
    "statement_",
    "transaction_",
    "clock_",
    "timeofday",
    "now",
    "random",
    "session_user",
    "row_security",
];

/// Of those, the ones whose value is of their arguments for all that.
const OF_ARGUMENTS: [&str; 3] = ["pg_visible_in_snapshot", "pg_snapshot_xmin", "pg_snapshot_xmax"];

/// Something that takes arguments and gives a value.
pub struct Entry {
    pub name: String,
    pub args: Vec<u32>,
    pub ret: u32,
    pub kind: Kind,
    /// How often it was used, in statements that succeeded or failed.
    pub used: Cell<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Function,
    Operator,
    Cast,
    Aggregate,
    /// WITHIN GROUP: the last argument is what rows are ordered by.
    OrderedSet,
    /// WITHIN GROUP, with as many arguments as rows are ordered by.
    Hypothetical,
}

pub struct Catalog {
    pub entries: Vec<Entry>,
}

/// Pseudo-types stand for these.
fn concrete(oid: u32, of_texts: bool) -> Option<u32> {
    let (element, array) = if of_texts { (25, 1009) } else { (23, 1007) };
    match oid {
        2277 | 5078 => Some(array),
        2283 | 5077 | 2276 => Some(element),
        oid => TYPES.iter().any(|(t, _)| *t == oid).then_some(oid),
    }
}

impl Catalog {
    /// Asks a server.
    pub fn of(client: &mut Client) -> Result<Catalog, String> {
        let mut entries = Vec::new();
        let mut ask = |sql: &str, kind: Kind| -> Result<(), String> {
            let answer = client.query(sql)?;
            if let Some((code, why)) = answer.error {
                return Err(format!("{sql}: {code} {why}"));
            }
            for row in answer.rows {
                let mut fields = row.split('|');
                let (Some(name), Some(args), Some(ret)) = (fields.next(), fields.next(), fields.next())
                else {
                    return Err(format!("{sql}: {row}"));
                };
                // What is not of the arguments alone.
                let special = [
                    "extract",
                    "position",
                    "localtimestamp",
                    "localtime",
                    "array_fill",
                    "repeat",
                    "normalize",
                ];
                if special.contains(&name)
                    || kind == Kind::Function
                        && NOT_OF_ARGUMENTS.iter().any(|p| name.starts_with(p))
                        && !OF_ARGUMENTS.contains(&name)
                {
                    continue;
                }
                let args: Vec<u32> = args.split_whitespace().filter_map(|a| a.parse().ok()).collect();
                let ret: u32 = ret.parse().unwrap_or(0);
                let polymorphic = args.iter().any(|a| matches!(a, 2276 | 2277 | 2283 | 5077 | 5078));
                for of_texts in [false, true].into_iter().take(1 + usize::from(polymorphic)) {
                    let concrete = |oid: &u32| concrete(*oid, of_texts);
                    let types = args.iter().map(concrete).collect::<Option<Vec<u32>>>();
                    if let (Some(args), Some(ret)) = (types, concrete(&ret)) {
                        entries.push(Entry { name: name.to_owned(), args, ret, kind, used: Cell::new(0) });
                    }
                }
            }
            Ok(())
        };
        // One field that is never absent, whatever separates the fields.
        let operators = "select oprname, oprleft::text || ' ' || oprright::text, oprresult from pg_operator where oprname <> '|'";
        ask(
            "select proname, proargtypes, prorettype from pg_proc where provolatile <> 'v' and not proretset and prokind = 'f'",
            Kind::Function,
        )?;
        ask(operators, Kind::Operator)?;
        ask("select 'cast', castsource, casttarget from pg_cast", Kind::Cast)?;
        for (of, kind) in [("n", Kind::Aggregate), ("o", Kind::OrderedSet), ("h", Kind::Hypothetical)] {
            ask(
                &format!(
                    "select proname, proargtypes, prorettype from pg_proc p, pg_aggregate where p.oid = aggfnoid::oid and aggkind = '{of}'"
                ),
                kind,
            )?;
        }
        // Intervals that are equal need not be alike, and which of them comes first is told by nothing.
        entries.retain(|e| e.kind != Kind::OrderedSet || !e.args.contains(&1186));
        entries.iter_mut().filter(|e| e.kind == Kind::Operator).for_each(|e| e.args.retain(|a| *a != 0));
        // Two notations for a call each.
        entries.retain(|e| e.kind != Kind::Operator || matches!(e.args.len(), 1 | 2));
        Ok(Catalog { entries })
    }

    /// Leaves out functions of extensions that the other server does not have; how many.
    pub fn keep_common(&mut self, other: &mut Client) -> Result<usize, String> {
        let names = other.query("select distinct proname from pg_proc")?;
        if let Some((code, why)) = names.error {
            return Err(format!("{code} {why}"));
        }
        let (names, before) = (HashSet::<String>::from_iter(names.rows), self.entries.len());
        let is_named = |e: &Entry| !matches!(e.kind, Kind::Operator | Kind::Cast);
        self.entries.retain(|e| !is_named(e) || names.contains(&e.name));
        Ok(before - self.entries.len())
    }

    /// One of a kind that gives this type; the least used of a few.
    pub fn giving(&self, ret: Option<u32>, kinds: &[Kind], r: &mut Random) -> Option<&Entry> {
        let fits = |e: &&Entry| kinds.contains(&e.kind) && ret.is_none_or(|t| t == e.ret);
        let all: Vec<&Entry> = self.entries.iter().filter(fits).collect();
        if all.is_empty() {
            return None;
        }
        // By the seed alone: a statement is found again without those before it.
        let entry = all[r.below(all.len() as u64) as usize];
        entry.used.set(entry.used.get() + 1);
        Some(entry)
    }
}

impl Entry {
    /// As it is written.
    pub fn call(&self, args: &[String]) -> String {
        match (self.kind, args) {
            (Kind::Operator, [a, b]) => format!("({a} {} {b})", self.name),
            (Kind::Operator, [a]) => format!("({} {a})", self.name),
            (Kind::Cast, [a]) => format!("({a})::{}", super::values::name_of(self.ret)),
            // Without quotes they are types.
            _ if ["timestamp", "time", "interval", "bit", "varbit", "char", "varchar", "numeric"]
                .contains(&&*self.name) =>
            {
                format!("\"{}\"({})", self.name, args.join(", "))
            }
            _ => format!("{}({})", self.name, args.join(", ")),
        }
    }

    /// For a report: with its types.
    pub fn signature(&self) -> String {
        let args: Vec<&str> = self.args.iter().map(|a| super::values::name_of(*a)).collect();
        format!(
            "{} {:?} -> {}",
            self.call(&args.iter().map(ToString::to_string).collect::<Vec<_>>()),
            self.kind,
            super::values::name_of(self.ret)
        )
    }
}
