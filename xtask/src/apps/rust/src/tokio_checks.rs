//! tokio-postgres: values of all types, pipelines, COPY, cancel, notifications, TLS, passwords, a restart.

use crate::checks::{Done, Failure, SETUP, check, equal, restart, secured, values, var, wrong};
use bytes::{Bytes, BytesMut};
use futures_util::{SinkExt, StreamExt, TryStreamExt};
use rustls::pki_types::{CertificateDer, pem::PemObject};
use std::time::Duration;
use tokio_postgres::types::{Format, FromSql, IsNull, ToSql, Type};
use tokio_postgres::{AsyncMessage, Client, Config, NoTls, SimpleQueryMessage};
use tokio_postgres_rustls::MakeRustlsConnect;

const NAME: &str = "tokio-postgres";

/// Bytes of any type, as they come and go.
#[derive(Debug, PartialEq)]
struct Raw(Vec<u8>, bool);

impl<'a> FromSql<'a> for Raw {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Raw, Failure> {
        Ok(Raw(raw.to_vec(), true))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

impl ToSql for Raw {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Failure> {
        out.extend_from_slice(&self.0);
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    fn encode_format(&self, _: &Type) -> Format {
        if self.1 { Format::Binary } else { Format::Text }
    }

    tokio_postgres::types::to_sql_checked!();
}

fn config() -> Config {
    let mut c = Config::new();
    c.host(var("PGHOST")).port(var("PGPORT").parse().unwrap_or(5432));
    c.user(var("PGUSER")).dbname(var("PGDATABASE"));
    c
}

async fn open(c: &Config) -> Result<Client, tokio_postgres::Error> {
    let (client, connection) = c.connect(NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}

fn tls(root: &str) -> Result<MakeRustlsConnect, Failure> {
    let mut roots = rustls::RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(root)?)?;
    Ok(MakeRustlsConnect::new(rustls::ClientConfig::builder().with_root_certificates(roots).with_no_client_auth()))
}

fn fails<T>(code: &str, r: Result<T, tokio_postgres::Error>) -> Result<tokio_postgres::Error, Failure> {
    let e = r.err().ok_or_else(|| wrong(format!("it did not fail with {code}")))?;
    equal(e.code().map(|c| c.code().to_owned()), Some(code.to_owned()))?;
    Ok(e)
}

async fn plain(c: &Client, sql: &str) -> Result<Option<String>, Failure> {
    for m in c.simple_query(sql).await? {
        if let SimpleQueryMessage::Row(row) = m {
            return Ok(row.get(0).map(str::to_owned));
        }
    }
    Err(wrong("no row"))
}

async fn types(c: &Client) -> Done {
    for (ty, text) in values() {
        let sql = format!("select $1::{ty}");
        let raw: Raw = c.query_one(&sql, &[&Raw(text.clone().into_bytes(), false)]).await?.get(0);
        let again: Raw = c.query_one(&sql, &[&raw]).await?.get(0);
        equal((&ty, &again), (&ty, &raw))?;
        let shown: String = c.query_one(&format!("select ($1::{ty})::text"), &[&raw]).await?.get(0);
        let literal = text.replace('\'', "''");
        equal((&ty, Some(shown)), (&ty, plain(c, &format!("select '{literal}'::{ty}::text")).await?))?;
        let null: Option<Raw> = c.query_one(&sql, &[&None::<Raw>]).await?.get(0);
        equal(null, None)?;
    }
    Ok(())
}

async fn same<T>(c: &Client, ty: &str, v: T) -> Done
where
    T: ToSql + Sync + PartialEq + std::fmt::Debug + for<'a> FromSql<'a>,
{
    let got: T = c.query_one(&format!("select $1::{ty}"), &[&v]).await?.get(0);
    equal(got, v)
}

async fn typed(c: &Client) -> Done {
    same(c, "bool", true).await?;
    same(c, "int2", i16::MIN).await?;
    same(c, "int4", i32::MIN).await?;
    same(c, "int8", i64::MIN).await?;
    same(c, "oid", u32::MAX).await?;
    same(c, "float4", 0.1f32).await?;
    same(c, "float8", 5e-324f64).await?;
    same(c, "text", "it's \\ ü 😀".to_owned()).await?;
    same(c, "bytea", vec![0u8, 255]).await?;
    same(c, "jsonb", serde_json::json!({"a": [1, null]})).await?;
    same(c, "int4[]", vec![Some(1), None]).await?;
    same(c, "text[]", vec!["a".to_owned(), "b,c".into(), "\"".into()]).await?;
    same(c, "apps_mood", Mood::NotSoGood).await?;
    same(c, "apps_mood[]", vec![Mood::NotSoGood, Mood::Ok]).await?;
    let even: i32 = c.query_one("select $1::int4::apps_even", &[&4]).await?.get(0);
    equal(even, 4)
}

/// What the driver finds in the catalogs of an enum it does not know.
#[derive(Debug, PartialEq)]
enum Mood {
    Ok,
    NotSoGood,
}

impl Mood {
    fn is(ty: &Type) -> bool {
        matches!(ty.kind(), tokio_postgres::types::Kind::Enum(labels) if labels.len() == 3)
    }
}

impl<'a> FromSql<'a> for Mood {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Mood, Failure> {
        Ok(if raw == b"ok" { Mood::Ok } else { Mood::NotSoGood })
    }

