// postgres.js: values of all types, errors, cursors, COPY, pipelines, cancel, notifications, TLS, passwords, a restart.
import { pipeline } from "node:stream/promises";
import { Readable } from "node:stream";
import postgres from "postgres";
import { AT, ROOT, SCRAM, SETUP, TYPES, VALUES, check, end, equal, fails, restart } from "./checks.mjs";

const open = (more = {}) => postgres({ host: AT.host, port: AT.port, user: AT.user, database: AT.database, max: 1, onnotice: () => {}, ...more });
const sql = open({ connection: { TimeZone: "UTC" } });
await sql.unsafe(SETUP);
const run = (name, body) => check("postgres", name, body);

await run("types as text", async () => {
  for (const [type, value] of VALUES) {
    // What the driver makes of a value in JSON, of a boolean or a date is for the next check.
    const raw = await sql.unsafe(`select $1::text::${type}`, [value], { prepare: true }).raw();
    equal([type, raw[0][0].toString()], [type, value]);
  }
});

await run("types as values of the language", async () => {
  const values = [
    ["bool", true], ["int2", -5], ["int4", 7], ["int8", "1099511627776"], ["float8", 1.5], ["numeric", "12.340"], ["text", "it's \\ ü"],
    ["bytea", Buffer.from([0, 255])], ["jsonb", { a: [1, null] }], ["json", [1, "x"]], ["int4[]", [1, 2, 3]], ["text[]", ["a", "b,c", "\""]],
    ["timestamptz", new Date("2024-02-29T01:02:03.004Z")], ["date", new Date("2024-02-29T00:00:00Z")], ["apps_mood", "ok"],
    ["uuid", "0188a5eb-4a47-7b1c-8c3d-9a1d2e3f4a5b"], ["inet", "10.1.2.3"], ["interval", "1 year 2 mons"],
  ];
  for (const [type, value] of values) equal((await sql`select ${value}::${sql.unsafe(type)} as v`)[0].v, value);
});

await run("nulls", async () => {
  for (const type of TYPES) equal([type, (await sql`select ${null}::${sql.unsafe(type)} as v`)[0].v], [type, null]);
});

await run("arrays of types of its own", async () => {
  // It looks at what types there are when it connects.
  const c = open();
  equal((await c`select array['ok', 'sad']::apps_mood[] as v`)[0].v, ["ok", "sad"]);
  await c.end();
});

await run("a value of a megabyte", async () => {
  const big = "ä".repeat(1 << 19);
  equal((await sql`select ${big}::text as v`)[0].v, big);
});

await run("errors with their fields", async () => {
  const e = await fails("23505", sql`insert into apps_d (u) values ('x'), ('x')`);
  equal([e.severity, e.schema_name, e.table_name, e.constraint_name, e.detail], ["ERROR", "public", "apps_d", "apps_d_u_key", "Key (u)=(x) already exists."]);
  await fails("42P01", sql`select * from nothing`);
  await fails("22P02", sql`select ${"x"}::text::int`);
  await fails("42601", sql.unsafe("selec 1"));
  await fails("23514", sql`select 3::apps_even`);
});

await run("what a statement gives, before it runs", async () => {
  const d = await sql`select id, m, t from apps_d where id = ${1}`.describe();
  equal([d.types, d.columns.map((c) => [c.name, c.type])], [[23], [["id", 23], ["m", d.columns[1].type], ["t", 25]]]);
});

await run("a pipeline", async () => {
  const all = await Promise.all(Array.from({ length: 100 }, (_, n) => sql`select ${n}::int as n`));
  equal(all.map((r) => r[0].n), Array.from({ length: 100 }, (_, n) => n));
});

await run("an error in the middle of a pipeline", async () => {
  const all = await Promise.allSettled([0, 1, 2, 0, 5].map((n) => sql`select 10 / ${n}::int as n`));
  equal(all.map((r) => r.value?.[0].n ?? r.reason.code), ["22012", 10, 5, "22012", 2]);
});

await run("several statements in one", async () => {
  equal((await sql.unsafe("select 1 as a; select 2 as b").simple()).map((r) => [...r]), [[{ a: 1 }], [{ b: 2 }]]);
});

await run("inserts and updates from objects", async () => {
  const rows = await sql`insert into apps_d ${sql([{ t: "a", j: { x: 1 } }, { t: "b", j: null }], "t", "j")} returning t, j`;
  equal([...rows], [{ t: "a", j: { x: 1 } }, { t: "b", j: null }]);
  equal((await sql`update apps_d set ${sql({ t: "c" }, "t")} where t in ${sql(["a", "b"])}`).count, 2);
  equal((await sql`delete from apps_d where t = any(${["c"]})`).count, 2);
});

