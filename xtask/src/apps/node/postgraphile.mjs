// PostGraphile 4: a GraphQL schema made of a database's tables, enums, domains and views; queries and mutations by it, which pass rows as texts of their row types.
import pg from "pg";
import { AT, check, end, equal, require } from "./checks.mjs";

const { createPostGraphileSchema, withPostGraphileContext } = require("postgraphile");
const { graphql, printSchema } = require("graphql");
const run = (name, body) => check("postgraphile", name, body);
const pool = new pg.Pool({ ...AT, max: 4 });
await pool.query(`
  drop schema if exists pgl cascade; create schema pgl; set search_path to pgl;
  create type kind as enum ('x', 'y'); create domain word as varchar(10) check (value <> '');
  create table author (id int generated always as identity primary key, kind kind not null default 'x', word word, n numeric(10, 2) default 1.5, words text[] default '{}', data jsonb,
    at timestamptz(3) default now(), span interval, address inet, code char(3), gone int, twice int generated always as (1 + 1) stored);
  alter table author drop gone;
  comment on table author is 'who writes'; comment on column author.kind is 'the kind';
  create table post (a int, b text, author int not null references author on delete cascade, primary key (a, b), unique (author, b));
  create view busy as select author.id, post.b, author.data -> 'x' as j from author join post on post.author = author.id;
  insert into author (kind, data, words) values ('x', '{"x":1}', '{p}'), ('y', null, '{}'); insert into post values (1, 'b', 1), (2, 'c', 1);
  reset search_path`);

let schema;
await run("a schema", async () => {
  schema = await createPostGraphileSchema(pool, ["pgl"], { dynamicJson: true });
  const text = printSchema(schema);
  for (const part of ["enum Kind {", "type Author implements Node {", "postsByAuthor(", "input AuthorPatch {", "type Busy {", "updatePostByAAndB(", "who writes", "words: [String]"]) equal(text.includes(part), true);
});

const ask = (text) => withPostGraphileContext({ pgPool: pool }, async (context) => {
  const r = await graphql(schema, text, null, { ...context });
  if (r.errors) throw r.errors[0].originalError ?? r.errors[0];
  return JSON.parse(JSON.stringify(r.data));
});

await run("queries", async () => {
  const r = await ask(`{ allAuthors(orderBy: ID_ASC, first: 2, condition: {kind: X}) { totalCount pageInfo { hasNextPage endCursor }
    nodes { id kind words data n span { days } postsByAuthor(orderBy: A_DESC) { edges { cursor node { a b } } } } } allBusies { nodes { id b j } } }`);
  equal(r.allAuthors.totalCount, 1);
  equal(r.allAuthors.nodes[0].postsByAuthor.edges.map((e) => e.node), [{ a: 2, b: "c" }, { a: 1, b: "b" }]);
  equal(r.allAuthors.nodes[0].data, { x: 1 });
  equal(r.allBusies.nodes.length, 2);
});

await run("mutations", async () => {
  const r = await ask(`mutation { createAuthor(input: {author: {kind: Y, words: ["q", "a,b"], n: "3.5", span: {days: 2}, code: "abc"}}) { author { id n words span { days } twice } }
    updatePostByAAndB(input: {a: 1, b: "b", postPatch: {author: 2}}) { post { author authorByAuthor { kind } } } deletePostByAAndB(input: {a: 2, b: "c"}) { deletedPostId } }`);
  equal(r.createAuthor.author, { id: 3, n: "3.50", words: ["q", "a,b"], span: { days: 2 }, twice: 2 });
  equal(r.updatePostByAAndB.post, { author: 2, authorByAuthor: { kind: "Y" } });
  equal(typeof r.deletePostByAAndB.deletedPostId, "string");
});
await pool.end();
end();
