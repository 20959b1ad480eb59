// What the scripts beside this share: a check has a name, and passes unless it throws or takes a minute.
import assert from "node:assert";
import fs from "node:fs";
import readline from "node:readline";
import { createRequire } from "node:module";

export const HOST = process.env.PGHOST, PORT = Number(process.env.PGPORT);
export const USER = process.env.PGUSER, DATABASE = process.env.PGDATABASE;
export const AT = { host: HOST, port: PORT, user: USER, database: DATABASE };
export const URL = `postgres://${USER}@${HOST}:${PORT}/${DATABASE}`;
// A certificate authority, and a role that has to show a password; not there: the server has no such things.
export const ROOT = process.env.APPS_ROOT_CERT && fs.readFileSync(process.env.APPS_ROOT_CERT);
export const SCRAM = { user: process.env.APPS_USER, password: process.env.APPS_PASSWORD };

export const equal = (got, wanted) => assert.deepStrictEqual(got, wanted);
export const version = (name) => JSON.parse(fs.readFileSync(new globalThis.URL(`node_modules/${name}/package.json`, import.meta.url))).version;
export const require = createRequire(import.meta.url);

// What a client throws beside its answer is the check's that runs.
let stray;
process.on("unhandledRejection", (e) => stray?.(e));

export async function check(client, name, body) {
  let timer;
  const beside = new Promise((_, no) => (stray = no));
  const late = new Promise((_, no) => (timer = setTimeout(() => no(new Error("it took more than a minute")), 60000)));
  const line = (how, why) => fs.writeSync(1, [how, client, version(client), name, why].join("\t") + "\n");
  try {
    await Promise.race([body(), late, beside]);
    line("ok", "");
  } catch (e) {
    const where = /([\w.-]+\.mjs:\d+)/.exec(e?.stack ?? "")?.[1] ?? "";
    e = e?.cause ?? e?.parent ?? e;
    const why = `${e?.code ?? e?.name}: ${e?.message || e?.errors?.[0]?.message}`.replace(/\s+/g, " ").slice(0, 200);
    line("FAILED", `${why} (${where})`);
  }
  clearTimeout(timer);
}

// What must fail, and how.
export async function fails(code, promise) {
  const e = await promise.then(() => assert.fail(`it did not fail with ${code}`), (e) => e);
  equal(e.cause?.code ?? e.original?.code ?? e.code, code);
  return e.cause ?? e.original ?? e;
}

const plain = { "\\n": "\n", "\\t": "\t", "\\\\": "\\" };
export const VALUES = fs.readFileSync(process.env.APPS_VALUES, "utf8").split("\n")
  .filter((l) => l && !l.startsWith("#"))
  .map((l) => l.split("\t"))
  .map(([type, value]) => [type, value.replace(/\\[nt\\]/g, (x) => plain[x])]);
export const TYPES = [...new Set(VALUES.map(([type]) => type))];
export const SETUP = `
  drop table if exists apps_d; drop domain if exists apps_even cascade; drop type if exists apps_mood cascade;
  create type apps_mood as enum ('sad', 'ok', 'not so good');
  create domain apps_even as int4 check (value % 2 = 0);
  create table apps_d (id int generated always as identity primary key, m apps_mood, t text, j jsonb, u text unique)`;

// Whoever runs the scripts restarts the server, and says when it is there again.
const input = readline.createInterface({ input: process.stdin });
const answers = [];
input.on("line", () => answers.shift()?.());
export async function restart() {
  const back = new Promise((yes) => answers.push(yes));
  console.log("restart");
  await back;
}
export function end() {
  input.close();
  process.exit();
}