await run("transactions and savepoints", async () => {
  await fails("XX", sql.begin("isolation level repeatable read", async (t) => {
    await fails("22012", t.savepoint((s) => s`select 1/0`));
    await t.savepoint("named", (s) => s`insert into apps_d (t) values ('gone')`);
    throw Object.assign(new Error("no"), { code: "XX" });
  }));
  equal((await sql`select count(*)::int as n from apps_d where t = 'gone'`)[0].n, 0);
  equal(await sql.begin("read only", (t) => [t`select 1 as a`, t`select 2 as a`]).then((r) => r.map((x) => x[0].a)), [1, 2]);
});

await run("prepared statements across changes of the table", async () => {
  await sql.unsafe("drop table if exists apps_p; create table apps_p (a int); insert into apps_p values (1)");
  const ask = () => sql`select * from apps_p`;
  equal([...(await ask())], [{ a: 1 }]);
  await sql`alter table apps_p add b int default 2`;
  // The driver prepares it again when it is refused.
  equal([...(await ask())], [{ a: 1, b: 2 }]);
  await sql`drop table apps_p`;
  await fails("42P01", ask());
});

await run("a cursor", async () => {
  const seen = [];
  for await (const rows of sql`select g from generate_series(1, 25) g`.cursor(10)) seen.push(rows.length);
  equal(seen, [10, 10, 5]);
  await sql`select g from generate_series(1, 100000) g`.cursor(10, () => sql.CLOSE);
  equal((await sql`select 1 as a`)[0].a, 1);
});

await run("COPY both ways", async () => {
  // Little: what it reads it may not go on after when its buffer was full in the end.
  const rows = Array.from({ length: 500 }, (_, n) => `row ${n}\t\\N\n`);
  await sql`truncate apps_d`;
  await pipeline(Readable.from(rows), await sql`copy apps_d (t, j) from stdin`.writable());
  const parts = [];
  for await (const p of await sql`copy (select t, j from apps_d order by id) to stdout`.readable()) parts.push(p);
  equal(Buffer.concat(parts).toString(), rows.join(""));
  const binary = [];
  for await (const p of await sql`copy (select t, j from apps_d order by id) to stdout (format binary)`.readable()) binary.push(p);
  await sql`truncate apps_d`;
  await pipeline(Readable.from(binary), await sql`copy apps_d (t, j) from stdin (format binary)`.writable());
  equal((await sql`select count(*)::int as n from apps_d`)[0].n, 500);
});

await run("cancel", async () => {
  const slow = sql`select pg_sleep(60)`;
  setTimeout(() => slow.cancel(), 300);
  await fails("57014", slow);
  equal((await sql`select 1 as a`)[0].a, 1);
});

await run("notifications", async () => {
  const heard = new Promise((yes) => sql.listen("apps_ch", yes).then(() => sql.notify("apps_ch", "hi")));
  equal(await heard, "hi");
});

await run("without prepared statements", async () => {
  const c = open({ prepare: false });
  equal((await c`select ${5}::int as a, ${"x"} as b`)[0], { a: 5, b: "x" });
  await c.end();
});

if (ROOT) {
  const tls = { ssl: { ca: ROOT, rejectUnauthorized: true } };
  await run("TLS with the server's certificate looked at", async () => {
    const c = open(tls);
    equal((await c`select ssl from pg_stat_ssl where pid = pg_backend_pid()`)[0].ssl, true);
    await c.end();
  });
  await run("a password, SCRAM", async () => {
    const c = open({ ...SCRAM, ...tls });
    equal((await c`select current_user as u`)[0].u, SCRAM.user);
    await c.end();
    await fails("28P01", open({ ...SCRAM, password: "wrong" })`select 1`);
  });
  await run("a restart of the server", async () => {
    const heard = [];
    const c = open();
    await c.listen("apps_ch", (x) => heard.push(x));
    await c`select 1`;
    await restart();
    equal((await c`select 1 as a`.catch(() => c`select 1 as a`))[0].a, 1);
    // It listens again by itself.
    for (let n = 0; n < 100 && !heard.length; n++) {
      await c`select pg_notify('apps_ch', 'again')`;
      await new Promise((yes) => setTimeout(yes, 100));
    }
    equal(heard[0], "again");
    await c.end({ timeout: 1 });
  });
}
end();
