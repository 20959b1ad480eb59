// Drizzle: tables pushed, again and changed; its migrations; its queries; what drizzle-kit reads of tables.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { execFileSync } from "node:child_process";
import pg from "pg";
import { desc, eq, relations, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import { migrate } from "drizzle-orm/node-postgres/migrator";
import * as p from "drizzle-orm/pg-core";
import { URL, AT, check, end, equal, fails, require } from "./checks.mjs";

const { generateDrizzleJson, generateMigration, pushSchema } = require("drizzle-kit/api");
const run = (name, body) => check("drizzle-orm", name, body);
const space = p.pgSchema("dz");
const kind = space.enum("kind", ["a", "b"]);
const define = (later) => {
  const authors = space.table("authors", {
    id: p.integer().primaryKey().generatedAlwaysAsIdentity(),
    name: p.varchar({ length: 30 }).notNull().unique("dz_name"),
    kind: kind().default(later ? "b" : "a"),
    data: p.jsonb().$type().default({}),
    at: p.timestamp({ withTimezone: true }).defaultNow(),
    ...(later ? { more: p.numeric({ precision: 10, scale: 2 }).default("1.5").notNull() } : {}),
  }, (t) => [p.check("dz_named", sql`${t.name} <> ''`), p.index("dz_kind").on(t.kind, t.name.desc())]);
  const posts = space.table("posts", {
    id: p.uuid().primaryKey().defaultRandom(),
    author: p.integer().references(() => authors.id, { onDelete: "cascade" }),
    title: p.text().notNull(),
    words: p.text().array(),
    price: p.integer().notNull().default(0),
    twice: p.integer().generatedAlwaysAs(sql`price * 2`),
    no: p.bigserial({ mode: "number" }),
  }, (t) => [p.uniqueIndex("dz_once").on(t.author, t.title).where(sql`price > 0`), p.index("dz_words").using("gin", t.words)]);
  const view = space.view("busy").as((q) => q.select({ name: authors.name }).from(authors));
  return { space, kind, authors, posts, view, authorsTo: relations(authors, ({ many }) => ({ posts: many(posts) })), postsTo: relations(posts, ({ one }) => ({ by: one(authors, { fields: [posts.author], references: [authors.id] }) })) };
};
const schema = define(false), later = define(true);
const { authors, posts } = schema;
const pool = new pg.Pool({ ...AT, max: 4 });
const db = drizzle(pool, { schema });
await pool.query("drop schema if exists dz cascade; drop schema if exists dz_m cascade");
// drizzle-kit ends the process when it fails.
const exit = process.exit;
process.exit = (code) => {
  if (!code) exit(code);
};
const push = async (s) => {
  const log = console.log;
  // It draws what it does.
  console.log = () => {};
  const write = process.stdout.write;
  process.stdout.write = () => true;
  try {
    const { statementsToExecute, apply } = await pushSchema(s, db, ["dz"]);
    await apply();
    return statementsToExecute;
  } finally {
    console.log = log;
    process.stdout.write = write;
  }
};

await run("migrate, twice", async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "drizzle-"));
  const lines = await generateMigration(generateDrizzleJson({}), generateDrizzleJson(schema));
  const more = await generateMigration(generateDrizzleJson(schema), generateDrizzleJson(later));
  const back = await generateMigration(generateDrizzleJson(later), generateDrizzleJson(schema));
  fs.mkdirSync(`${folder}/meta`);
  const entries = [lines, more, back].map((text, idx) => {
    fs.writeFileSync(`${folder}/000${idx}_m.sql`, text.join("--> statement-breakpoint\n"));
    return { idx, version: "7", when: 1700000000000 + idx, tag: `000${idx}_m`, breakpoints: true };
  });
  fs.writeFileSync(`${folder}/meta/_journal.json`, JSON.stringify({ version: "7", dialect: "postgresql", entries }));
  const options = { migrationsFolder: folder, migrationsSchema: "dz_m" };
  await migrate(db, options);
  await migrate(db, options);
  equal((await pool.query("select count(*)::int as n from dz_m.__drizzle_migrations")).rows[0].n, 3);
  fs.rmSync(folder, { recursive: true });
});
await run("write and read", async () => {
  const [ann, bob] = await db.insert(authors).values([{ name: "Ann", data: { x: [1] } }, { name: "Bob", kind: "b" }]).returning();
  await db.insert(posts).values([1, 2, 3].map((n) => ({ author: n % 2 ? ann.id : bob.id, title: `t${n}`, words: ["w", "a,b"], price: n * 10 })));
  const found = await db.query.authors.findMany({ columns: { name: true }, with: { posts: { columns: { title: true, twice: true }, orderBy: (t) => t.title } }, orderBy: (t) => t.name });
  equal(found, [{ name: "Ann", posts: [{ title: "t1", twice: 20 }, { title: "t3", twice: 60 }] }, { name: "Bob", posts: [{ title: "t2", twice: 40 }] }]);
  equal(await db.insert(authors).values({ name: "Ann", kind: "b" }).onConflictDoUpdate({ target: authors.name, set: { kind: "b" } }).returning({ k: authors.kind }), [{ k: "b" }]);
  const s = db.$with("s").as(db.select({ a: posts.author, n: sql`count(*)::int`.as("n") }).from(posts).groupBy(posts.author));
  equal(await db.with(s).select({ name: authors.name, n: s.n }).from(authors).leftJoin(s, eq(s.a, authors.id)).orderBy(desc(s.n)), [{ name: "Ann", n: 2 }, { name: "Bob", n: 1 }]);
  const q = db.select({ w: posts.words }).from(posts).where(eq(posts.title, sql.placeholder("t"))).prepare("dz_q");
  equal([await q.execute({ t: "t1" }), await q.execute({ t: "t2" })], [[{ w: ["w", "a,b"] }], [{ w: ["w", "a,b"] }]]);
  await fails("23514", db.insert(authors).values({ name: "" }));
  equal((await db.delete(posts).where(eq(posts.price, 20)).returning()).length, 1);
});
await run("transactions and savepoints", async () => {
  await db.transaction(async (t) => {
    await t.transaction(async (x) => { await x.insert(authors).values({ name: "Gone" }); x.rollback(); }).catch(() => {});
    equal(await t.select().from(authors).where(eq(authors.name, "Gone")).for("update", { skipLocked: true }), []);
  }, { isolationLevel: "repeatable read", accessMode: "read write", deferrable: true });
});
await run("push, and push what has changed", async () => {
  equal(await push(schema), []);
  equal((await push(later)).length, 2);
  equal(await push(later), []);
});
await run("drizzle-kit pull", async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "drizzle-"));
  fs.writeFileSync(`${folder}/drizzle.config.json`, JSON.stringify({ dialect: "postgresql", schemaFilter: ["dz"], out: folder, dbCredentials: { url: URL } }));
  execFileSync("node", ["node_modules/drizzle-kit/bin.cjs", "pull", `--config=${folder}/drizzle.config.json`], { stdio: "pipe" });
  const made = fs.readFileSync(`${folder}/schema.ts`, "utf8");
  for (const part of ['generatedAlwaysAs', 'check("dz_named"', 'uniqueIndex("dz_once")', 'onDelete("cascade")', 'dz.view("busy"', "kindInDz"]) equal([part, made.includes(part)], [part, true]);
  fs.rmSync(folder, { recursive: true });
});
await pool.query("drop schema dz cascade; drop schema if exists dz_m cascade");
await pool.end();
end();
