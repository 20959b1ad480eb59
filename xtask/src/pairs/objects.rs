//! Random statements over a table with an index of every kind, its views, and its type: changes of rows, changes of definitions, and locks, such that one session's often waits
//! for the other's.
//!
//! Invariants:
//! 1. As of `statements`: what a statement gives does not depend on the order in which rows are visited.
//! 2. The first session never waits: what the second does before it, it does to other tables.
//! 3. What is done CONCURRENTLY is done by a session without a transaction, and waits for whoever has the table locked: for no other transaction, as the first session keeps
//!    no snapshot between its statements.

use super::statements::Random;

/// Makes what all pairs have in common.
pub fn schema() -> String {
    "drop table if exists oz; create table oz (x int)".into()
}

/// A pair: what it begins with.
pub struct Objects {
    pub fill: String,
}

const MOODS: [&str; 3] = ["'a'", "'b'", "'c'"];

impl Objects {
    pub fn new(r: &mut Random) -> Objects {
        let mut fill = String::from(
            "drop materialized view if exists om; drop view if exists ow; drop view if exists ov; drop view if exists ovv; drop table if exists oc; drop table if exists ot; drop table if exists onew; \
             drop type if exists oe; create type oe as enum ('a', 'b', 'c'); drop type if exists op; drop type if exists opp; create type op as (x int, y int); \
             create table ot (id int primary key, n int, m oe, j jsonb, t text[], p op, ps op[], ns int[], g int generated always as (n * 2) stored, v int generated always as (n + 1) virtual); \
             create index ot_j on ot using gin (j); create index ot_t on ot using gin (t); create index ot_part on ot (n) where m = 'a'; \
             create unique index ot_expr on ot ((n / 10)) where m <> 'c'; create index ot_hash on ot using hash (n); \
             create index ot_row on ot (p); create index ot_field on ot (((p).x)) include (ns); \
             create table oc (id int primary key, n int, at int); \
             create view ov as select id, n, m, g from ot where n < 90; \
             create view ow as select o.id, o.n, c.at from ot o left join oc c on c.id = o.id; \
             create materialized view om as select m, count(*) as c, sum(n) as s from ot group by m; create unique index om_m on om (m); ",
        );
        let rows = 2 + r.below(5);
        for id in 1..=rows {
            fill += &format!(
                "insert into ot (id, n, m, j, t, p, ps, ns) values ({id}, {}, {}, {}, {}, {}, array[row({id}, 1)::op], array[{id}]); ",
                id * 10 + r.below(4),
                r.pick(&MOODS),
                json(r),
                array(r),
                if r.percent(85) { format!("row({}, {id})", r.below(4)) } else { "null".into() }
            );
            if r.percent(40) {
                fill += &format!("insert into oc values ({id}, {}, {}); ", r.below(50), r.below(9));
            }
        }
        fill += "refresh materialized view om";
        Objects { fill }
    }

    /// All of it as it is.
    pub fn look(&self) -> Vec<String> {
        [
            "select * from ot order by id",
            "select * from oc order by id",
            "select * from om order by m",
            "select enumlabel from pg_enum e join pg_type t on t.oid = e.enumtypid where typname = 'oe' order by enumsortorder",
            "select indexrelid::regclass::text from pg_index where indrelid in (select oid from pg_class where relname in ('ot', 'om')) order by 1",
            "select attname from pg_attribute where attrelid in (select oid from pg_class where relname in ('ot', 'ov')) and attnum > 0 and not attisdropped order by 1",
            "select id from ot where j @> '{\"k\": 1}' order by id",
            "select id from ot where t && array['x'] order by id",
            "select conname, convalidated from pg_constraint where conrelid in (select oid from pg_class where relname = 'ot') order by 1",
        ]
        .map(str::to_owned)
        .to_vec()
    }

    /// A query that takes a snapshot.
    pub fn glance(&self) -> String {
        "select count(*) from oz".into()
    }

