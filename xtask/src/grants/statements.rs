//! The statements of a history.

use crate::pairs::statements::Random;

/// Takes away what the history before left; each may fail.
pub const CLEAN: &[&str] = &[
    "reset session authorization",
    "reset role",
    "rollback",
    "drop table if exists zn0, zn1, zn2",
    "drop table if exists zt, zu, zs.w cascade",
    "drop sequence if exists zq",
    "drop schema if exists zs cascade",
    "drop owned by z1 cascade",
    "drop owned by z2 cascade",
    "drop owned by z3 cascade",
    "drop owned by z4 cascade",
    "drop owned by z5 cascade",
    "drop owned by z6 cascade",
    "drop role if exists z5",
    "drop role if exists z6",
    "drop role if exists z5",
    "drop role z1, z2, z3, z4",
    "revoke all on schema public from public",
    "grant usage on schema public to public",
];

/// Makes what the statements are about.
pub const MAKE: &[&str] = &[
    "create role z1",
    "create role z2 noinherit",
    "create role z3 createrole",
    "create role z4 createrole noinherit",
    "create schema zs",
    "create table zt (a int primary key, b int, c text)",
    "create table zu (a int primary key, b int, c text)",
    "create table zs.w (a int primary key, b int, c text)",
    "insert into zt values (1, 1, 'x')",
    "insert into zu values (1, 1, 'x')",
    "insert into zs.w values (1, 1, 'x')",
    "create sequence zq",
];

/// What is looked at in the end.
pub const LOOK: &[&str] = &[
    "reset session authorization",
    "reset role",
    "select relname, relacl, relowner::regrole from pg_class where relname in ('zt', 'zu', 'w', 'zq') order by 1",
    "select attrelid::regclass, attname, attacl from pg_attribute where attacl is not null and attrelid in ('zt'::regclass, 'zu'::regclass, 'zs.w'::regclass) order by 1, 2",
    "select r.rolname, m.rolname, g.rolname, admin_option, inherit_option, set_option from pg_auth_members a join pg_roles r on r.oid = roleid join pg_roles m on m.oid = member join pg_roles g on g.oid = grantor where m.rolname ~ '^z' order by 1, 2, 3",
    "select nspname, nspacl from pg_namespace where nspname = 'zs'",
    "select rolname, rolcreaterole, rolinherit, rolcanlogin, rolcreatedb from pg_roles where rolname ~ '^z' order by 1",
    "select relname, relacl, relowner::regrole from pg_class where relname ~ '^zn' order by 1, 3",
    "select defaclrole::regrole, defaclnamespace::regnamespace, defaclobjtype, defaclacl from pg_default_acl order by defaclrole::regrole::text, defaclnamespace, 3",
    "select grantor, grantee, table_name, privilege_type, is_grantable from information_schema.table_privileges where table_name in ('zt', 'zu', 'w') order by 1, 2, 3, 4",
];

const ROLES: &[&str] = &["z1", "z2", "z3", "z4"];
const TABLES: &[&str] = &["zt", "zu", "zs.w"];

/// A statement by chance.
pub fn statement(r: &mut Random) -> String {
    let role = r.pick(ROLES);
    let other = r.pick(ROLES);
    let grantee = if r.percent(20) { "public" } else { other };
    match r.below(100) {
        0..28 => {
            let (what, on) = privilege(r);
            let option = if r.percent(30) { " with grant option" } else { "" };
            format!("grant {what} on {on} to {grantee}{option}")
        }
        28..40 => {
            let (what, on) = privilege(r);
            let option = if r.percent(30) { "grant option for " } else { "" };
            format!("revoke {option}{what} on {on} from {grantee}{}", r.pick(&["", " cascade"]))
        }
        40..47 => {
            let option = r.pick(&[
                "",
                " with admin option",
                " with inherit false",
                " with set false",
                " with admin true, inherit true, set false",
            ]);
            format!("grant {role} to {other}{option}")
        }
        47..51 => {
            let option = r.pick(&["", "admin option for ", "inherit option for ", "set option for "]);
            format!("revoke {option}{role} from {other}{}", r.pick(&["", " cascade"]))
        }
        51..66 => match r.below(6) {
            0 | 1 => format!("set role {role}"),
            2 => format!("set session authorization {role}"),
            3 => "reset session authorization".into(),
            _ => "reset role".into(),
        },
        66..68 => {
            let to = r.pick(&["z1", "z2", "z3", "z4", "postgres", "current_user"]);
            match r.below(4) {
                0 => format!("alter schema zs owner to {to}"),
                _ => format!("alter table {} owner to {to}", r.pick(TABLES)),
            }
        }
        68..70 => {
            let attribute =
                r.pick(&["createrole", "nocreaterole", "inherit", "noinherit", "login", "createdb"]);
            format!("alter role {role} {attribute}")
        }
        70 => format!("create role z{}", 5 + r.below(2)),
        71 => format!("drop role if exists z{}", 5 + r.below(2)),
        72..75 => {
            let of = format!("for role {role} ");
            let place = r.pick(&["", "in schema public "]);
            let what = r.pick(&[
                "grant select on tables to",
                "revoke select on tables from",
                "grant all on tables to",
                "grant usage on sequences to",
            ]);
            format!("alter default privileges {of}{place}{what} {grantee}")
        }
        _ => needs(r),
    }
}

