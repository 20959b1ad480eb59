// node-postgres with pg-cursor and pg-copy-streams: values of all types, errors, cursors, COPY, cancel, notifications, TLS, passwords, a restart.
import { pipeline } from "node:stream/promises";
import { Readable } from "node:stream";
import pg from "pg";
import Cursor from "pg-cursor";
import copy from "pg-copy-streams";
import { AT, DATABASE, HOST, PORT, ROOT, SCRAM, SETUP, TYPES, VALUES, check, end, equal, fails, restart } from "./checks.mjs";

const asIs = { getTypeParser: () => (v) => v };
const open = async (more = {}) => {
  const c = new pg.Client({ ...AT, ...more });
  c.on("error", () => {});
  await c.connect();
  return c;
};
const client = await open();
await client.query(SETUP);
const run = (name, body) => check("pg", name, body);
const one = async (c, text, values, types) => (await c.query({ text, values, types, rowMode: "array" })).rows[0][0];

const gather = async (text) => {
  const parts = [];
  for await (const p of client.query(copy.to(text))) parts.push(p);
  return Buffer.concat(parts);
};

await run("types as text", async () => {
  await client.query("set timezone to 'UTC'");
  for (const [type, value] of VALUES) equal([type, await one(client, `select $1::${type}`, [value], asIs)], [type, value]);
});

await run("types in binary", async () => {
  // The driver reads what comes in binary as UTF-8, so that only little is whole.
  const c = await open({ binary: true });
  for (const [type, value] of [["bool", true], ["int2", 5], ["int4", 7], ["float8", 0], ["text", "it's ü"], ["int4[]", [1, 2, 3]]]) {
    equal((await c.query(`select $1::${type} as v`, [value])).rows, [{ v: value }]);
  }
  await c.end();
  // The bytes come by COPY; a buffer goes as it is, in binary.
  for (const [type, value] of VALUES) {
    const raw = (await gather(`copy (select '${value.replaceAll("'", "''")}'::${type}) to stdout (format binary)`)).subarray(25, -2);
    equal([type, await one(client, `select $1::${type}`, [raw], asIs)], [type, value]);
  }
});

await run("types as values of the language", async () => {
  const values = [
    ["bool", true], ["int2", -5], ["int4", 7], ["int8", "1099511627776"], ["float8", 1.5], ["numeric", "12.340"], ["text", "it's \\ ü"],
    ["bytea", Buffer.from([0, 255])], ["jsonb", { a: [1, null] }], ["int4[]", [1, null, 3]], ["text[]", ["a", "b,c", null, '"']],
    ["timestamptz", new Date("2024-02-29T01:02:03.004Z")], ["timestamp", new Date(2024, 1, 29, 1, 2, 3)], ["apps_mood", "ok"], ["bool[]", [true, null]],
  ];
  for (const [type, value] of values) equal(await one(client, `select $1::${type}`, [value]), value);
  const interval = await one(client, "select '1 year 2 mons 3 days 04:05:06'::interval");
  equal({ ...interval }, { years: 1, months: 2, days: 3, hours: 4, minutes: 5, seconds: 6 });
  equal(await one(client, "select '(1,2)'::text"), "(1,2)");
});

await run("nulls", async () => {
  for (const type of TYPES) equal([type, await one(client, `select $1::${type}`, [null])], [type, null]);
});

await run("a value of a megabyte", async () => {
  const big = "ä".repeat(1 << 19);
  equal(await one(client, "select $1::text", [big]), big);
  const bytes = Buffer.alloc(1 << 20, 7);
  equal(await one(client, "select $1::bytea", [bytes]), bytes);
});

await run("errors with their fields", async () => {
  const e = await fails("23505", client.query("insert into apps_d (u) values ('x'), ('x')"));
  equal([e.severity, e.schema, e.table, e.constraint, e.detail], ["ERROR", "public", "apps_d", "apps_d_u_key", "Key (u)=(x) already exists."]);
  equal((await fails("42601", client.query("selec 1"))).position, "1");
  equal((await fails("42703", client.query("select nothing from apps_d"))).position, "8");
  await fails("22P02", client.query("select $1::int", ["x"]));
  equal((await fails("23502", client.query("insert into apps_d (id) overriding system value values (null)"))).column, "id");
  equal((await fails("23514", client.query("select 3::apps_even"))).dataType, "apps_even");
  await fails("42P01", client.query("select * from nothing"));
  await fails("22012", client.query("select 1 / $1::int", [0]));
  await fails("42P02", client.query("select $1::int", []));
});