    fn condition(&self, r: &mut Random) -> String {
        let n = 1 + r.below(6);
        match r.below(14) {
            11 => format!("(p).x = {}", r.below(5)),
            12 => format!("p >= row({}, 0)::op", r.below(4)),
            13 => format!("ns[1] < {n} or ps[1].y > {n}"),
            0..=2 => format!("id = {n}"),
            3 => format!("m = {}", r.pick(&MOODS)),
            4 => format!("n > {}", 10 * n),
            5 => format!("g >= {}", 20 * n),
            6 => format!("v < {}", 10 * n),
            7 => format!("j @> '{{\"k\": {}}}'", r.below(3)),
            8 => format!("j ? '{}'", r.pick(&["k", "l", "z"])),
            9 => format!("t && array['{}', 'q']", r.pick(&["x", "y"])),
            _ => "n / 10 = ".to_owned() + &n.to_string() + " and m <> 'c'",
        }
    }

    /// Any statement of the first session.
    pub fn first(&self, r: &mut Random) -> String {
        if r.percent(45) { self.change(r) } else { self.definition(r) }
    }

    /// Any statement of the second; `alone`: it has no transaction.
    pub fn second(&self, r: &mut Random, alone: bool) -> String {
        if alone && r.percent(25) {
            return self.concurrent(r);
        }
        if r.percent(60) { self.change(r) } else { self.definition(r) }
    }

    /// What is for a session alone.
    fn concurrent(&self, r: &mut Random) -> String {
        let known = r.pick(&["ot_part", "ot_j", "ot_t", "ot_expr", "ot_hash", "ot_row", "ot_field"]);
        match r.below(20) {
            0 => "vacuum ot".into(),
            1 => "analyze ot".into(),
            2 => "reindex table concurrently oc".into(),
            3 => "reindex table concurrently om".into(),
            4 | 5 => "reindex table concurrently ot".into(),
            6..=8 => format!("reindex index concurrently {}", r.pick(&[known, "ot_pkey", "om_m"])),
            9..=11 => format!("drop index concurrently {known}"),
            12 => format!("drop index concurrently if exists {}", r.pick(&[known, "ot_new", "om_m"])),
            13 => "create unique index concurrently ot_new on ot (n)".into(),
            14 => "create unique index concurrently ot_new on ot (m) where n < 30".into(),
            15 => "create index concurrently ot_new on ot (upper(t[1]), n desc) include (m)".into(),
            16 => "create index concurrently if not exists ot_new on ot using gin (j, t)".into(),
            17 => "create index concurrently om_new on om (c)".into(),
            _ => "create index concurrently ot_new on ot (n, id)".into(),
        }
    }

