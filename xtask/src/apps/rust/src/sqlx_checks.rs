//! sqlx: values, errors, COPY, notifications, migrations, TLS, passwords, a restart.

use crate::checks::{Done, Failure, SETUP, check, equal, restart, secured, values, var, wrong};
use futures_util::TryStreamExt;
use sqlx::migrate::Migrator;
use sqlx::postgres::{PgConnectOptions, PgListener, PgPool, PgPoolCopyExt, PgPoolOptions, PgSslMode};
use sqlx::{AssertSqlSafe, Connection, Postgres, Row};
use std::time::Duration;

const NAME: &str = "sqlx";

fn options() -> PgConnectOptions {
    PgConnectOptions::new_without_pgpass()
        .host(&var("PGHOST"))
        .port(var("PGPORT").parse().unwrap_or(5432))
        .username(&var("PGUSER"))
        .database(&var("PGDATABASE"))
        .ssl_mode(PgSslMode::Disable)
}

fn fails<T>(code: &str, r: Result<T, sqlx::Error>) -> Done {
    let e = r.err().ok_or_else(|| wrong(format!("it did not fail with {code}")))?;
    let got = e.as_database_error().and_then(|e| e.code()).map(|c| c.into_owned());
    if got.as_deref() == Some(code) { Ok(()) } else { Err(e.into()) }
}

async fn types(p: &PgPool) -> Done {
    for (ty, text) in values() {
        let literal = text.replace('\'', "''");
        let sql = format!("select '{literal}'::{ty}::text, ($1::text)::{ty}::text, ($2::text)::{ty} is null");
        let row = sqlx::query(AssertSqlSafe(sql)).bind(&text).bind(None::<String>).fetch_one(p).await?;
        if ty != "bytea" {
            equal((&ty, row.get::<String, _>(1)), (&ty, row.get::<String, _>(0)))?;
        }
        equal(row.get::<bool, _>(2), true)?;
    }
    Ok(())
}

async fn same<'q, T>(p: &PgPool, ty: &str, v: T) -> Done
where
    T: sqlx::Encode<'q, Postgres> + sqlx::Type<Postgres> + for<'r> sqlx::Decode<'r, Postgres>,
    T: Clone + PartialEq + std::fmt::Debug + Send + Unpin + 'q,
{
    let got: T = sqlx::query_scalar(AssertSqlSafe(format!("select $1::{ty}"))).bind(v.clone()).fetch_one(p).await?;
    equal(got, v)?;
    let null: Option<T> =
        sqlx::query_scalar(AssertSqlSafe(format!("select $1::{ty}"))).bind(None::<T>).fetch_one(p).await?;
    equal(null, None)
}

async fn typed(p: &PgPool) -> Done {
    same(p, "bool", true).await?;
    same(p, "int2", i16::MIN).await?;
    same(p, "int4", i32::MIN).await?;
    same(p, "int8", i64::MIN).await?;
    same(p, "float4", 0.1f32).await?;
    same(p, "float8", 5e-324f64).await?;
    same(p, "text", "it's \\ ü 😀".to_owned()).await?;
    same(p, "bytea", vec![0u8, 255]).await?;
    same(p, "uuid", sqlx::types::Uuid::from_u128(5)).await?;
    same(p, "jsonb", sqlx::types::Json(vec![Some(1), None])).await?;
    same(p, "int4[]", vec![Some(1), None]).await?;
    same(p, "text[]", vec!["a".to_owned(), "b,c".into(), "\"".into()]).await?;
    same(p, "interval", sqlx::postgres::types::PgInterval { months: 14, days: -3, microseconds: 5 }).await
}

async fn errors(p: &PgPool) -> Done {
    let e = sqlx::query("insert into apps_d (u) values ('x'), ('x')").execute(p).await.err();
    let e = e.ok_or_else(|| wrong("it did not fail"))?;
    let e = e.as_database_error().ok_or_else(|| wrong("not the server's"))?;
    equal((e.is_unique_violation(), e.constraint(), e.table()), (true, Some("apps_d_u_key"), Some("apps_d")))?;
    fails("42P01", sqlx::query("select * from nothing").execute(p).await)?;
    fails("22012", sqlx::query("select 1 / $1::int").bind(0).execute(p).await)
}

async fn transactions(p: &PgPool) -> Done {
    let mut t = p.begin_with("begin isolation level repeatable read").await?;
    let mut inner = t.begin().await?;
    fails("22012", sqlx::query("select 1/0").execute(&mut *inner).await)?;
    inner.rollback().await?;
    sqlx::query("insert into apps_d (t) values ('gone')").execute(&mut *t).await?;
    drop(t);
    let n: i64 = sqlx::query_scalar("select count(*) from apps_d where t = 'gone'").fetch_one(p).await?;
    equal(n, 0)?;
    let rows: Vec<_> = sqlx::query("select generate_series(1, 1000)").fetch(p).try_collect().await?;
    equal(rows.len(), 1000)
}