await run("notices", async () => {
  const heard = new Promise((yes) => client.once("notice", yes));
  await client.query("drop table if exists apps_nothing");
  equal([(await heard).code, (await heard).severity], ["00000", "NOTICE"]);
});

await run("several statements in one", async () => {
  const all = await client.query("select 1 as a; create temp table tt (x int); insert into tt values (1), (2); select * from tt");
  equal(all.map((r) => [r.command, r.rowCount]), [["SELECT", 1], ["CREATE", null], ["INSERT", 2], ["SELECT", 2]]);
});

await run("many queries at once", async () => {
  const all = await Promise.all(Array.from({ length: 50 }, (_, n) => one(client, "select $1::int", [n])));
  equal(all, Array.from({ length: 50 }, (_, n) => n));
});

await run("transactions and savepoints", async () => {
  await client.query("begin isolation level repeatable read");
  await client.query("savepoint a");
  await fails("22012", client.query("select 1/0"));
  await fails("25P02", client.query("select 1"));
  await client.query("rollback to savepoint a");
  await client.query("insert into apps_d (t) values ('gone')");
  await client.query("release savepoint a");
  await client.query("rollback");
  equal(await one(client, "select count(*)::int from apps_d where t = 'gone'"), 0);
});

await run("prepared statements across changes of the table", async () => {
  await client.query("drop table if exists apps_p; create table apps_p (a int); insert into apps_p values (1)");
  const q = { name: "p", text: "select * from apps_p" };
  equal((await client.query(q)).rows, [{ a: 1 }]);
  await client.query("create index on apps_p (a)");
  equal((await client.query(q)).rows, [{ a: 1 }]);
  await client.query("alter table apps_p add b int default 2");
  // The driver knows the old columns only.
  equal((await fails("0A000", client.query(q))).message, "cached plan must not change result type");
  equal((await client.query({ name: "p2", text: "select a, b from apps_p" })).rows, [{ a: 1, b: 2 }]);
  await client.query("alter table apps_p alter b type bigint");
  await fails("0A000", client.query({ name: "p2", text: "select a, b from apps_p" }));
  await client.query("drop table apps_p");
  await fails("42P01", client.query({ name: "p", text: "select * from apps_p" }));
});

await run("cancel", async () => {
  const victim = await open({ query_timeout: 0 });
  const pid = await one(victim, "select pg_backend_pid()");
  equal(pid, victim.processID);
  const slow = victim.query("select pg_sleep(60)");
  setTimeout(() => new pg.Client(AT).cancel(victim, victim._activeQuery), 300);
  await fails("57014", slow);
  equal(await one(victim, "select 1"), 1);
  await victim.query("set statement_timeout = 100");
  await fails("57014", victim.query("select pg_sleep(60)"));
  await victim.end();
});

await run("notifications", async () => {
  const other = await open();
  const heard = new Promise((yes) => client.once("notification", yes));
  await client.query("listen apps_ch");
  await other.query("select pg_notify('apps_ch', 'hello')");
  const n = await heard;
  equal([n.channel, n.payload, n.processId], ["apps_ch", "hello", other.processID]);
  await client.query("unlisten *");
  await other.end();
});

await run("a pool", async () => {
  const pool = new pg.Pool({ ...AT, max: 3 });
  const all = await Promise.all(Array.from({ length: 20 }, (_, n) => pool.query("select $1::int as n", [n])));
  equal(all.map((r) => r.rows[0].n), Array.from({ length: 20 }, (_, n) => n));
  await pool.end();
});

await run("settings at the start", async () => {
  const c = await open({ application_name: "apps", statement_timeout: 5000, lock_timeout: 4000, idle_in_transaction_session_timeout: 3000, options: "-c work_mem=8MB -c search_path=pg_catalog" });
  const settings = ["application_name", "statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout", "work_mem", "search_path"];
  const got = [];
  for (const s of settings) got.push(await one(c, `show ${s}`));
  equal(got, ["apps", "5s", "4s", "3s", "8MB", "pg_catalog"]);
  await c.end();
});