    fn change(&self, r: &mut Random) -> String {
        let (on, n) = (self.condition(r), 1 + r.below(8));
        match r.below(46) {
            36 => format!("update ot set n = n + 1, p.x = {n} where {on} returning old.n, new.n, old.p, new.p, old.g, new.v"),
            37 => format!("with u as (update ot set n = n + 2 where {on} returning old as o, new as w) select (o).id, (o).n, (w).g, (w).p from u"),
            38 => format!(
                "merge into ot using oc on ot.id = oc.id and ot.n > {n} when matched then update set n = ot.n + 1 \
                 when not matched by source and ot.n > 30 then update set m = 'c', n = ot.n + 100 when not matched by target and oc.at > 8 then do nothing returning merge_action(), old.n, new.n, oc.at"
            ),
            39 => format!(
                "merge into ot using (values ({n}, 5)) s(i, a) on ot.id = s.i when matched and ot.n < 50 then update set ns[1] = s.a \
                 when not matched by source and ot.m = 'a' and {on} then delete when not matched then insert (id, n, m) values (s.i, 900 + s.i, 'c') returning merge_action(), old.id, new.id"
            ),
            40 => format!("select o.id, x.k, x.l from ot o, jsonb_to_record(o.j) as x(k int, l int[]) where o.id < {n} for update of o"),
            41 => format!(
                "update ot set n = n + x.a from rows from (generate_series(1, 3), jsonb_to_recordset('[{{\"a\": 7}}, {{\"a\": 9}}]') as (a int)) x(i, a) where x.i = ot.id and {on} returning old.n, new.n, x.a"
            ),
            42 | 43 => format!(
                "update ot set n = ot.n + sat from (select c.id as sid, c.at as sat, o.m as sm from oc c {} ot o on o.id = c.id and o.n < 60) s where sid = ot.id and {on} returning ot.id, ot.n, old.n, sat, sm",
                r.pick(&["join", "left join"])
            ),
            44 => format!("delete from ot using (select a.id as sid, b.at as sat from oc a join oc b using (id)) s where sid = ot.id and sat > {n} and {on} returning ot.id, ot.n, sat"),
            45 => format!("update oc set at = at + sn from (select o.id as sid, o.n as sn, o.m as sm from ot o join oc x on x.id = o.id where o.n < 70) s where sid = oc.id and sn <> {n} returning id, at, sn"),
            28 => format!("update ot set p.x = (p).x + 1 where {on} returning id, p"),
            29 => format!("update ot set ns[{n}] = n, ps[1].y = (ps[1]).y + 1 where {on} returning id, ns, ps"),
            30 => format!("update ot set p.y = {n}, ps[2] = p, n = n + 1 where {on} returning id, p, ps, g"),
            31 => format!("update ot set (p.x, ns[1]) = (select count(*), {n} from oc) where {on} returning id, p, ns"),
            32 => format!(
                "insert into ot (id, n, p.x, ns[2]) values ({n}, {}, {n}, 5) on conflict (id) do update set p.x = (ot.p).x + 10, ns[1] = (excluded.p).x returning id, p, ns",
                100 * n
            ),
            33 => format!(
                "merge into ot using oc on ot.id = oc.id and (ot.p).x < {n} when matched then update set p.x = oc.at, ps[1].x = (ot.p).x when not matched then insert (id, p.y) values (oc.id + 30, oc.at)"
            ),
            34 => format!("select id, p, (p).x + generate_series(1, 2) as s from ot where {on}"),
            35 => format!("select id, (p).y, ps[1].x from ot where {on} for {}", r.pick(&["update", "share", "no key update"])),
            0 | 1 => format!("update ot set n = n + 1 where {on} returning id, n, g, v"),
            2 => format!("update ot set m = {} where {on} returning id, m", r.pick(&MOODS)),
            3 => format!("update ot set j = j || {}, t = t || 'x'::text where {on}", json(r)),
            4 => format!("update ot set n = {} where id = {n}", 10 * (1 + r.below(8))),
            5 => format!("delete from ot where {on} returning id, g"),
            6 | 7 => format!(
                "insert into ot (id, n, m, j, t) values ({n}, {}, {}, {}, {})",
                10 * (1 + r.below(9)),
                r.pick(&MOODS),
                json(r),
                array(r)
            ),
            8 => format!(
                "insert into ot (id, n, m) values ({n}, {}, 'b') on conflict (id) do update set n = ot.n + excluded.n, m = 'c' returning id, n, g",
                100 * n
            ),
            9 => format!(
                "insert into ot (id, n, m) values ({}, {}, {}) on conflict do nothing",
                n + 5,
                10 * (1 + r.below(9)),
                r.pick(&MOODS)
            ),
            10 => format!(
                "merge into ot using (select {n} as id, {} as n) s on ot.id = s.id when matched and ot.n > 50 then delete when matched then update set n = s.n + ot.n \
                 when not matched then insert (id, n, m) values (s.id, s.n * 100, 'c')",
                1 + r.below(9)
            ),
            11 => "merge into ot using oc on ot.id = oc.id when matched then update set n = ot.n + oc.at when not matched then insert (id, n) values (oc.id, 900 + oc.id)".to_owned(),
            12 => format!(
                "with d as (delete from ot where {on} returning id, n) insert into oc select id + 20, n, 1 from d returning id"
            ),
            13 => format!(
                "with u as (update ot set n = n + 1 where {on} returning id) update oc set at = at + 1 where id in (select id from u) returning id, at"
            ),
            14 => format!(
                "select id, n, m from ov where {} for update",
                r.pick(&["id = 1", "n < 40", "m = 'a'", "g > 20"])
            ),
            15 => format!(
                "select id, n from ov where {} for {}",
                r.pick(&["id = 2", "n > 20", "true"]),
                r.pick(&["share", "no key update", "key share"])
            ),
            16 => "select id, n, at from ow where n < 40 for update".into(),
            17 => "select * from om order by m".into(),
            18 => format!("select id, n, m, g, v from ot where {on}"),
            19 => format!("select id from ot where {on} for update skip locked"),
            20 => format!("select id from ot where {on} for update nowait"),
            21 => "update oc set at = ot.n from ot where ot.id = oc.id".into(),
            22 => "select id, n, m, g from ov".into(),
            23 => format!(
                "update ov set n = n + 1 where {} returning id, n, g",
                r.pick(&["id = 1", "n < 40", "m = 'a'", "g > 20"])
            ),
            24 => format!("delete from ov where {} returning id", r.pick(&["id = 2", "n > 30", "m = 'b'"])),
            25 => format!(
                "insert into ov (id, n, m) values ({n}, {}, 'b') on conflict (id) do update set n = excluded.n returning id, g",
                10 * n
            ),
            26 => format!(
                "merge into ov using (select {n} as id) s on ov.id = s.id when matched then update set n = ov.n + 1 when not matched then insert (id, n) values (s.id, s.id * 10)"
            ),
            _ => format!(
                "select {}({})",
                r.pick(&[
                    "pg_advisory_xact_lock",
                    "pg_advisory_xact_lock_shared",
                    "pg_try_advisory_xact_lock"
                ]),
                r.below(2)
            ),
        }
    }

