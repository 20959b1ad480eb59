// Knex: migrations forth, again and back, its query builder, what it reads of tables.
import knex from "knex";
import { AT, check, end, equal, fails } from "./checks.mjs";

const run = (name, body) => check("knex", name, body);
const db = knex({ client: "pg", connection: AT, pool: { min: 0, max: 4 } });
const migrations = {
  async getMigrations() { return ["1_first", "2_second"]; },
  getMigrationName: (m) => m,
  getMigration: (m) => ({
    "1_first": {
      async up(k) {
        await k.schema.createTable("kx_authors", (t) => {
          t.increments();
          t.string("name", 50).notNullable().unique();
          t.enu("kind", ["a", "b"], { useNative: true, enumName: "kx_kind" });
          t.jsonb("data").defaultTo("{}");
          t.timestamps(true, true);
          t.comment("authors");
        });
        await k.schema.createTable("kx_posts", (t) => {
          t.uuid("id").primary().defaultTo(k.raw("gen_random_uuid()"));
          t.integer("author").unsigned().references("kx_authors.id").onDelete("cascade").index();
          t.decimal("price", 8, 2);
          t.specificType("words", "text[]");
          t.boolean("done").notNullable().defaultTo(false);
          t.check("?? >= 0", ["price"], "kx_positive");
        });
      },
      async down(k) {
        await k.schema.dropTable("kx_posts").dropTable("kx_authors");
        await k.raw("drop type kx_kind");
      },
    },
    "2_second": {
      async up(k) {
        await k.schema.alterTable("kx_posts", (t) => {
          t.string("title", 20).defaultTo("none");
          t.renameColumn("done", "finished");
          t.bigInteger("price").alter();
          t.index(["title", "author"], "kx_title");
          t.unique(["author", "title"], { indexName: "kx_once" });
        });
        await k.schema.alterTable("kx_authors", (t) => { t.setNullable("name"); t.dropColumn("data"); });
        await k.schema.createView("kx_view", (v) => { v.columns(["name"]); v.as(k("kx_authors").select("name")); });
        await k.schema.raw("create materialized view kx_counts as select author, count(*) from kx_posts group by 1");
      },
      async down(k) {
        await k.schema.raw("drop materialized view kx_counts");
        await k.schema.dropView("kx_view");
        await k.schema.alterTable("kx_authors", (t) => { t.dropNullable("name"); t.jsonb("data"); });
        await k.schema.alterTable("kx_posts", (t) => {
          t.dropUnique(["author", "title"], "kx_once");
          t.dropIndex([], "kx_title");
          t.renameColumn("finished", "done");
          t.dropColumn("title");
        });
      },
    },
  })[m],
};
const settings = { migrationSource: migrations, tableName: "kx_migrations" };

await run("migrate, twice", async () => {
  equal((await db.migrate.latest(settings))[1], ["1_first", "2_second"]);
  equal((await db.migrate.latest(settings))[1], []);
  equal(await db.migrate.currentVersion(settings), "2");
});
await run("write and read", async () => {
  const [ann, bob] = await db("kx_authors").insert([{ name: "Ann", kind: "a" }, { name: "Bob", kind: "b" }]).returning(["id", "name"]);
  await db("kx_posts").insert([1, 2, 3].map((n) => ({ author: n % 2 ? ann.id : bob.id, price: n * 10, words: ["x", `y${n}`], title: `t${n}` })));
  equal(await db("kx_posts as p").join("kx_authors as a", "a.id", "p.author").where("a.name", "Ann").orderBy("title").pluck("title"), ["t1", "t3"]);
  equal(await db("kx_posts").whereRaw("words @> ?", [["y2"]]).first("title"), { title: "t2" });
  equal(await db("kx_authors").insert({ name: "Ann", kind: "b" }).onConflict("name").merge(["kind"]).returning("kind"), [{ kind: "b" }]);
  equal(await db("kx_posts").sum("price as s").count("* as n").groupBy("author").orderBy("n").then((r) => r.map((x) => [x.s, x.n])), [["20", "1"], ["40", "2"]]);
  equal(await db("kx_posts").update({ finished: true }).whereIn("title", ["t1", "t2"]), 2);
  const later = db.with("big", db("kx_posts").where("price", ">", 10)).from("big").select("title").rank("r", (q) => q.orderBy("price", "desc"));
  equal((await later.orderBy("title")).map((x) => [x.title, x.r]), [["t2", "2"], ["t3", "1"]]);
  await fails("23505", db("kx_authors").insert({ name: "Ann" }));
});
await run("transactions in transactions", async () => {
  await db.transaction(async (t) => {
    await t.transaction(async (s) => { await s("kx_authors").insert({ name: "Gone" }); throw new Error("no"); }).catch(() => {});
    equal(await t("kx_authors").where({ name: "Gone" }).forUpdate().skipLocked(), []);
  });
});
await run("a stream of rows", async () => {

  let n = 0;
  for await (const _ of db.select("*").from(db.raw("generate_series(1, 300) g")).stream()) n++;
  equal(n, 300);
});
await run("read back what there is", async () => {
  equal(await db.schema.hasTable("kx_posts"), true);
  equal(await db.schema.hasColumn("kx_posts", "finished"), true);
  const info = await db("kx_posts").columnInfo();
  equal([info.title.type, info.title.maxLength, info.title.nullable, info.price.type, info.words.type], ["character varying", 20, true, "bigint", "ARRAY"]);
});
await run("migrate back", async () => {
  equal((await db.migrate.rollback(settings, true))[1], ["2_second", "1_first"]);
  await db.schema.dropTable("kx_migrations").dropTable("kx_migrations_lock");
});
await db.destroy();
end();
