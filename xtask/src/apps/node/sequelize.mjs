// Sequelize: tables synchronized, again, altered and dropped; its queries; what it reads of tables.
import { DataTypes, Op, Sequelize, col, fn, literal } from "sequelize";
import { AT, check, end, equal, fails } from "./checks.mjs";

const run = (name, body) => check("sequelize", name, body);
const db = new Sequelize(AT.database, AT.user, "", { host: AT.host, port: AT.port, dialect: "postgres", logging: false, pool: { max: 4 } });
const define = (later) => {
  const Author = db.define("sq_author", {
    name: { type: DataTypes.STRING(later ? 60 : 50), allowNull: false, comment: "the name" },
    kind: { type: DataTypes.STRING(1), defaultValue: "a" },
    data: { type: DataTypes.JSONB, defaultValue: {} },
    key: { type: DataTypes.UUID, defaultValue: DataTypes.UUIDV4 },
    ...(later ? { more: { type: DataTypes.INTEGER, defaultValue: 5, allowNull: false } } : {}),
  }, { indexes: [{ fields: ["name"], unique: true }, { fields: ["data"], using: "gin" }, { fields: ["kind", { name: "name", order: "DESC" }], name: "sq_kind" }] });
  const Post = db.define("sq_post", {
    title: DataTypes.TEXT, price: DataTypes.DECIMAL(8, 2), words: DataTypes.ARRAY(DataTypes.TEXT), on: DataTypes.DATEONLY, done: { type: DataTypes.BOOLEAN, defaultValue: false },
    bytes: DataTypes.BLOB, at: DataTypes.DATE, big: DataTypes.BIGINT, real: DataTypes.DOUBLE, ip: DataTypes.INET,
  }, { paranoid: true });
  Author.hasMany(Post, { foreignKey: "author", onDelete: "CASCADE" });
  Post.belongsTo(Author, { foreignKey: "author" });
  const Tag = db.define("sq_tag", { word: { type: DataTypes.STRING, primaryKey: true } }, { timestamps: false });
  Post.belongsToMany(Tag, { through: "sq_post_tags" });
  Tag.belongsToMany(Post, { through: "sq_post_tags" });
  return { Author, Post, Tag };
};
let m = define(false);

await run("synchronize, twice", async () => {
  await db.authenticate();
  await db.drop({ cascade: true });
  await db.sync();
  await db.sync();
});
await run("write and read", async () => {
  const ann = await m.Author.create({ name: "Ann", data: { x: { y: [1] } } });
  await m.Author.bulkCreate([{ name: "Bob", kind: "b" }, { name: "Ann", kind: "b" }], { updateOnDuplicate: ["kind"] });
  equal((await m.Author.findAll({ order: ["name"] })).map((a) => [a.name, a.kind]), [["Ann", "b"], ["Bob", "b"]]);
  const post = await m.Post.create({ title: "t", price: "1.50", words: ["a", "b,c"], on: "2024-02-29", bytes: Buffer.from([0, 255]), at: new Date(5), big: "9007199254740993", real: 0.1, ip: "10.0.0.1", author: ann.id });
  await post.reload();
  equal([post.price, post.words, post.on, [...post.bytes], post.at.getTime(), post.big, post.real, post.ip], ["1.50", ["a", "b,c"], "2024-02-29", [0, 255], 5, "9007199254740993", 0.1, "10.0.0.1"]);
  await post.addSq_tags([await m.Tag.create({ word: "x" }), await m.Tag.create({ word: "y" })]);
  const found = await m.Author.findOne({ where: { data: { [Op.contains]: { x: { y: [1] } } } }, include: [{ model: m.Post, include: [m.Tag] }] });
  equal(found.sq_posts[0].sq_tags.map((t) => t.word).sort(), ["x", "y"]);
  equal(await m.Post.count({ where: { words: { [Op.contains]: ["a"] }, title: { [Op.iLike]: "T%" } } }), 1);
  const sums = await m.Post.findAll({ attributes: ["author", [fn("sum", col("price")), "s"], [literal("count(*) filter (where done)"), "n"]], group: ["author"], raw: true });
  equal(sums, [{ author: ann.id, s: "1.50", n: "0" }]);
  equal((await m.Author.upsert({ name: "Cid", kind: "b" }))[0].kind, "b");
  await post.increment("real", { by: 1 });
  await post.destroy();
  equal([await m.Post.count(), await m.Post.count({ paranoid: false })], [0, 1]);
  const e = await fails("23505", m.Author.create({ name: "Ann" }));
  equal(e.constraint, "sq_authors_name");
});
await run("find or create", async () => {
  const [kept, made] = await m.Author.findOrCreate({ where: { name: "Dan" }, defaults: { kind: "a" } });
  equal([kept.name, made], ["Dan", true]);
});
await run("transactions and savepoints", async () => {
  await db.transaction({ isolationLevel: "REPEATABLE READ" }, async (transaction) => {
    await db.transaction({ transaction }, async (inner) => {
      await m.Author.create({ name: "Gone" }, { transaction: inner });
      throw new Error("no");
    }).catch(() => {});
    equal(await m.Author.count({ where: { name: "Gone" }, transaction }), 0);
    equal((await m.Author.findOne({ where: { name: "Ann" }, lock: true, skipLocked: true, transaction })).name, "Ann");
  });
});
await run("alter what there is, twice", async () => {
  m = define(true);
  await db.sync({ alter: true });
  await db.sync({ alter: true });
  equal((await m.Author.findOne({ where: { name: "Ann" } })).more, 5);
});
await run("read back what there is", async () => {
  const q = db.getQueryInterface();
  const d = await q.describeTable("sq_authors");
  equal([d.name.type, d.name.comment, d.id.primaryKey, d.id.allowNull], ["CHARACTER VARYING(60)", "the name", true, false]);
  const indexes = (await q.showIndex("sq_authors")).map((i) => [i.name, i.unique, i.primary, i.fields.map((f) => f.attribute)]);
  equal(indexes.filter((i) => i[0] === "sq_kind"), [["sq_kind", false, false, ["kind", "name"]]]);
  equal((await q.getForeignKeyReferencesForTable("sq_posts")).map((f) => [f.columnName, f.referencedTableName, f.referencedColumnName]), [["author", "sq_authors", "id"]]);
  equal((await q.showConstraint("sq_posts")).some((c) => c.constraintType === "FOREIGN KEY"), true);
  equal((await q.showAllTables()).includes("sq_posts"), true);
});
await run("an enum, altered", async () => {
  for (const values of [["a", "b"], ["a", "b", "c"]]) {
    db.define("sq_mood", { mood: { type: DataTypes.ENUM(...values), defaultValue: "a" } });
    await db.sync({ alter: true });
  }
  equal((await db.getQueryInterface().describeTable("sq_moods")).mood.special, ["a", "b", "c"]);
});
await run("drop", async () => db.drop({ cascade: true }));
await db.close();
end();