async fn replanned(p: &PgPool) -> Done {
    let mut c = p.acquire().await?;
    sqlx::raw_sql("drop table if exists apps_p; create table apps_p (a int); insert into apps_p values (1)")
        .execute(&mut *c)
        .await?;
    let star = "select * from apps_p";
    equal(sqlx::query(star).fetch_one(&mut *c).await?.len(), 1)?;
    sqlx::query("alter table apps_p add b int").execute(&mut *c).await?;
    fails("0A000", sqlx::query(star).fetch_one(&mut *c).await)?;
    c.clear_cached_statements().await?;
    equal(sqlx::query(star).fetch_one(&mut *c).await?.len(), 2)?;
    sqlx::query("drop table apps_p").execute(&mut *c).await?;
    fails("42P01", sqlx::query(star).fetch_one(&mut *c).await)
}

async fn copies(p: &PgPool) -> Done {
    let text: String = (0..5000).map(|n| format!("row {n}\t\\N\n")).collect();
    sqlx::query("truncate apps_d").execute(p).await?;
    let mut sink = p.copy_in_raw("copy apps_d (t, j) from stdin").await?;
    sink.send(text.as_bytes()).await?;
    equal(sink.finish().await?, 5000)?;
    let out = p.copy_out_raw("copy (select t, j from apps_d order by id) to stdout").await?;
    let parts: Vec<_> = out.try_collect().await?;
    equal(parts.concat(), text.into_bytes())
}

async fn notifications(p: &PgPool) -> Done {
    let mut l = PgListener::connect_with(p).await?;
    l.listen("apps_ch").await?;
    sqlx::query("select pg_notify('apps_ch', 'hello')").execute(p).await?;
    equal(l.recv().await?.payload(), "hello")
}

async fn migrations(p: &PgPool) -> Done {
    let folder = std::env::temp_dir().join(format!("sqlx-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    for (name, text) in [
        ("1_first.up.sql", "create table sx_a (id bigint generated always as identity primary key, name text not null);"),
        ("1_first.down.sql", "drop table sx_a;"),
        ("2_second.up.sql", "alter table sx_a add column more int default 5; create index on sx_a (lower(name)); insert into sx_a (name) values ('Ann');"),
        ("2_second.down.sql", "alter table sx_a drop column more;"),
    ] {
        std::fs::write(folder.join(name), text)?;
    }
    let m = Migrator::new(folder.as_path()).await?;
    // Two at once wait for each other.
    let (a, b) = tokio::join!(m.run(p), m.run(p));
    a?;
    b?;
    m.run(p).await?;
    std::fs::write(folder.join("3_alone.up.sql"), "-- no-transaction\ncreate index concurrently sx_more on sx_a (more);")?;
    std::fs::write(folder.join("3_alone.down.sql"), "drop index sx_more;")?;
    let m = Migrator::new(folder.as_path()).await?;
    m.run(p).await?;
    let more: i32 = sqlx::query_scalar("select more from sx_a where lower(name) = 'ann'").fetch_one(p).await?;
    equal(more, 5)?;
    m.undo(p, 0).await?;
    let gone: Option<String> = sqlx::query_scalar("select to_regclass('sx_a')::text").fetch_one(p).await?;
    equal(gone, None)?;
    sqlx::query("drop table _sqlx_migrations").execute(p).await?;
    std::fs::remove_dir_all(folder)?;
    Ok(())
}

/// Runs all.
pub async fn run() {
    let pool = |o: PgConnectOptions| PgPoolOptions::new().max_connections(4).connect_with(o);
    let p = pool(options().options([("TimeZone", "UTC")])).await.expect("a pool");
    sqlx::raw_sql(SETUP).execute(&p).await.expect("the tables");
    check(NAME, "types as text", types(&p)).await;
    check(NAME, "types as values of the language, nulls", typed(&p)).await;
    check(NAME, "errors with their fields", errors(&p)).await;
    check(NAME, "transactions and savepoints", transactions(&p)).await;
    check(NAME, "prepared statements across changes of the table", replanned(&p)).await;
    check(NAME, "COPY", copies(&p)).await;
    check(NAME, "notifications", notifications(&p)).await;
    check(NAME, "migrations, by two at once, again and back", migrations(&p)).await;
    let Some((root, user, password)) = secured() else { return };
    check(NAME, "TLS, verify-full, with a password", async {
        let o = options().ssl_mode(PgSslMode::VerifyFull).ssl_root_cert(&root).username(&user).password(&password);
        let p = pool(o).await?;
        let who: (String, bool) =
            sqlx::query_as("select current_user::text, ssl from pg_stat_ssl where pid = pg_backend_pid()").fetch_one(&p).await?;
        equal(who, (user.clone(), true))
    })
    .await;
    check(NAME, "a password, SCRAM", async {
        pool(options().username(&user).password(&password)).await?;
        fails("28P01", pool(options().username(&user).password("wrong")).await)
    })
    .await;
    check(NAME, "a restart of the server", async {
        let mut l = PgListener::connect_with(&p).await?;
        l.listen("apps_ch").await?;
        restart()?;
        tokio::time::sleep(Duration::from_millis(100)).await;
        let one: i32 = sqlx::query_scalar("select 1").fetch_one(&p).await?;
        equal(one, 1)?;
        // It listens again by itself, once it has seen that it has to.
        let teller = async {
            for _ in 0..100 {
                sqlx::query("select pg_notify('apps_ch', 'again')").execute(&p).await?;
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
            Err::<(), Failure>(wrong("nothing was heard"))
        };
        tokio::select! {
            told = teller => told,
            heard = l.recv() => equal(heard?.payload(), "again"),
        }
    })
    .await;
}
