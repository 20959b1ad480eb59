//! Random statements over a small family of tables, such that one session's often waits for the other's.
//!
//! Invariants:
//! 1. The result of a statement does not depend on the order in which rows are visited: what a row is set to never comes from one of several rows that
//!    it joins, and changes of keys meet no other key on their way.

/// Random numbers from a seed.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    pub fn percent(&mut self, n: u64) -> bool {
        self.below(100) < n
    }

    pub fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len() as u64) as usize]
    }
}

/// A parent and a child table: without a foreign key, with one, with one that cascades, and with one that sets NULL.
pub const FAMILIES: [(&str, &str, &str); 4] = [
    ("ta", "ca", ""),
    ("tb", "cb", " references tb"),
    ("tc", "cc", " references tc on delete cascade on update cascade"),
    ("td", "cd", " references td on delete set null on update set null"),
];

/// Makes all tables.
pub fn schema() -> String {
    let mut sql = String::new();
    for (t, c, _) in FAMILIES {
        sql += &format!("drop table if exists {c}; drop table if exists {t}; ");
    }
    for (t, c, key) in FAMILIES {
        sql += &format!(
            "create table {t} (id int primary key, d int, k int unique, e int); \
             create table {c} (id int primary key, p int{key}, x int); create index on {c} (p); "
        );
    }
    sql
}

/// A pair: the family, and its rows to begin with.
pub struct Family {
    t: &'static str,
    c: &'static str,
    pub fill: String,
}

impl Family {
    pub fn new(r: &mut Random) -> Family {
        let (t, c, _) = FAMILIES[r.below(4) as usize];
        let mut fill = format!("delete from {c}; delete from {t}; insert into {t} values ");
        let rows = 2 + r.below(4);
        for id in 1..=rows {
            let k = if r.percent(80) { (id * 10).to_string() } else { "null".into() };
            let comma = if id > 1 { ", " } else { "" };
            fill += &format!("{comma}({id}, {}, {k}, {})", 10 * (1 + r.below(3)), r.below(3));
        }
        fill += ";";
        let mut child = 0;
        for id in 1..=rows {
            for _ in 0..[0, 1, 1, 3][r.below(4) as usize] {
                child += 1;
                fill += &format!(" insert into {c} values ({child}, {id}, {});", 10 * r.below(4));
            }
        }
        Family { t, c, fill }
    }

    /// Both tables as they are.
    pub fn look(&self) -> [String; 2] {
        [format!("select * from {} order by id", self.t), format!("select * from {} order by id", self.c)]
    }

    /// Fills an index of either table anew while the other session is at work.
    pub fn reindex(&self, r: &mut Random) -> String {
        let (t, c) = (self.t, self.c);
        match r.below(4) {
            0 => format!("reindex table concurrently {c}"),
            1 => format!("reindex table concurrently {t}"),
            _ => format!(
                "reindex index concurrently {}",
                r.pick(&[&format!("{t}_pkey"), &format!("{t}_k_key"), &format!("{c}_p_idx")])
            ),
        }
    }

    /// A query that takes a snapshot.
    pub fn glance(&self) -> String {
        format!("select count(*) from {}", self.t)
    }

    /// Whether a statement makes rows of the child refer to a parent, by a foreign key.
    pub fn refers(&self, sql: &str) -> bool {
        let c = self.c;
        c != "ca"
            && (sql.starts_with(&format!("insert into {c} "))
                || sql.starts_with(&format!("update {c} set p")))
    }

    /// Whether a statement may take the key of a parent that others refer to.
    pub fn takes_key(&self, sql: &str) -> bool {
        self.t != "ta" && sql.starts_with(&format!("insert into {} ", self.t))
    }

    /// Whether a statement may give up such a key.
    pub fn gives_key_up(&self, sql: &str) -> bool {
        sql.contains("set id = ") || sql.starts_with(&format!("delete from {} ", self.t))
    }

    /// Whether a statement may lock a parent's row as strongly as a change of the key that is referred to, without changing that.
    pub fn locks_more_than_a_key(&self, sql: &str) -> bool {
        sql.contains("for update") || sql.contains("set k = ") || sql.contains("k = k + ")
    }

    /// A condition on the parent.
    fn on_parent(&self, r: &mut Random, t: &str) -> String {
        let c = self.c;
        let n = 1 + r.below(5);
        let v = 10 * (1 + r.below(4));
        match r.below(16) {
            0..=3 => format!("{t}.id = {n}"),
            4 | 5 => format!("{t}.d = {v}"),
            6 => format!("{t}.d > {v}"),
            7 => format!("({t}.d < {v} or {t}.e = 1)"),
            8 => format!("{t}.id in ({n}, {})", 1 + r.below(5)),
            9 => format!("{t}.k = {}", n * 10),
            10 => format!("{t}.id in (select p from {c})"),
            11 => format!("exists (select 1 from {c} s where s.p = {t}.id)"),
            12 => format!("not exists (select 1 from {c} s where s.p = {t}.id)"),
            13 => format!("{t}.d <= (select max(x) + 10 from {c} s where s.p = {t}.id)"),
            14 => format!("{t}.id not in (select p from {c} where p is not null and x > {})", v - 10),
            _ => format!("{t}.d = (select max(d) from {} m)", self.t),
        }
    }