/// A privilege, and on what.
fn privilege(r: &mut Random) -> (String, String) {
    let table = r.pick(TABLES);
    match r.below(10) {
        0..5 => {
            let all =
                ["select", "insert", "update", "delete", "truncate", "references", "trigger", "maintain"];
            let what = if r.percent(15) { "all" } else { r.pick(&all) };
            (what.into(), table.into())
        }
        5..8 => {
            let what = r.pick(&["select", "insert", "update", "references", "all"]);
            (format!("{what} ({})", r.pick(&["a", "b", "a, b"])), table.into())
        }
        8 => (r.pick(&["usage", "select", "update", "all"]).into(), "sequence zq".into()),
        _ => {
            let schema = r.pick(&["zs", "public"]);
            (r.pick(&["usage", "create", "all"]).into(), format!("schema {schema}"))
        }
    }
}

/// A statement that needs privileges.
fn needs(r: &mut Random) -> String {
    let t = r.pick(TABLES);
    let n = r.below(3);
    let all = [
        format!("select a from {t} where a = 0"),
        format!("select * from {t} where a = 0"),
        format!("select b from {t} where b = -1"),
        format!("select count(*) from {t} where false"),
        format!("select 1 from {t} where false"),
        format!("select {t} from {t} where false"),
        format!("insert into {t} (a) select 2 where false"),
        format!("insert into {t} select 1 where false"),
        format!("insert into {t} (b) select a from zu where false"),
        format!("insert into {t} (a) values (1) on conflict do nothing"),
        format!("insert into {t} (a, b) values (1, 2) on conflict (a) do update set b = excluded.b"),
        format!("insert into {t} (a) values (1) on conflict (a) do nothing returning b"),
        format!("update {t} set b = 1 where false"),
        format!("update {t} set b = 1 where a = 0"),
        format!("update {t} set b = b + 1 where a = 0"),
        format!("update {t} set a = 1 where false returning b"),
        format!("update {t} set b = u.a from zu u where u.b = -1"),
        format!("delete from {t} where a = 0"),
        format!("delete from {t} where false"),
        format!("delete from {t} where false returning a"),
        format!("select a from {t} where a = 0 for update"),
        format!("select x.a from {t} x join zu y using (b) where x.a = 0"),
        format!("select max(a) from {t} where a < 0"),
        format!("with w as (select a from {t}) select 1 from w where false"),
        format!("select (select b from {t} limit 1)"),
        format!("truncate {t}"),
        format!("begin; lock table {t} in share mode; commit"),
        format!("alter table {t} alter b set default 1"),
        format!("create index on {t} (b)"),
        format!("comment on table {t} is 'x'"),
        format!("explain select c from {t}"),
        format!("create table zs.zn{n} (x int)"),
        format!("create table zn{n} (x int)"),
        format!("create table zn{n} (x int references zt)"),
        format!("create table zn{n} as select a from {t}"),
        format!("drop table if exists zn{n}"),
        format!("drop table if exists zs.zn{n}"),
        "select nextval('zq') > 0".into(),
        "select setval('zq', 1)".into(),
        "select is_called from zq".into(),
        "select count(*) from pg_authid where false".into(),
        "checkpoint".into(),
        format!("select has_table_privilege('{t}', 'select'), has_any_column_privilege('{t}', 'update')"),
    ];
    all[r.below(all.len() as u64) as usize].clone()
}
