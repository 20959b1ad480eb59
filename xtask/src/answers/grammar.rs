//! Random statements over the tables of `values`.
//!
//! Invariants
//! 1. What a statement gives does not depend on an order that nothing orders: LIMIT comes behind an order by all columns, collecting aggregates have an order.

use super::catalog::{Catalog, Entry, Kind};
use super::values::{COLUMNS, TABLES, TYPES, literal, name_of};
use crate::pairs::statements::Random;

/// Deepest expression.
const DEPTH: u32 = 4;
/// Types that are compared with one another.
const NUMBERS: [u32; 6] = [21, 23, 20, 1700, 701, 700];
const STRINGS: [u32; 3] = [25, 1043, 1042];
const TIMES: [u32; 3] = [1082, 1114, 1184];

/// A column that an expression may read.
#[derive(Clone)]
struct Column {
    name: String,
    ty: u32,
}

/// A statement, and how it is to be run.
pub struct Statement {
    pub sql: String,
    /// It changes this table.
    pub changes: Option<String>,
}

pub struct Grammar<'a> {
    pub catalog: &'a Catalog,
    pub r: Random,
    /// Names given so far.
    names: u32,
}

impl<'a> Grammar<'a> {
    pub fn new(catalog: &'a Catalog, seed: u64) -> Grammar<'a> {
        Grammar { catalog, r: Random::new(seed), names: 0 }
    }

    fn any_type(&mut self) -> u32 {
        // Mostly those that columns have.
        if self.r.percent(80) {
            COLUMNS[self.r.below(COLUMNS.len() as u64) as usize].1
        } else {
            TYPES[self.r.below(TYPES.len() as u64) as usize].0
        }
    }

    fn kin(&mut self, ty: u32) -> u32 {
        for kind in [&NUMBERS[..], &STRINGS[..], &TIMES[..]] {
            if kind.contains(&ty) {
                return kind[self.r.below(kind.len() as u64) as usize];
            }
        }
        ty
    }

    fn fresh(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    /// A statement.
    pub fn statement(&mut self) -> Statement {
        let plain = |sql| Statement { sql, changes: None };
        match self.r.below(100) {
            0..=19 => plain(self.probe()),
            20..=49 => plain(self.select(2)),
            50..=58 => plain(self.grouped()),
            59..=68 => plain(self.sets()),
            69..=83 => self.rich(),
            84..=92 => self.of_composites(),
            _ => self.change(),
        }
    }

    /// A statement of composite types or of set-returning functions.
    pub fn of_composites(&mut self) -> Statement {
        if self.r.percent(60) { self.composite() } else { self.series() }
    }

    /// One entry of the catalog, over constants or a table.
    fn probe(&mut self) -> String {
        let kinds = [Kind::Function, Kind::Operator, Kind::Cast];
        let table = self.r.percent(40).then(|| self.r.below(TABLES));
        let columns = table.map_or(Vec::new(), |t| columns(&format!("t{t}")));
        let Some(entry) = self.catalog.giving(None, &kinds, &mut self.r) else { return "select 1".into() };
        let args = self.args(entry, &columns, DEPTH);
        let call = entry.call(&args);
        match table {
            Some(t) => format!("select id, {call} from t{t}"),
            None => format!("select {call}"),
        }
    }

    /// Arguments. A cast from text gets one that can be cast, mostly.
    fn args(&mut self, entry: &Entry, columns: &[Column], d: u32) -> Vec<String> {
        let is_parse =
            entry.kind == Kind::Cast && STRINGS.contains(&entry.args[0]) && !STRINGS.contains(&entry.ret);
        if is_parse && !self.r.percent(15) {
            return vec![format!("({})::{}", literal(entry.ret, &mut self.r), name_of(entry.args[0]))];
        }
        entry.args.iter().map(|a| self.expr(*a, columns, d)).collect()
    }

    fn column(&mut self, ty: u32, columns: &[Column]) -> Option<String> {
        let fits: Vec<&Column> = columns.iter().filter(|c| c.ty == ty).collect();
        if fits.is_empty() { None } else { Some(fits[self.r.below(fits.len() as u64) as usize].name.clone()) }
    }

    fn leaf(&mut self, ty: u32, columns: &[Column]) -> String {
        match self.column(ty, columns) {
            Some(c) if self.r.percent(75) => c,
            _ => literal(ty, &mut self.r),
        }
    }

    /// An expression of a type.
    fn expr(&mut self, ty: u32, columns: &[Column], depth: u32) -> String {
        if depth >= DEPTH || self.r.percent(30) {
            return self.leaf(ty, columns);
        }
        let d = depth + 1;
        if ty == 16 && self.r.percent(70) {
            return self.condition(columns, d);
        }
        match self.r.below(12) {
            0..=5 => match self.catalog.giving(
                Some(ty),
                &[Kind::Function, Kind::Operator, Kind::Operator, Kind::Cast],
                &mut self.r,
            ) {
                Some(entry) => {
                    let args = self.args(entry, columns, d);
                    entry.call(&args)
                }
                None => self.leaf(ty, columns),
            },
            6 => {
                let (test, yes) = (self.condition(columns, d), self.expr(ty, columns, d));
                let kin = self.kin(ty);
                let no = self.expr(kin, columns, d);
                format!("(case when {test} then {yes} else {no} end)::{}", name_of(ty))
            }
            7 => {
                let (a, kin) = (self.expr(ty, columns, d), self.kin(ty));
                format!("coalesce({a}, {})", self.expr(kin, columns, d))
            }
            8 => {
                let (a, kin) = (self.expr(ty, columns, d), self.kin(ty));
                format!("nullif({a}, {})", self.expr(kin, columns, d))
            }
            9 if !matches!(ty, 1186 | 17 | 114 | 4072 | 5038) => {
                let word = self.r.pick(&["greatest", "least"]).to_owned();
                format!("{word}({}, {})", self.expr(ty, columns, d), self.expr(ty, columns, d))
            }
            10 if matches!(ty, 21 | 23 | 20 | 1700 | 25) => self.scalar_subquery(ty, columns, d),
            11 => {
                let kin = self.kin(ty);
                format!("({})::{}", self.expr(kin, columns, d), name_of(ty))
            }
            _ => self.leaf(ty, columns),
        }
    }

    fn scalar_subquery(&mut self, ty: u32, outer: &[Column], d: u32) -> String {
        let (t, alias) = (self.r.below(TABLES), self.fresh("q"));
        let inner = columns(&alias);
        let Some(column) = self.column(ty, &inner) else { return self.leaf(ty, outer) };
        let f = self.r.pick(&["max", "min"]).to_owned();
        let both: Vec<Column> = inner.iter().chain(outer).cloned().collect();
        let condition = self.condition(&both, d);
        format!("(select {f}({column}) from t{t} {alias} where {condition})")
    }

    /// A condition.
    fn condition(&mut self, columns: &[Column], depth: u32) -> String {
        if depth >= DEPTH {
            return self.leaf(16, columns);
        }
        let d = depth + 1;
        let ty = self.any_type();
        let kin = self.kin(ty);
        match self.r.below(16) {
            0..=3 => {
                let op = self.r.pick(&["=", "<>", "<", "<=", ">", ">="]).to_owned();
                format!("({} {op} {})", self.expr(ty, columns, d), self.expr(kin, columns, d))
            }
            4 => {
                let not = self.r.pick(&["", "not "]).to_owned();
                format!(
                    "({} is {not}distinct from {})",
                    self.expr(ty, columns, d),
                    self.expr(kin, columns, d)
                )
            }
            5 => {
                let (not, a) = (self.r.pick(&["", "not "]).to_owned(), self.expr(ty, columns, d));
                format!("({a} is {not}null)")
            }
            6 => {
                let word = self.r.pick(&["and", "or"]).to_owned();
                format!("({} {word} {})", self.condition(columns, d), self.condition(columns, d))
            }
            7 => format!("(not {})", self.condition(columns, d)),
            8 => {
                let not = self.r.pick(&["", "not "]).to_owned();
                let x = self.expr(ty, columns, d);
                let list: Vec<String> = (0..1 + self.r.below(3))
                    .map(|_| {
                        let kin = self.kin(ty);
                        self.expr(kin, columns, DEPTH)
                    })
                    .collect();
                format!("({x} {not}in ({}))", list.join(", "))
            }
            9 => {
                let word = self.r.pick(&["between", "not between", "between symmetric"]).to_owned();
                let x = self.expr(ty, columns, d);
                format!(
                    "({x} {word} {} and {})",
                    self.expr(kin, columns, DEPTH),
                    self.expr(ty, columns, DEPTH)
                )
            }
            10 => {
                let (t, alias) = (self.r.below(TABLES), self.fresh("q"));
                let both: Vec<Column> = self::columns(&alias).iter().chain(columns).cloned().collect();
                let (not, c) = (self.r.pick(&["", "not "]).to_owned(), self.condition(&both, d));
                format!("({not}exists (select 1 from t{t} {alias} where {c}))")
            }
            11 => {
                let (t, alias) = (self.r.below(TABLES), self.fresh("q"));
                let inner = self::columns(&alias);
                let Some(column) = self.column(kin, &inner) else { return self.leaf(16, columns) };
                let word = self.r.pick(&["in", "not in", "= any", "> all", "<= any"]).to_owned();
                let x = self.expr(ty, columns, d);
                format!(
                    "({x} {word} (select {column} from t{t} {alias} where {}))",
                    self.condition(&inner, d)
                )
            }
            12 => {
                let op = self.r.pick(&["=", "<>", "<", ">="]).to_owned();
                let (other, third) = (self.any_type(), self.kin(ty));
                let left =
                    format!("({}, {})", self.expr(ty, columns, DEPTH), self.expr(other, columns, DEPTH));
                let right =
                    format!("({}, {})", self.expr(third, columns, DEPTH), self.expr(other, columns, DEPTH));
                format!("({left} {op} {right})")
            }
            13 => {
                let string = STRINGS[self.r.below(3) as usize];
                let word = self.r.pick(&["like", "not like", "ilike", "~"]).to_owned();
                let pattern = self.r.pick(&["a%", "%b", "_", "a_b", "%", "^a", "b$"]).to_owned();
                format!("({} {word} '{pattern}')", self.expr(string, columns, d))
            }
            14 => self.chain(columns),
            _ => self.leaf(16, columns),
        }
    }

    /// Columns that are equal to one another, some of them to values as well: what follows from that, or cannot be.
    fn chain(&mut self, columns: &[Column]) -> String {
        let ty = [21, 23, 20, 25][self.r.below(4) as usize];
        let Some(mut last) = self.column(ty, columns) else { return self.leaf(16, columns) };
        let mut parts = Vec::new();
        for _ in 0..1 + self.r.below(3) {
            let Some(next) = self.column(ty, columns) else { continue };
            parts.push(format!("{last} = {next}"));
            for column in [last, next.clone()] {
                if self.r.percent(40) {
                    parts.push(format!("{column} = {}", literal(ty, &mut self.r)));
                }
            }
            last = next;
        }
        if parts.is_empty() { self.leaf(16, columns) } else { format!("({})", parts.join(" and ")) }
    }

    /// A FROM clause and what it has.
    fn from(&mut self, depth: u32) -> (String, Vec<Column>) {
        let (mut sql, mut all) = self.source(depth);
        for _ in 0..self.r.below(3) {
            let (right, columns) = self.source(depth);
            let kind = self.r.pick(&["join", "left join", "right join", "full join", "join"]).to_owned();
            if self.r.percent(35) {
                // The columns of both are seen with their table's name all the same.
                let mut names: Vec<&str> = vec!["i", "b", "s", "n", "t", "d"];
                names.swap(0, self.r.below(6) as usize);
                let common = |c: &&&str| {
                    let has = |side: &[Column]| {
                        side.iter().filter(|x| x.name.ends_with(&format!(".{c}"))).count() == 1
                    };
                    has(&all) && has(&columns)
                };
                if let Some(name) = names.iter().find(common) {
                    sql = format!("{sql} {kind} {right} using ({name})");
                    all.extend(columns);
                    continue;
                }
            }
            let both: Vec<Column> = all.iter().chain(&columns).cloned().collect();
            let ty = NUMBERS[self.r.below(4) as usize];
            let (l, r) = (self.column(ty, &all), self.column(ty, &columns));
            let mut on = match (l, r) {
                (Some(l), Some(r)) => format!("{l} = {r}"),
                _ => "true".into(),
            };
            if kind != "full join" && self.r.percent(40) {
                on = format!("{on} and {}", self.condition(&both, 2));
            }
            sql = format!("{sql} {kind} {right} on {on}");
            all = both;
        }
        (sql, all)
    }

    fn source(&mut self, depth: u32) -> (String, Vec<Column>) {
        let alias = self.fresh("r");
        if depth > 0 && self.r.percent(15) {
            let (inner, types) = self.simple(depth - 1);
            let columns = types
                .iter()
                .enumerate()
                .map(|(n, ty)| Column { name: format!("{alias}.k{n}"), ty: *ty })
                .collect();
            let names: Vec<String> = (0..types.len()).map(|n| format!("k{n}")).collect();
            return (format!("({inner}) {alias}({})", names.join(", ")), columns);
        }
        (format!("t{} {alias}", self.r.below(TABLES)), columns(&alias))
    }

    /// A query with columns of known types.
    fn simple(&mut self, depth: u32) -> (String, Vec<u32>) {
        let types: Vec<u32> = (0..1 + self.r.below(3)).map(|_| self.any_type()).collect();
        (self.query_of(&types, depth), types)
    }

    fn query_of(&mut self, types: &[u32], depth: u32) -> String {
        let (from, columns) = self.from(depth);
        let list: Vec<String> = types.iter().map(|t| self.expr(*t, &columns, 1)).collect();
        let distinct = if self.r.percent(15) { "distinct " } else { "" };
        let condition = if self.r.percent(60) {
            format!(" where {}", self.condition(&columns, 1))
        } else {
            String::new()
        };
        format!("select {distinct}{} from {from}{condition}", list.join(", "))
    }

    fn select(&mut self, depth: u32) -> String {
        if self.r.percent(12) {
            let (from, columns) = self.from(0);
            return format!("select * from {from} where {}", self.condition(&columns, 1));
        }
        let (sql, types) = self.simple(depth);
        let order: Vec<String> = (1..=types.len()).map(|n| n.to_string()).collect();
        match self.r.below(5) {
            0 => format!("{sql} order by {} limit {}", order.join(", "), self.r.below(6)),
            1 => format!("{sql} order by {} desc offset 1", order.join(", ")),
            2 => format!("with w as ({sql}) select * from w union all select * from w"),
            _ => sql,
        }
    }

    fn grouped(&mut self) -> String {
        let (from, columns) = self.from(1);
        let key = self.any_type();
        let key = self.expr(key, &columns, 2);
        let mut list = vec![key.clone()];
        for _ in 0..1 + self.r.below(3) {
            let kinds = [Kind::Aggregate, Kind::OrderedSet, Kind::Hypothetical];
            let Some(entry) = self.catalog.giving(None, &kinds, &mut self.r) else { break };
            if entry.kind != Kind::Aggregate {
                let call = self.within_group(entry, &columns);
                list.push(call);
                continue;
            }
            let args: Vec<String> = entry.args.iter().map(|a| self.expr(*a, &columns, 2)).collect();
            let is_ordered = entry.name.starts_with("json")
                || ["array_agg", "string_agg", "any_value"].contains(&entry.name.as_str());
            let distinct = if args.len() == 1 && self.r.percent(25) { "distinct " } else { "" };
            let order = if is_ordered && !args.is_empty() {
                format!(" order by {}", args.join(", "))
            } else {
                String::new()
            };
            let name = if entry.name == "any_value" { "max" } else { &entry.name };
            let inside = if args.is_empty() { "*".into() } else { args.join(", ") };
            let filter = if self.r.percent(25) {
                format!(" filter (where {})", self.condition(&columns, 2))
            } else {
                String::new()
            };
            list.push(format!("{name}({distinct}{inside}{order}){filter}"));
        }
        let where_ = if self.r.percent(40) {
            format!(" where {}", self.condition(&columns, 2))
        } else {
            String::new()
        };
        let having = if self.r.percent(20) { " having count(*) > 1" } else { "" };
        format!("select {} from {from}{where_} group by {key}{having}", list.join(", "))
    }

    /// An aggregate WITHIN GROUP.
    fn within_group(&mut self, entry: &Entry, columns: &[Column]) -> String {
        const FRACTIONS: [&str; 8] =
            ["0", "0.25", "0.5", "0.9", "1", "null", "1.5", "array[0.75, null, 0.1]"];
        let ty = entry.args.last().copied().unwrap_or(23);
        let (mut direct, mut order) = (Vec::new(), Vec::new());
        let count = if entry.kind == Kind::Hypothetical { 1 + self.r.below(2) } else { 1 };
        for _ in 0..count {
            match entry.kind {
                Kind::Hypothetical => direct.push(literal(ty, &mut self.r)),
                _ if entry.args.len() > 1 => direct.push(self.r.pick(&FRACTIONS).to_owned()),
                _ => {}
            }
            let key = self.expr(ty, columns, 2);
            order.push(key + self.r.pick(&["", "", " desc", " nulls first", " desc nulls last"]));
        }
        let filter = if self.r.percent(25) {
            format!(" filter (where {})", self.condition(columns, 2))
        } else {
            String::new()
        };
        format!("{}({}) within group (order by {}){filter}", entry.name, direct.join(", "), order.join(", "))
    }

    fn sets(&mut self) -> String {
        let types: Vec<u32> = (0..1 + self.r.below(2)).map(|_| self.any_type()).collect();
        let other: Vec<u32> = types.iter().map(|t| self.kin(*t)).collect();
        let (a, b) = (self.query_of(&types, 0), self.query_of(&other, 0));
        let op = self
            .r
            .pick(&["union", "union all", "intersect", "except", "intersect all", "except all"])
            .to_owned();
        format!("({a}) {op} ({b})")
    }

    fn change(&mut self) -> Statement {
        let table = format!("t{}", self.r.below(TABLES));
        let own = columns(&table);
        let (name, ty, _) = COLUMNS[self.r.below(COLUMNS.len() as u64) as usize];
        let kin = self.kin(ty);
        let sql = match self.r.below(6) {
            0 => format!(
                "insert into {table} (id, {name}) select id + 1000, {} from {table} where {} returning *",
                self.expr(kin, &own, 1),
                self.condition(&own, 1)
            ),
            1 => format!(
                "update {table} set {name} = {} where {} returning {}",
                self.expr(kin, &own, 1),
                self.condition(&own, 1),
                self.expr(ty, &own, 2)
            ),
            2 => {
                let alias = self.fresh("r");
                let both: Vec<Column> = own.iter().chain(&columns(&alias)).cloned().collect();
                format!(
                    "delete from {table} using t{} {alias} where {table}.id = {alias}.id and {} returning {table}.*",
                    self.r.below(TABLES),
                    self.condition(&both, 1)
                )
            }
            3 | 4 => {
                let (alias, from) = self.joined_source();
                let both: Vec<Column> = own.iter().chain(&columns(&alias)).cloned().collect();
                let condition = self.condition(&both, 1);
                let value = self.expr(kin, &both, 1);
                let returned = self.expr(ty, &both, 2);
                if self.r.percent(25) {
                    format!(
                        "delete from {table} using {from} where {table}.id = {alias}.id and {condition} returning {table}.id, {alias}.*, {returned}"
                    )
                } else {
                    format!(
                        "update {table} set {name} = {value} from {from} where {table}.id = {alias}.id and {condition} returning {table}.id, {returned}, {alias}.*, old.{name}, new.{name}"
                    )
                }
            }
            _ => format!("delete from {table} where {} returning id", self.condition(&own, 1)),
        };
        Statement { sql, changes: Some(table) }
    }

    /// A subquery that joins two tables, and its name: with the columns of a table, those of either side, and at most one row of each id.
    fn joined_source(&mut self) -> (String, String) {
        let (alias, x, y) = (self.fresh("s"), self.fresh("x"), self.fresh("y"));
        let inner: Vec<Column> = columns(&x).into_iter().chain(columns(&y)).collect();
        let list: Vec<String> = COLUMNS
            .iter()
            .filter(|(name, ..)| *name != "id")
            .map(|(name, ..)| format!("{}.{name}", if self.r.percent(50) { &x } else { &y }))
            .collect();
        let kind = self.r.pick(&["join", "left join"]).to_owned();
        let on =
            if self.r.percent(30) { format!(" and {}", self.condition(&inner, 1)) } else { String::new() };
        let (t, u) = (self.r.below(TABLES), self.r.below(TABLES));
        let query = format!(
            "select {x}.id, {} from t{t} {x} {kind} t{u} {y} on {x}.id = {y}.id{on} where {}",
            list.join(", "),
            self.condition(&inner, 1)
        );
        (alias.clone(), format!("({query}) {alias}"))
    }
}

fn columns(alias: &str) -> Vec<Column> {
    COLUMNS.iter().map(|(name, ty, _)| Column { name: format!("{alias}.{name}"), ty: *ty }).collect()
}