    /// A condition on the child.
    fn on_child(&self, r: &mut Random, c: &str) -> String {
        let n = 1 + r.below(5);
        match r.below(6) {
            0 => format!("{c}.id = {n}"),
            1 => format!("{c}.p = {n}"),
            2 => format!("{c}.x > {}", 10 * r.below(3)),
            3 => format!("{c}.x = {}", 10 * r.below(4)),
            4 => format!("{c}.p in (select id from {} where d < {})", self.t, 10 * (1 + r.below(4))),
            _ => "true".into(),
        }
    }

    /// What joins the parent to its children, and perhaps more.
    fn joined(&self, r: &mut Random, t: &str, c: &str) -> String {
        let more = match r.below(6) {
            0 => format!(" and {c}.x < {t}.d"),
            1 => format!(" and {t}.d = {}", 10 * (1 + r.below(3))),
            2 => format!(" and {}", self.on_parent(r, t)),
            3 => format!(" and {}", self.on_child(r, c)),
            _ => String::new(),
        };
        format!("{c}.p = {t}.id{more}")
    }

    /// What a parent's columns are set to.
    fn set_parent(&self, r: &mut Random) -> String {
        let (t, c) = (self.t, self.c);
        match r.below(8) {
            0..=2 => "d = d + 10".into(),
            3 => format!("d = {}", 10 * (1 + r.below(4))),
            4 => "e = e + 1, d = d - 10".into(),
            5 => "k = k + 1".into(),
            6 => format!("d = (select count(*) from {c} s where s.p = {t}.id) * 10"),
            _ => format!("e = d + {}", r.below(3)),
        }
    }