    fn accepts(ty: &Type) -> bool {
        Mood::is(ty)
    }
}

impl ToSql for Mood {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Failure> {
        out.extend_from_slice(if *self == Mood::Ok { b"ok" } else { b"not so good" });
        Ok(IsNull::No)
    }

    fn accepts(ty: &Type) -> bool {
        Mood::is(ty)
    }

    tokio_postgres::types::to_sql_checked!();
}

async fn errors(c: &Client) -> Done {
    let e = fails("23505", c.execute("insert into apps_d (u) values ('x'), ('x')", &[]).await)?;
    let e = e.as_db_error().ok_or_else(|| wrong("not the server's"))?;
    equal(
        (e.severity(), e.schema(), e.table(), e.constraint(), e.detail()),
        ("ERROR", Some("public"), Some("apps_d"), Some("apps_d_u_key"), Some("Key (u)=(x) already exists.")),
    )?;
    fails("42P01", c.query("select * from nothing", &[]).await)?;
    fails("22012", c.query("select 1 / $1::int", &[&0]).await)?;
    fails("42601", c.batch_execute("selec 1").await)?;
    Ok(())
}

async fn pipeline(c: &Client) -> Done {
    let s = c.prepare("select $1::int + 1").await?;
    let params: Vec<i32> = (0..100).collect();
    let all = futures_util::future::try_join_all(params.iter().map(|n| {
        let s = &s;
        async move { c.query_one(s, &[n]).await.map(|r| r.get::<_, i32>(0)) }
    }));
    equal(all.await?, (1..=100).collect())
}

async fn transactions(c: &mut Client) -> Done {
    let level = tokio_postgres::IsolationLevel::RepeatableRead;
    let mut t = c.build_transaction().isolation_level(level).start().await?;
    let s = t.savepoint("a").await?;
    fails("22012", s.batch_execute("select 1/0").await)?;
    s.rollback().await?;
    t.execute("insert into apps_d (t) values ('gone')", &[]).await?;
    let portal = t.bind("select g from generate_series(1, $1::int) g", &[&10]).await?;
    let (first, rest) = (t.query_portal(&portal, 3).await?, t.query_portal(&portal, 0).await?);
    equal((first.len(), rest.len()), (3, 7))?;
    t.rollback().await?;
    equal(c.query("select 1 from apps_d where t = 'gone'", &[]).await?.len(), 0)
}

async fn replanned(c: &Client) -> Done {
    c.batch_execute("drop table if exists apps_p; create table apps_p (a int); insert into apps_p values (1)").await?;
    let (star, named) = (c.prepare("select * from apps_p").await?, c.prepare("select a from apps_p").await?);
    c.batch_execute("create index on apps_p (a); alter table apps_p add b int").await?;
    fails("0A000", c.query(&star, &[]).await)?;
    equal(c.query(&named, &[]).await?.len(), 1)?;
    equal(c.query("select * from apps_p", &[]).await?[0].len(), 2)?;
    c.batch_execute("drop table apps_p").await?;
    fails("42P01", c.query(&named, &[]).await)?;
    Ok(())
}

async fn copies(c: &Client) -> Done {
    let text: String = (0..5000).map(|n| format!("row {n}\t\\N\n")).collect();
    c.batch_execute("truncate apps_d").await?;
    let sink = c.copy_in("copy apps_d (t, j) from stdin").await?;
    futures_util::pin_mut!(sink);
    sink.send(Bytes::from(text.clone())).await?;
    equal(sink.finish().await?, 5000)?;
    for options in ["", "(format csv, header)", "(format binary)"] {
        let out = c.copy_out(&format!("copy (select t, j from apps_d order by id) to stdout {options}")).await?;
        let out: Vec<Bytes> = out.try_collect().await?;
        if options.is_empty() {
            equal(out.concat(), text.clone().into_bytes())?;
        }
        c.batch_execute("create temp table apps_copy (t text, j jsonb)").await?;
        let sink = c.copy_in(&format!("copy apps_copy from stdin {options}")).await?;
        futures_util::pin_mut!(sink);
        for part in out {
            sink.send(part).await?;
        }
        equal(sink.finish().await?, 5000)?;
        c.batch_execute("drop table apps_copy").await?;
    }
    Ok(())
}

async fn cancel(c: &Client) -> Done {
    let token = c.cancel_token();
    let (slow, canceled) = tokio::join!(c.batch_execute("select pg_sleep(60)"), async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        token.cancel_query(NoTls).await
    });
    canceled?;
    fails("57014", slow)?;
    equal(plain(c, "select 1").await?, Some("1".into()))
}

async fn notifications(c: &Config) -> Done {
    let (client, mut connection) = c.connect(NoTls).await?;
    let (tell, mut heard) = tokio::sync::mpsc::unbounded_channel();
    tokio::spawn(async move {
        let mut messages = futures_util::stream::poll_fn(move |cx| connection.poll_message(cx));
        while let Some(Ok(m)) = messages.next().await {
            if let AsyncMessage::Notification(n) = m {
                let _ = tell.send(n.payload().to_owned());
            }
        }
    });
    client.batch_execute("listen apps_ch; notify apps_ch, 'hello'").await?;
    equal(heard.recv().await, Some("hello".into()))
}

/// Runs all.
pub async fn run() {
    let c = config();
    let mut client = open(&c).await.expect("a connection");
    client.batch_execute(SETUP).await.expect("the tables");
    client.batch_execute("set timezone to 'UTC'").await.expect("a setting");
    check(NAME, "types as text and in binary, nulls", types(&client)).await;
    check(NAME, "types as values of the language", typed(&client)).await;
    check(NAME, "errors with their fields", errors(&client)).await;
    check(NAME, "a pipeline", pipeline(&client)).await;
    check(NAME, "transactions, savepoints and portals", transactions(&mut client)).await;
    check(NAME, "prepared statements across changes of the table", replanned(&client)).await;
    check(NAME, "COPY as text, csv and binary", copies(&client)).await;
    check(NAME, "cancel", cancel(&client)).await;
    check(NAME, "notifications", notifications(&c)).await;
    let Some((root, user, password)) = secured() else { return };
    check(NAME, "TLS with the server's certificate looked at", async {
        let mut c = c.clone();
        let (client, connection) = c.ssl_mode(tokio_postgres::config::SslMode::Require).connect(tls(&root)?).await?;
        tokio::spawn(connection);
        equal(plain(&client, "select ssl from pg_stat_ssl where pid = pg_backend_pid()").await?, Some("t".into()))
    })
    .await;
    check(NAME, "a password, SCRAM", async {
        let mut c = c.clone();
        let client = open(c.user(&user).password(&password)).await?;
        equal(plain(&client, "select current_user").await?, Some(user.clone()))?;
        fails("28P01", open(c.password("wrong")).await).map(drop)
    })
    .await;
    check(NAME, "a password bound to TLS, SCRAM-SHA-256-PLUS", async {
        let mut c = c.clone();
        c.user(&user).password(&password).ssl_mode(tokio_postgres::config::SslMode::Require);
        c.channel_binding(tokio_postgres::config::ChannelBinding::Require);
        let (client, connection) = c.connect(tls(&root)?).await?;
        tokio::spawn(connection);
        equal(plain(&client, "select 1").await?, Some("1".into()))
    })
    .await;
    check(NAME, "a restart of the server", async {
        restart()?;
        equal(client.batch_execute("select 1").await.is_err(), true)?;
        let again = open(&c).await?;
        equal(plain(&again, "select 1").await?, Some("1".into()))
    })
    .await;
}
