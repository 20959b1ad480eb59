//! What there is in a database, as text: every definition as it is shown, and every row. And a script of definitions of every kind.
//!
//! Numbers of objects, and where sequences are, are left out: a crash may leave gaps in both. Temporary objects are, too.

/// The steps of the script: each is sent as one query, and commits once at most.
pub fn steps() -> Vec<&'static str> {
    let script = include_str!("every_kind.sql");
    let text = script.lines().skip_while(|l| l.starts_with("--")).map(|l| l.as_ptr() as usize).next();
    let from = text.expect("there are steps") - script.as_ptr() as usize;
    script[from..].split("\n---\n").map(str::trim).collect()
}

const OURS: &str =
    "n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast') and n.nspname not like 'pg_temp%'";

/// The queries whose rows are the definitions.
pub fn definitions() -> Vec<(&'static str, String)> {
    let relations = format!("from pg_class c join pg_namespace n on n.oid = c.relnamespace where {OURS}");
    vec![
        (
            "relations",
            format!(
                "select n.nspname, c.relname, c.relkind, c.relpersistence, pg_get_userbyid(c.relowner), c.relacl, c.reloptions, c.relispopulated,
                 c.relhasindex, c.relnatts, obj_description(c.oid, 'pg_class') {relations}"
            ),
        ),
        (
            "columns",
            format!(
                "select n.nspname, c.relname, a.attnum, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity, a.attgenerated,
                 a.attisdropped, a.attacl, a.attstattarget, a.attstorage, col_description(c.oid, a.attnum), pg_get_expr(d.adbin, d.adrelid)
                 from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
                 left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum where a.attnum > 0 and {OURS}"
            ),
        ),
        ("views", format!("select n.nspname, c.relname, pg_get_viewdef(c.oid) {relations} and c.relkind in ('v', 'm')")),
        (
            "indexes",
            format!(
                "select n.nspname, c.relname, pg_get_indexdef(c.oid), i.indisunique, i.indisprimary, i.indisvalid, i.indnullsnotdistinct
                 from pg_index i join pg_class c on c.oid = i.indexrelid join pg_namespace n on n.oid = c.relnamespace where {OURS}"
            ),
        ),
        (
            "constraints",
            format!(
                "select n.nspname, r.relname, c.conname, c.contype, pg_get_constraintdef(c.oid), c.convalidated, c.condeferrable, c.condeferred,
                 obj_description(c.oid, 'pg_constraint')
                 from pg_constraint c join pg_namespace n on n.oid = c.connamespace left join pg_class r on r.oid = c.conrelid where {OURS}"
            ),
        ),
        (
            "types",
            format!(
                "select n.nspname, t.typname, t.typtype, pg_get_userbyid(t.typowner), t.typacl, obj_description(t.oid, 'pg_type'),
                 format_type(t.typbasetype, t.typtypmod), t.typnotnull, t.typdefault
                 from pg_type t join pg_namespace n on n.oid = t.typnamespace where {OURS}"
            ),
        ),
        (
            "labels",
            "select t.typname, e.enumlabel, e.enumsortorder from pg_enum e join pg_type t on t.oid = e.enumtypid".into(),
        ),
        (
            "collations",
            format!(
                "select n.nspname, c.collname, c.colllocale, c.collisdeterministic, obj_description(c.oid, 'pg_collation')
                 from pg_collation c join pg_namespace n on n.oid = c.collnamespace where {OURS}"
            ),
        ),
        (
            "extensions",
            "select e.extname, n.nspname, e.extversion, obj_description(e.oid, 'pg_extension') from pg_extension e join pg_namespace n on n.oid = e.extnamespace".into(),
        ),
        (
            "schemas",
            format!("select n.nspname, pg_get_userbyid(n.nspowner), n.nspacl, obj_description(n.oid, 'pg_namespace') from pg_namespace n where {OURS}"),
        ),
        (
            "roles",
            "select rolname, rolsuper, rolinherit, rolcreaterole, rolcreatedb, rolcanlogin, rolconnlimit, rolconfig, shobj_description(oid, 'pg_authid')
             from pg_roles where rolname not like 'pg\\_%'".into(),
        ),
        (
            "memberships",
            "select pg_get_userbyid(roleid), pg_get_userbyid(member), pg_get_userbyid(grantor), admin_option, inherit_option, set_option from pg_auth_members
             where pg_get_userbyid(member) not like 'pg\\_%'".into(),
        ),
        (
            "default privileges",
            "select pg_get_userbyid(d.defaclrole), n.nspname, d.defaclobjtype, d.defaclacl from pg_default_acl d left join pg_namespace n on n.oid = d.defaclnamespace".into(),
        ),
        (
            "sequences",
            "select schemaname, sequencename, data_type, start_value, min_value, max_value, increment_by, cycle, cache_size from pg_sequences
             where schemaname not like 'pg_temp%'".into(),
        ),
        (
            "owned sequences",
            format!(
                "select n.nspname, c.relname, r.relname, d.refobjsubid, d.deptype from pg_depend d join pg_class c on c.oid = d.objid
                 join pg_namespace n on n.oid = c.relnamespace join pg_class r on r.oid = d.refobjid
                 where c.relkind = 'S' and d.classid = 'pg_class'::regclass and d.refclassid = 'pg_class'::regclass and {OURS}"
            ),
        ),
    ]
}