if (ROOT) {
  const tls = { ssl: { ca: ROOT, rejectUnauthorized: true } };
  await run("TLS with the server's certificate looked at", async () => {
    const c = await open(tls);
    equal(await one(c, "select ssl from pg_stat_ssl where pid = pg_backend_pid()"), true);
    await c.end();
    await fails("UNABLE_TO_VERIFY_LEAF_SIGNATURE", open({ ssl: { rejectUnauthorized: true } })).catch((e) => {
      // Node names it by whether the authority comes along.
      if (!/SELF_SIGNED_CERT_IN_CHAIN/.test(e.message)) throw e;
    });
  });
  await run("a password, SCRAM", async () => {
    const c = await open(SCRAM);
    equal(await one(c, "select current_user"), SCRAM.user);
    await c.end();
    await fails("28P01", open({ ...SCRAM, password: "wrong" }));
  });
  await run("a password bound to TLS, SCRAM-SHA-256-PLUS", async () => {
    const c = await open({ ...SCRAM, ...tls, enableChannelBinding: true });
    equal(await one(c, "select current_user"), SCRAM.user);
    await c.end();
  });
}

const cursors = (name, body) => check("pg-cursor", name, body);
await cursors("a portal, in parts", async () => {
  const c = client.query(new Cursor("select g from generate_series(1, $1::int) g", [250]));
  equal((await c.read(3)).map((r) => r.g), [1, 2, 3]);
  equal((await c.read(200)).length, 200);
  equal((await c.read(100)).length, 47);
  equal(await c.read(100), []);
  await c.close();
  equal(await one(client, "select 1"), 1);
});
await cursors("a portal closed early", async () => {
  await client.query("begin");
  const c = client.query(new Cursor("select * from generate_series(1, 100000)"));
  await c.read(1);
  await c.close();
  await client.query("commit");
});
await cursors("an error on the way", async () => {
  const c = client.query(new Cursor("select 1 / (5 - g) from generate_series(1, 9) g"));
  equal((await c.read(2)).length, 2);
  await fails("22012", c.read(5));
  equal(await one(client, "select 1"), 1);
});

const copies = (name, body) => check("pg-copy-streams", name, body);
await copies("COPY as text", async () => {
  const rows = Array.from({ length: 5000 }, (_, n) => `row ${n}\\n\t\\N\n`);
  const stream = client.query(copy.from("copy apps_d (t, j) from stdin"));
  await pipeline(Readable.from(rows), stream);
  equal(stream.rowCount, 5000);
  const out = await gather("copy (select t, j from apps_d order by id) to stdout");
  equal(out.toString(), rows.join(""));
});
await copies("COPY as csv", async () => {
  const out = await gather("copy (select t, j from apps_d order by id limit 1) to stdout (format csv, header)");
  equal(out.toString(), 't,j\n"row 0\n",\n');
});
await copies("COPY in binary", async () => {
  const out = await gather("copy (select t, m, j from apps_d order by id) to stdout (format binary)");
  await client.query("create temp table apps_copy (t text, m apps_mood, j jsonb)");
  await pipeline(Readable.from([out.subarray(0, 100), out.subarray(100)]), client.query(copy.from("copy apps_copy from stdin (format binary)")));
  equal(await one(client, "select count(*)::int from apps_copy c join apps_d using (t)"), 5000);
});
await copies("all types in COPY in binary", async () => {
  for (const [type, value] of VALUES) {
    await client.query(`drop table if exists apps_types; create table apps_types (v ${type})`);
    await client.query("insert into apps_types values ($1), (null)", [value]);
    const out = await gather("copy apps_types to stdout (format binary)");
    await client.query("truncate apps_types");
    await pipeline(Readable.from([out]), client.query(copy.from("copy apps_types from stdin (format binary)")));
    const { rows } = await client.query({ text: "select v from apps_types", types: asIs, rowMode: "array" });
    equal([type, rows], [type, [[value], [null]]]);
  }
  await client.query("drop table apps_types");
});
await copies("COPY that breaks off", async () => {
  await fails("22P02", pipeline(Readable.from(["[\n"]), client.query(copy.from("copy apps_d (j) from stdin"))));
  await fails("22P04", pipeline(Readable.from(["a\tb\tc\n"]), client.query(copy.from("copy apps_d (t) from stdin"))));
  equal(await one(client, "select 1"), 1);
});

if (ROOT) {
  await run("a restart of the server", async () => {
    const pool = new pg.Pool({ ...AT, max: 2 });
    pool.on("error", () => {});
    await pool.query("select 1");
    await restart();
    await new Promise((yes) => setTimeout(yes, 100));
    equal((await pool.query("select 1 as a")).rows, [{ a: 1 }]);
    await pool.end();
  });
}
end();