    fn definition(&self, r: &mut Random) -> String {
        let mode = r
            .pick(&[
                "access share",
                "row share",
                "row exclusive",
                "share update exclusive",
                "share",
                "share row exclusive",
                "exclusive",
                "access exclusive",
            ])
            .to_owned();
        let nowait = r.pick(&["", "", " nowait"]).to_owned();
        match r.below(42) {
            36 => "alter type op rename attribute x to xx".into(),
            37 => "alter type op add attribute z int".into(),
            38 => "alter type op rename to opp".into(),
            39 => "drop type op cascade".into(),
            40 => "alter table ot alter p type text using p::text".into(),
            41 => format!("drop index {}", r.pick(&["ot_row", "ot_field"])),
            0 | 1 => "refresh materialized view om".into(),
            2 => "refresh materialized view concurrently om".into(),
            3 => "alter type oe add value 'd'".into(),
            4 => "alter type oe add value if not exists 'd' before 'b'".into(),
            5 => "alter type oe rename value 'b' to 'bb'".into(),
            6 => "create index ot_new on ot (n, id)".into(),
            7 => "create unique index ot_new on ot (n)".into(),
            8 => "create index ot_new on ot using gin (j jsonb_path_ops)".into(),
            9 => "create index if not exists ot_part on ot (id)".into(),
            10 => format!("drop index {}", r.pick(&["ot_part", "ot_j", "ot_expr", "ot_hash"])),
            11 => format!("reindex index {}", r.pick(&["ot_part", "ot_t", "ot_expr", "ot_pkey"])),
            12 => "reindex table ot".into(),
            13 | 14 => format!("lock table ot in {mode} mode{nowait}"),
            15 | 16 => format!("lock table {} in {mode} mode{nowait}", r.pick(&["ov", "ow"])),
            17 => "truncate ot".into(),
            18 => "truncate ot, oc".into(),
            19 => "alter table ot add column more int default 5".into(),
            20 => "alter table ot drop column t".into(),
            21 => "alter table ot rename column j to jj".into(),
            22 => "alter table ot alter n set default 7".into(),
            23 => "alter table ot add constraint small check (n < 95) not valid".into(),
            24 => "alter table ot add check (n > 0)".into(),
            25 => "alter table oc add foreign key (id) references ot".into(),
            26 => "create or replace view ov as select id, n, m, g, 1 as one from ot where n < 50".into(),
            27 => "drop view ow".into(),
            28 => "drop materialized view om".into(),
            29 => "comment on table ot is 'x'".into(),
            30 => "alter table ot alter m set not null".into(),
            31 => "drop view ov".into(),
            32 => "alter view ov rename to ovv".into(),
            33 => "alter index ot_part rename to ot_party".into(),
            34 => "alter table ot alter g drop expression".into(),
            _ => "create table onew as select id, g from ot".into(),
        }
    }
}

fn json(r: &mut Random) -> String {
    match r.below(4) {
        0 => "'{}'".into(),
        1 => format!("'{{\"k\": {}}}'", r.below(3)),
        2 => format!("'{{\"k\": {}, \"l\": [1, {}]}}'", r.below(3), r.below(5)),
        _ => "'{\"z\": null}'".into(),
    }
}

fn array(r: &mut Random) -> String {
    format!("array['{}', '{}']", r.pick(&["x", "y", "z"]), r.pick(&["x", "p", "q"]))
}