/// All of it, asked by `rows`: the rows of a query as text.
pub fn state(rows: &mut dyn FnMut(&str) -> Vec<String>) -> String {
    let mut text = String::new();
    let mut add = |what: &str, mut rows: Vec<String>| {
        rows.sort();
        text.push_str(&format!("-- {what}\n"));
        for row in rows {
            text.push_str(&row);
            text.push('\n');
        }
    };
    for (what, query) in definitions() {
        add(what, rows(&query));
    }
    let of = format!(
        "select quote_ident(n.nspname) || '.' || quote_ident(c.relname) from pg_class c join pg_namespace n on n.oid = c.relnamespace
         where (c.relkind in ('r', 'v') or c.relkind = 'm' and c.relispopulated) and {OURS}"
    );
    let mut names = rows(&of);
    names.sort();
    for name in names {
        add(&format!("rows of {name}"), rows(&format!("select * from {name}")));
    }
    text
}

/// Where two states differ, for messages.
pub fn difference(a: &str, b: &str) -> String {
    let (of_a, of_b): (Vec<&str>, Vec<&str>) = (a.lines().collect(), b.lines().collect());
    let only = |these: &[&str], others: &[&str], mark: char| -> String {
        let others: std::collections::HashSet<&str> = others.iter().copied().collect();
        let lines = these.iter().filter(|l| !others.contains(*l)).take(12);
        lines.map(|l| format!("{mark} {l}\n")).collect()
    };
    format!("{}{}", only(&of_a, &of_b, '-'), only(&of_b, &of_a, '+'))
}

/// What a database that came through something has to be able to do: a bit of everything, on objects of its own and on those that are there.
pub const GOES_ON: &[&str] = &[
    "create schema after",
    "create type after.kind as enum ('a', 'b')",
    "create table after.t (id serial primary key, k after.kind, n int, twice int generated always as (n * 2) stored, j jsonb, p int default 3, check (n < 1000))",
    "insert into after.t (k, n, j) select 'a', g, jsonb_build_object('k', g % 3) from generate_series(1, 50) g",
    "alter type after.kind add value 'c'",
    "create index on after.t using gin (j); create index on after.t ((n + 1)) where k = 'a'",
    "update after.t set k = 'c', n = n + 1 where id % 2 = 0",
    "create view after.v as select k, count(*) as n from after.t group by k",
    "create materialized view after.m as select * from after.v",
    "refresh materialized view after.m",
    "alter table after.t alter p type bigint, add column more text default 'x'",
    "begin; drop table after.t cascade; rollback",
    "create temporary table scratch_after (a int); insert into scratch_after values (1)",
    "create role after_role; grant select on after.t to after_role; comment on table after.t is 'after'",
    "reindex table after.t",
    "cluster after.t using t_pkey",
    "merge into after.t t using (values (1), (2)) s (id) on t.id = s.id when matched and s.id = 1 then delete when matched then update set n = 7",
];

/// Takes it away again.
pub const GONE_AGAIN: &[&str] = &["drop schema after cascade", "drop role after_role"];