    fn lock(r: &mut Random) -> &'static str {
        r.pick(&["for update", "for update", "for no key update", "for share", "for key share"])
    }

    fn returning(r: &mut Random, columns: &str) -> String {
        if r.percent(40) { format!(" returning {columns}") } else { String::new() }
    }

    /// MERGE of the parent with values, of which each row meets one at most. Where children refer to it no key is given up or taken.
    fn merge(&self, r: &mut Random) -> String {
        let (t, n) = (self.t, 1 + r.below(5));
        let mut sql = format!(
            "merge into {t} using (values ({n}, {}), ({}, 20), ({}, 30)) s(i, v) on {t}.id = s.i",
            10 * r.below(4),
            n + 1,
            n + 5
        );
        if r.percent(30) {
            sql += &format!(" and {t}.d > {}", 10 * r.below(3));
        }
        let is_free = t == "ta";
        for _ in 0..1 + r.below(3) {
            let clause = r.pick(&[
                " when matched and @.d > 20 then update set d = @.d + s.v",
                " when matched and @.e = 1 then do nothing",
                " when matched and s.v = 20 then update set e = @.e + 1, d = s.v",
                " when not matched by source and @.d < 30 then update set d = @.d + 1",
                " when not matched by source and @.e > 0 then update set e = @.e - 1",
                " when not matched by source and @.id = 2 then do nothing",
                " when not matched and s.v > 20 then do nothing",
            ]);
            sql += &clause.replace('@', t);
        }
        if is_free && r.percent(35) {
            sql += r.pick(&[" when matched then delete", " when not matched by source then delete"]);
        }
        if r.percent(40) {
            sql += " when not matched by source then update set d = d * 2";
        }
        if is_free && r.percent(60) {
            sql += " when not matched by target then insert values (s.i, s.v, null, 0)";
        } else if r.percent(50) {
            sql += &format!(" when matched then update set d = {t}.d + s.v + 5");
        }
        sql + r.pick(&["", " returning merge_action(), old.id, old.d, new.d, s.v", " returning old, new"])
    }

    /// Any statement.
    pub fn statement(&self, r: &mut Random) -> String {
        let (t, c) = (self.t, self.c);
        let n = 1 + r.below(5);
        match r.below(37) {
            30 => {
                let (set, on) = (self.set_parent(r), self.on_parent(r, t));
                format!("update {t} set {set} where {on} returning old.d, new.d, old.e - new.e, old, new")
            }
            31 => {
                let on = self.on_parent(r, t);
                format!("delete from {t} where {on} returning old.id, new is null, old, new.d")
            }
            32 => format!(
                "insert into {t} values ({}, {}, {}, 0) on conflict (id) do update set d = {t}.d + excluded.d returning old.d, new.d, old is null",
                1 + r.below(8),
                10 * n,
                10 * (1 + r.below(8))
            ),
            33..=35 => self.merge(r),
            36 => {
                let (set, on) = (self.set_parent(r), self.on_parent(r, t));
                format!(
                    "update {t} set {set} from jsonb_to_recordset('[{{\"id\": {n}, \"f\": 1}}, {{\"id\": {}}}]') as s(i int, id int, f int) where s.id = {t}.id and {on} returning s.f, old.d, new.d",
                    n + 1
                )
            }
            0..=3 => {
                let (set, on) = (self.set_parent(r), self.on_parent(r, t));
                format!("update {t} set {set} where {on}{}", Family::returning(r, "id, d, e"))
            }
            4 => format!("update {t} set id = {} where id = {n}", 6 + r.below(3)),
            5 => format!("update {t} set id = id + 10, k = k + 1000 where {}", self.on_parent(r, t)),
            6 => format!("update {t} set k = {} where id = {n}", 10 * (1 + r.below(8))),
            7 | 8 => {
                let on = self.on_parent(r, t);
                format!("delete from {t} where {on}{}", Family::returning(r, "*"))
            }
            9 => {
                let on = self.joined(r, t, c);
                format!(
                    "update {t} set d = {t}.d + 1 from {c} where {on}{}",
                    Family::returning(r, &format!("{t}.id, {t}.d"))
                )
            }
            10 => {
                let on = self.joined(r, t, c);
                format!(
                    "delete from {t} using {c} where {on}{}",
                    Family::returning(r, &format!("{t}.id, {t}.d"))
                )
            }
            11 => {
                let (join, on) = (self.joined(r, "o", c), self.on_child(r, c));
                format!(
                    "update {c} set x = {c}.x + o.d from {t} o where {join} and {on}{}",
                    Family::returning(r, "*")
                )
            }
            12 => {
                let join = self.joined(r, "o", c);
                format!("delete from {c} using {t} o where {join}{}", Family::returning(r, "*"))
            }
            13 => {
                let on = self.on_parent(r, t);
                format!(
                    "update {t} set d = o.d + {t}.d from {t} o where o.id = {t}.id - 1 and {on}{}",
                    Family::returning(r, "*")
                )
            }
            14 => {
                let on = self.on_parent(r, "o");
                format!(
                    "update {t} set d = {t}.d + o.d from {t} o where o.id = {t}.id and {on}{}",
                    Family::returning(r, "*")
                )
            }
            15 => {
                let (a, b) = (self.on_parent(r, t), Family::lock(r));
                format!("update {t} set d = d + 3 where id in (select id from {t} where {a} {b})")
            }
            16 | 17 => {
                let (on, lock) = (self.on_parent(r, t), Family::lock(r));
                format!("select * from {t} where {on} {lock}")
            }
            18 | 19 => {
                let (on, lock) = (self.joined(r, t, c), Family::lock(r));
                let of = r.pick(&["", " of A", " of B", " of A, B"]).replace('A', t).replace('B', c);
                format!("select {t}.id, {t}.d, {c}.id, {c}.x from {t} join {c} on {on} {lock}{of}")
            }
            20 => {
                let (on, lock) = (self.joined(r, t, c), Family::lock(r));
                format!(
                    "select {t}.id, {t}.d, {c}.id, {c}.x from {t} left join {c} on {on} where {t}.d < 40 {lock} of {t}"
                )
            }
            21 => {
                let (on, lock) = (self.on_parent(r, "a"), Family::lock(r));
                let of = r.pick(&["", " of a", " of b"]);
                format!("select a.id, a.d, b.d from {t} a, {t} b where a.id = b.id and {on} {lock}{of}")
            }
            22 => {
                let (on, lock) = (self.joined(r, t, c), Family::lock(r));
                format!(
                    "insert into {c} select {c}.id + 100, {t}.id, {t}.d from {t}, {c} where {on} {lock} of {t}"
                )
            }
            23 => format!(
                "insert into {t} values ({}, {}, {}, 0)",
                1 + r.below(8),
                10 * n,
                10 * (1 + r.below(8))
            ),
            24 => format!("insert into {c} values ({}, {}, 5)", 1 + r.below(12), 1 + r.below(8)),
            25 => {
                let what = r.pick(&["(id) ", "(k) ", ""]);
                format!(
                    "insert into {t} values ({}, {}, {}, 0) on conflict {what}do nothing",
                    1 + r.below(8),
                    10 * n,
                    10 * (1 + r.below(8))
                )
            }
            26 => {
                let what = r.pick(&["(id)", "(k)"]);
                let on = r
                    .pick(&["", " where t.d < 30", " where t.e = 0", " where excluded.d > t.d"])
                    .replace("t.", &format!("{t}."));
                format!(
                    "insert into {t} values ({}, {}, {}, 0) on conflict {what} do update set d = {t}.d + excluded.d, e = excluded.e{on}{}",
                    1 + r.below(8),
                    10 * n,
                    10 * (1 + r.below(8)),
                    Family::returning(r, "*")
                )
            }
            27 => format!("update {c} set p = {} where {}", 1 + r.below(8), self.on_child(r, c)),
            28 => format!("update {c} set x = x + 10 where {}", self.on_child(r, c)),
            _ => format!("delete from {c} where {}", self.on_child(r, c)),
        }
    }
}
