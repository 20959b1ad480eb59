// TypeORM: tables synchronized and migrated, what it finds to change, its queries.
import "reflect-metadata";
import { DataSource, EntitySchema, MigrationExecutor } from "typeorm";
import { AT, check, end, equal, fails } from "./checks.mjs";

const run = (name, body) => check("typeorm", name, body);
const entities = (later) => [
  new EntitySchema({
    name: "Author", tableName: "to_author",
    columns: {
      id: { type: "int", primary: true, generated: "increment" },
      name: { type: "varchar", length: 30, unique: true, comment: "the name" },
      kind: { type: "enum", enum: ["a", "b"], default: "a" },
      data: { type: "jsonb", default: {} },
      made: { type: "timestamptz", createDate: true },
      version: { type: "int", version: true },
      ...(later ? { more: { type: "numeric", precision: 10, scale: 2, nullable: true } } : { old: { type: "text", nullable: true } }),
    },
    relations: { posts: { type: "one-to-many", target: "Post", inverseSide: "author" } },
    checks: [{ name: "to_named", expression: `"name" <> ''` }],
  }),
  new EntitySchema({
    name: "Post", tableName: "to_post",
    columns: {
      id: { type: "uuid", primary: true, generated: "uuid" },
      title: { type: "text" },
      words: { type: "text", array: true, default: () => "'{}'" },
      price: { type: "numeric", precision: 8, scale: 2, default: 0 },
      twice: { type: "numeric", generatedType: "STORED", asExpression: "price * 2", nullable: true },
      gone: { type: "timestamp", deleteDate: true, nullable: true },
    },
    relations: {
      author: { type: "many-to-one", target: "Author", inverseSide: "posts", onDelete: "CASCADE", joinColumn: { name: "author" } },
      tags: { type: "many-to-many", target: "Tag", joinTable: { name: "to_post_tags" }, cascade: true },
    },
    indices: [{ name: "to_title", columns: ["title", "author"] }, { name: "to_part", columns: ["price"], where: "price > 10" }],
  }),
  new EntitySchema({ name: "Tag", tableName: "to_tag", columns: { word: { type: "varchar", primary: true } } }),
  new EntitySchema({ name: "Counts", type: "view", tableName: "to_counts", expression: "select author, count(*) as n from to_post group by author", columns: { author: { type: "int" }, n: { type: "int" } } }),
];
const open = (later, more = {}) => new DataSource({ type: "postgres", ...AT, username: AT.user, entities: entities(later), migrationsTableName: "to_migrations", ...more }).initialize();
const changes = async (d) => (await d.driver.createSchemaBuilder().log()).upQueries.map((q) => q.query);
let db = await open(false);

await run("synchronize, twice", async () => {
  await db.query("drop view if exists to_counts; drop table if exists to_post_tags, to_tag, to_post, to_author, to_migrations, typeorm_metadata; drop type if exists to_author_kind_enum");
  await db.synchronize();
  equal(await changes(db), []);
  await db.synchronize();
});
await run("write and read", async () => {
  const authors = db.getRepository("Author"), posts = db.getRepository("Post");
  const ann = await authors.save({ name: "Ann", data: { x: [1] } });
  await authors.save({ name: "Bob", kind: "b" });
  await posts.save([1, 2, 3].map((n) => ({ title: `t${n}`, words: ["w", `v${n}`], price: n * 10, author: ann, tags: n === 1 ? [{ word: "x" }, { word: "y" }] : [] })));
  const found = await authors.findOne({ where: { name: "Ann" }, relations: { posts: { tags: true } }, order: { posts: { title: "ASC" } } });
  equal(found.posts.map((p) => [p.title, p.twice, p.tags.length]), [["t1", "20.00", 2], ["t2", "40.00", 0], ["t3", "60.00", 0]]);
  equal(await posts.createQueryBuilder("p").where("p.words && :w", { w: ["v2"] }).leftJoin("p.author", "a").select(["p.title"]).addSelect("a.name", "name").getRawMany(), [{ p_title: "t2", name: "Ann" }]);
  await authors.upsert({ name: "Ann", kind: "b" }, ["name"]);
  equal((await authors.findOneBy({ name: "Ann" })).kind, "b");
  equal(await posts.findAndCount({ take: 2, skip: 1, order: { title: "DESC" } }).then(([r, n]) => [r.map((p) => p.title), n]), [["t2", "t1"], 3]);
  await posts.softDelete({ title: "t3" });
  equal(await posts.count(), 2);
  equal(await db.getRepository("Counts").find(), [{ author: ann.id, n: "3" }].map((c) => ({ ...c, n: "3" })));
  await fails("23505", authors.insert({ name: "Ann" }));
  let n = 0;
  for await (const _ of await posts.createQueryBuilder("p").stream()) n++;
  equal(n, 2);
});
await run("transactions and locks", async () => {
  await db.transaction("REPEATABLE READ", async (t) => {
    await t.transaction(async (s) => { await s.getRepository("Author").insert({ name: "Gone" }); throw new Error("no"); }).catch(() => {});
    equal(await t.getRepository("Author").countBy({ name: "Gone" }), 0);
    equal((await t.getRepository("Author").findOne({ where: { name: "Bob" }, lock: { mode: "pessimistic_write", onLocked: "nowait" } })).name, "Bob");
  });
});
await run("migrate to what is found to change, and back", async () => {
  await db.destroy();
  db = await open(true);
  const { upQueries, downQueries } = await db.driver.createSchemaBuilder().log();
  class Later1700000000000 {
    name = "Later1700000000000";
    async up(r) { for (const q of upQueries) await r.query(q.query, q.parameters); }
    async down(r) { for (const q of [...downQueries].reverse()) await r.query(q.query, q.parameters); }
  }
  await db.destroy();
  db = await open(true, { migrations: [Later1700000000000] });
  equal((await db.runMigrations({ transaction: "each" })).length, 1);
  equal((await db.runMigrations()).length, 0);
  equal(await changes(db), []);
  await db.undoLastMigration();
  await db.destroy();
  db = await open(false);
  equal(await changes(db), []);
});
await run("drop", async () => {
  await db.query("drop view to_counts; drop table to_post_tags, to_tag, to_post, to_author, to_migrations, typeorm_metadata; drop type to_author_kind_enum");
});
await db.destroy();
end();
