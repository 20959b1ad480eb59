// Kysely: migrations forth, again and back, its query builder, what it reads of tables.
import pg from "pg";
import Cursor from "pg-cursor";
import { Kysely, Migrator, NO_MIGRATIONS, PostgresDialect, sql } from "kysely";
import { jsonArrayFrom, jsonObjectFrom } from "kysely/helpers/postgres";
import { AT, check, end, equal, fails } from "./checks.mjs";

const run = (name, body) => check("kysely", name, body);
const db = new Kysely({ dialect: new PostgresDialect({ pool: new pg.Pool({ ...AT, max: 4 }), cursor: Cursor }) });
const first = {
  async up(k) {
    await k.schema.createType("ky_kind").asEnum(["a", "b"]).execute();
    await k.schema.createTable("ky_person")
      .addColumn("id", "integer", (c) => c.primaryKey().generatedAlwaysAsIdentity())
      .addColumn("name", "varchar(30)", (c) => c.notNull().unique())
      .addColumn("kind", sql`ky_kind`)
      .addColumn("at", "timestamptz", (c) => c.defaultTo(sql`now()`).notNull())
      .addColumn("twice", "integer", (c) => c.generatedAlwaysAs(sql`id * 2`).stored())
      .execute();
    await k.schema.createTable("ky_pet")
      .addColumn("id", "serial", (c) => c.primaryKey())
      .addColumn("owner", "integer", (c) => c.references("ky_person.id").onDelete("cascade"))
      .addColumn("name", "text")
      .addColumn("data", "jsonb")
      .addUniqueConstraint("ky_once", ["owner", "name"], (b) => b.nullsNotDistinct())
      .addCheckConstraint("ky_named", sql`name <> ''`)
      .execute();
    await k.schema.createIndex("ky_owner").on("ky_pet").columns(["owner", "name desc"]).where("name", "is not", null).execute();
  },
  async down(k) {
    for (const t of ["ky_pet", "ky_person"]) await k.schema.dropTable(t).execute();
    await k.schema.dropType("ky_kind").execute();
  },
};
const second = {
  async up(k) {
    await k.schema.alterTable("ky_pet").addColumn("species", "varchar(10)", (c) => c.defaultTo("cat").notNull()).execute();
    await k.schema.alterTable("ky_pet").alterColumn("name", (c) => c.setNotNull()).execute();
    await k.schema.alterTable("ky_person").alterColumn("name", (c) => c.setDataType("varchar(60)")).execute();
    await k.schema.createView("ky_view").orReplace().as(k.selectFrom("ky_person").select("name")).execute();
  },
  async down(k) {
    await k.schema.dropView("ky_view").execute();
    await k.schema.alterTable("ky_pet").dropColumn("species").execute();
  },
};
const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ first, second }) }, migrationTableName: "ky_migration", migrationLockTableName: "ky_lock" });
const migrate = async (how) => {
  const { error, results } = await how;
  if (error) throw error;
  return results.map((r) => [r.migrationName, r.status]);
};

await run("migrate, twice", async () => {
  equal(await migrate(migrator.migrateToLatest()), [["first", "Success"], ["second", "Success"]]);
  equal(await migrate(migrator.migrateToLatest()), []);
});
await run("write and read", async () => {
  const { id } = await db.insertInto("ky_person").values({ name: "Ann", kind: "a" }).returning("id").executeTakeFirstOrThrow();
  await db.insertInto("ky_pet").values([{ owner: id, name: "Tom", data: JSON.stringify({ x: [1] }) }, { owner: id, name: "Kit" }]).execute();
  const people = db.selectFrom("ky_person as p").select((e) => ["p.name", "p.twice",
    jsonArrayFrom(e.selectFrom("ky_pet").select(["name", "species"]).whereRef("owner", "=", "p.id").orderBy("name")).as("pets"),
    jsonObjectFrom(e.selectFrom("ky_pet").select(["name"]).whereRef("owner", "=", "p.id").orderBy("name").limit(1)).as("first")]);
  equal(await people.execute(), [{ name: "Ann", twice: 2, pets: [{ name: "Kit", species: "cat" }, { name: "Tom", species: "cat" }], first: { name: "Kit" } }]);
  const again = db.insertInto("ky_person").values({ name: "Ann", kind: "b" }).onConflict((c) => c.column("name").doUpdateSet((e) => ({ kind: e.ref("excluded.kind") })));
  equal(await again.returning("kind").execute(), [{ kind: "b" }]);
  const merged = await db.mergeInto("ky_pet as t").using("ky_person as p", "p.id", "t.owner").whenMatched().thenUpdateSet({ species: "dog" }).executeTakeFirst();
  equal(merged.numChangedRows, 2n);
  equal((await db.updateTable("ky_pet").from("ky_person").set({ data: null }).whereRef("ky_pet.owner", "=", "ky_person.id").executeTakeFirst()).numUpdatedRows, 2n);
  equal(await db.with("n", (k) => k.deleteFrom("ky_pet").where("name", "=", "Kit").returning("name")).selectFrom("n").selectAll().execute(), [{ name: "Kit" }]);
  await fails("23514", db.insertInto("ky_pet").values({ owner: id, name: "" }).execute());
});
await run("a stream of rows", async () => {
  let n = 0;
  for await (const _ of db.selectFrom(sql`generate_series(1, 250)`.as("g")).selectAll().stream(100)) n++;
  equal(n, 250);
});
await run("transactions and savepoints", async () => {
  const t = await db.startTransaction().setIsolationLevel("serializable").execute();
  const after = await t.savepoint("s").execute();
  await after.insertInto("ky_person").values({ name: "Gone", kind: "a" }).execute();
  await after.rollbackToSavepoint("s").execute();
  await t.commit().execute();
  equal((await db.selectFrom("ky_person").select("name").execute()).length, 1);
});
await run("read back what there is", async () => {
  const tables = (await db.introspection.getTables()).filter((t) => /^ky_p|^ky_v/.test(t.name));
  equal(tables.map((t) => [t.name, t.isView]), [["ky_person", false], ["ky_pet", false], ["ky_view", true]].sort());
  const pet = tables.find((t) => t.name === "ky_pet");
  equal(pet.columns.map((c) => [c.name, c.dataType, c.isNullable, c.hasDefaultValue, c.isAutoIncrementing]), [
    ["id", "int4", false, true, true], ["owner", "int4", true, false, false], ["name", "text", false, false, false],
    ["data", "jsonb", true, false, false], ["species", "varchar", false, true, false]]);
  equal((await db.introspection.getSchemas()).some((s) => s.name === "public"), true);
});
await run("migrate back", async () => {
  equal(await migrate(migrator.migrateTo(NO_MIGRATIONS)), [["second", "Success"], ["first", "Success"]]);
  for (const t of ["ky_migration", "ky_lock"]) await db.schema.dropTable(t).execute();
});
await db.destroy();
end();
