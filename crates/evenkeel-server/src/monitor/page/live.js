"use strict";
// Asks once a second, and shows what has changed between two answers. Nothing here changes anything on the server.
const $ = (id) => document.getElementById(id);
// Without the name and password that may stand in the address, which fetch does not take.
const HERE = location.origin + location.pathname.replace(/[^/]*$/, "");
const KEPT = 300, BARS_S = 10, LATE_MS = 5000;
const history = [];
let last = null, answers = [], heard = 0;

const make = (tag, props = {}, ...inside) => {
  const e = document.createElement(tag);
  Object.assign(e, props);
  e.append(...inside);
  return e;
};
// Facts beside one another.
const facts = (...all) => make("p", {}, ...all.filter((f) => f !== "").map((f) => (typeof f === "string" ? make("span", {}, f) : f)));
const whole = (n) => Math.round(n).toLocaleString("en-US").replaceAll(",", "\u202f");
const number = (n) => (n >= 100 || n === 0 ? whole(n) : n >= 10 ? n.toFixed(1) : n.toFixed(2));
const bytes = (n) => {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let u = 0;
  while (n >= 1000 && u < 4) { n /= 1024; u++; }
  return (u === 0 || n >= 100 ? Math.round(n) : n.toFixed(1)) + " " + units[u];
};
const time = (us) => {
  if (us === null || us === undefined) return "–";
  if (us < 1000) return Math.round(us) + " µs";
  if (us < 1e6) return (us / 1000).toFixed(us < 1e4 ? 1 : 0) + " ms";
  if (us < 6e7) return (us / 1e6).toFixed(1) + " s";
  const m = us / 6e7;
  return m < 120 ? Math.round(m) + " min" : m < 2880 ? (m / 60).toFixed(1) + " h" : Math.round(m / 1440) + " days";
};

// Quarters of powers of two, as the server counts them.
const start = (n) => (n < 4 ? n : (4 + (n % 4)) * 2 ** (Math.floor(n / 4) - 1));
const minus = (now, before) => now.map((n, i) => Math.max(0, n - (before[i] || 0)));
const sum = (list) => list.reduce((a, b) => a + b, 0);
function share(buckets, part) {
  const all = sum(buckets);
  if (all === 0) return null;
  let below = 0;
  for (let i = 0; i < buckets.length; i++) {
    if (below + buckets[i] >= all * part) {
      const within = (all * part - below) / buckets[i];
      return start(i) + (start(i + 1) - start(i)) * within;
    }
    below += buckets[i];
  }
  return start(buckets.length);
}

function chart(id, lines, format, log) {
  const W = 600, H = 170, left = 0, bottom = 4, svg = "http://www.w3.org/2000/svg";
  const box = document.createElementNS(svg, "svg");
  box.setAttribute("viewBox", `0 0 ${W} ${H}`);
  box.setAttribute("preserveAspectRatio", "none");
  box.setAttribute("role", "img");
  const values = lines.flatMap((l) => l.values).filter((v) => v !== null);
  let max = Math.max(...values, log ? 1000 : 10), min = log ? Math.max(1, Math.min(...values, max / 10)) : 0;
  const scale = (v) => (log ? Math.log(Math.max(v, min) / min) / Math.log(max / min || 2) : v / max);
  const y = (v) => H - bottom - scale(v) * (H - bottom - 14);
  const marks = log ? [min, Math.sqrt(min * max), max] : [0, max / 2, max];
  const labels = make("div", { className: "marks" });
  for (const m of marks) {
    const line = document.createElementNS(svg, "line");
    for (const [k, v] of [["x1", left], ["x2", W], ["y1", y(m)], ["y2", y(m)], ["class", "grid"]]) line.setAttribute(k, v);
    box.append(line);
    const mark = make("span", {}, format(m));
    mark.style.top = (y(m) / H) * 100 + "%";
    labels.append(mark);
  }
  for (const l of lines) {
    let points = [];
    const draw = () => {
      if (points.length === 0) return;
      if (points.length === 1) points.push(points[0].replace(/^[\d.]+/, (x) => Number(x) + 1.5));
      const p = document.createElementNS(svg, "polyline");
      p.setAttribute("points", points.join(" "));
      p.style.stroke = `var(${l.colour})`;
      box.append(p);
      points = [];
    };
    l.values.forEach((v, i) => {
      if (v === null) return draw();
      points.push(`${(W - ((l.values.length - 1 - i) / KEPT) * (W - left)).toFixed(1)},${y(v).toFixed(1)}`);
    });
    draw();
  }
  const legend = make("div", { className: "legend" });
  for (const l of lines) {
    const i = make("i");
    i.style.background = `var(${l.colour})`;
    const v = l.values.at(-1);
    legend.append(make("span", {}, i, `${l.name} ${v === null || v === undefined ? "–" : format(v)}`));
  }
  box.setAttribute("aria-label", legend.textContent);
  $(id).replaceChildren(make("div", { className: "plot" }, box, labels), legend);
}

function bars(id, counts, name) {
  let to = counts.length;
  while (to > 1 && counts[to - 1] === 0) to--;
  let from = 0;
  while (from < to - 1 && counts[from] === 0) from++;
  const max = Math.max(...counts, 1);
  const shown = counts.slice(from, to).map((n, i) => {
    const bar = make("i", { title: whole(n) });
    bar.style.height = (n / max) * 3 + "rem";
    return make("div", {}, bar, name(from + i));
  });
  $(id).replaceChildren(...(sum(counts) === 0 ? [make("p", { className: "none" }, "none")] : shown));
}

const rows = (id, pairs) =>
  $(id).replaceChildren(...pairs.flatMap(([k, v]) => [make("dt", {}, k), make("dd", {}, v)]));
const none = (text) => make("p", { className: "none" }, text);

function sessions(now) {
  const all = new Map(now.sessions.map((s) => [s.pid, s]));
  const waits = now.sessions.filter((s) => s.waits_for);
  $("sessions").textContent =
    Object.entries(now.states).filter(([, n]) => n > 0).map(([s, n]) => `${n} ${s}`).join(", ") || "none";
  const item = (s, deep) => {
    const what = { transactionid: "a row", relation: "a table", advisory: "an advisory lock" }[s.waits_for];
    const by = s.blocked_by.length ? " held by " + s.blocked_by.join(", ") : "";
    const line = facts(make("b", {}, "" + s.pid), `${s.user}@${s.database}`, s.application_name, s.state,
      s.waits_for ? make("b", { className: "bad" }, `waits for ${what}${by}`) : s.state === "active" && s.wait_event ? s.wait_event : "",
      s.xact_us === null ? "" : `transaction ${time(s.xact_us)}`,
      s.state === "active" && s.query_us !== null ? `statement ${time(s.query_us)}` : "");
    return make("div", { className: "item" + (deep ? " deep" : "") }, line, make("code", {}, s.query));
  };
  const shown = [], seen = new Set();
  // Who holds others up first, and below each those who wait for it.
  const tree = (s, depth) => {
    if (seen.has(s.pid) || depth > 20) return;
    seen.add(s.pid);
    const e = item(s, depth > 0);
    if (depth > 0) e.style.marginLeft = Math.min(depth, 6) * 1.1 + "rem";
    shown.push(e);
    waits.filter((w) => w.blocked_by.includes(s.pid)).forEach((w) => tree(w, depth + 1));
  };
  const blockers = new Set(waits.flatMap((w) => w.blocked_by));
  now.sessions.filter((s) => blockers.has(s.pid) && !s.waits_for).forEach((s) => tree(s, 0));
  waits.forEach((s) => tree(s, 0));
  now.sessions.filter((s) => !seen.has(s.pid)).slice(0, 12).forEach((s) => shown.push(item(s, false)));
  $("waits").replaceChildren(...(shown.length ? shown : [none("Nobody is at work, and nobody waits.")]));
}

function statements(now) {
  const seconds = now.lately_s;
  const busy = now.top.map((t) => ({ ...t, busy: seconds ? t.lately_ms / 10 / seconds : 0, rate: seconds ? t.lately_calls / seconds : 0 }));
  busy.sort((a, b) => b.busy - a.busy || b.total_ms - a.total_ms);
  const most = Math.max(...busy.map((t) => t.busy), 1);
  const shown = busy.slice(0, 12).map((t) => {
    const bar = make("div", { className: "share" });
    bar.style.width = (t.busy / most) * 100 + "%";
    return make("div", { className: "item" }, make("code", {}, t.text),
      facts(make("b", {}, `${(t.busy / 100).toFixed(3)} s a second`), `${number(t.rate)}/s`, `mean ${time(t.mean_ms * 1000)}`,
        `max ${time(t.max_ms * 1000)}`, `${whole(t.calls)} calls`, `${whole(t.rows)} rows`, `${time(t.total_ms * 1000)} in all`), bar);
  });
  $("top").replaceChildren(...(shown.length ? shown : [none("None is counted.")]));
}

function show(now) {
  const before = last, seconds = before ? Math.max(0.2, (now.now_us - before.now_us) / 1e6) : 1;
  const rate = (f) => (before ? Math.max(0, f(now) - f(before)) / seconds : 0);
  const buckets = before ? minus(now.latency, before.latency) : now.latency.map(() => 0);
  const point = {
    statements: rate((s) => sum(s.latency)), commits: rate((s) => s.transactions.written), rollbacks: rate((s) => s.transactions.rolled_back),
    p50: share(buckets, 0.5), p99: share(buckets, 0.99), p999: share(buckets, 0.999),
  };
  if (before) history.push(point);
  if (history.length > KEPT) history.shift();

  $("what").textContent = `${now.version}, ${now.standby ? "a standby" : "a primary"}, up ${time(now.now_us - now.started_us)}`;
  const tile = (name, value, bad) => make("div", { className: "tile" + (bad ? " bad" : "") }, make("b", {}, value), make("span", {}, name));
  $("tiles").replaceChildren(
    tile("commits/s", number(point.commits)), tile("statements/s", number(point.statements)),
    tile("p50", time(point.p50)), tile("p99", time(point.p99)), tile("p99.9", time(point.p999)),
    tile("errors/s", number(rate((s) => s.errors)), rate((s) => s.errors) > 0),
    tile(`of ${whole(now.max_connections)} connections`, whole(now.connections)),
    tile("wait for locks", whole(now.waiters), now.waiters > 0), tile("deadlocks", whole(now.deadlocks)));
  const of = (f) => history.map((h) => h[f]);
  chart("throughput", [
    { name: "statements", colour: "--one", values: of("statements") },
    { name: "commits", colour: "--two", values: of("commits") },
    { name: "rollbacks", colour: "--three", values: of("rollbacks") }], number, false);
  chart("times", [
    { name: "p50", colour: "--one", values: of("p50") },
    { name: "p99", colour: "--two", values: of("p99") },
    { name: "p99.9", colour: "--three", values: of("p999") }], time, true);

  $("round").textContent = now.running ? `partition ${now.running.partition}: ${now.running.stage}` : "none runs";
  const most = Math.max(...now.partitions.map((p) => p.dirty), 1);
  $("partitions").replaceChildren(...(now.partitions.length ? now.partitions.map((p, n) => {
    const bar = make("i");
    bar.style.height = (p.dirty / most) * 100 + "%";
    const runs = now.running && now.running.partition === n;
    return make("div", { className: "partition" + (runs ? " runs" : ""), title: `${p.rounds} rounds; the last wrote ${p.pages} pages in ${time(p.write_us)}, synced ${time(p.sync_us)}` },
      bar, make("span", {}, `${n}: ${whole(p.dirty)}`), make("span", {}, bytes(p.redo)));
  }) : [none("A standby has none.")]));

  $("log").textContent = `${bytes(rate((s) => s.log.inserted))}/s, ${number(rate((s) => s.log.writes))} writes/s, ${number(rate((s) => s.log.images))} images/s`;
  answers.push(now);
  answers = answers.filter((a) => now.now_us - a.now_us <= BARS_S * 1e6 + 5e5);
  bars("gangs", minus(now.gangs, answers[0].gangs), (n) => (n < 2 ? "" + n : `≤${2 ** n - 1}`));
  bars("flushes", minus(now.flushes, answers[0].flushes), (n) => "<" + time(2 ** n));
  const hits = rate((s) => s.pool.hits), reads = rate((s) => s.pool.reads);
  rows("pool", [
    ["Pages", `${whole(now.pool.pages)}, ${whole(now.pool.dirty)} of them dirty`],
    ["Found in the pool", hits + reads > 0 ? `${((100 * hits) / (hits + reads)).toFixed(2)} % of ${number(hits + reads)}/s` : "–"],
    ["Read, evicted", `${number(reads)}/s, ${number(rate((s) => s.pool.evictions))}/s`],
    ["Written by rounds", `${number(rate((s) => s.pool.by_rounds))}/s`],
    ["Written by the background writer", `${number(rate((s) => s.pool.by_bgwriter))}/s`],
    ["Written by sessions", `${number(rate((s) => s.pool.by_sessions))}/s`],
    ["Memory", bytes(now.memory.used) + (now.memory.limit ? ` of ${bytes(now.memory.limit)}` : "")],
    ["Undo in memory, in its file", `${bytes(now.memory.undo)}, ${bytes(now.memory.undo_spilled)}`],
    ["Old versions to be removed", whole(now.purge_backlog)],
  ]);
  sessions(now);
  statements(now);

  const standbys = now.standbys.map((s) => make("div", { className: "item" }, facts(make("b", {}, s.name || "" + s.pid), s.state, s.sync_state,
    `lacks ${bytes(s.lag_durable)}`, `to replay ${bytes(s.lag_replayed)}`, s.silent_us === null ? "" : `heard ${time(s.silent_us)} ago`)));
  for (const s of now.slots.filter((s) => !s.active || s.lost)) {
    standbys.push(make("div", { className: "item" }, facts(make("b", { className: "bad" }, `slot ${s.name}`), s.lost ? "its log has gone" : "nobody uses it", `keeps ${bytes(s.kept)}`)));
  }
  if (now.replay) {
    standbys.push(make("div", { className: "item" }, facts(make("b", { className: now.replay.connected ? "" : "bad" }, now.replay.connected ? "follows its primary" : "gets no log"),
      `to replay ${bytes(now.replay.lag)}`, now.replay.commit_us === null ? "" : `newest commit ${time(now.replay.commit_us)} old`)));
  }
  $("standbys").replaceChildren(...(standbys.length ? standbys : [none("None follows.")]));
  const a = now.archive;
  rows("archive", [
    ...(a ? [["Archive", a.url], ["Segments", whole(a.segments)], ["Not archived", bytes(a.lag)], ["Oldest waits", time(a.wait_us)],
      ["Failures", whole(a.failures) + (a.error ? `: ${a.error}` : "")], ["Writes are refused", a.refuses ? "yes" : "no"]] : [["Archive", "none"]]),
    ["Latest backup", now.backup_age_us === null ? "none is known" : `${time(now.backup_age_us)} ago`],
    ...(now.backup ? [["A backup is made", `${now.backup.phase}: ${bytes(now.backup.copied)} of ${bytes(now.backup.size)}`]] : []),
  ]);
  last = now;
}

async function ask() {
  try {
    const reply = await fetch(HERE + "live.json", { cache: "no-store", signal: AbortSignal.timeout(LATE_MS) });
    if (reply.status === 401 || reply.status === 403) throw new Error("it may not be seen any more: load the page anew");
    const now = await reply.json();
    if (!reply.ok) throw new Error(now.why || reply.statusText);
    if (last && now.now_us <= last.now_us) last = null;
    show(now);
    heard = Date.now();
    $("state").className = "";
    $("state").textContent = new Date(heard).toLocaleTimeString();
  } catch (e) {
    $("state").className = "bad";
    $("state").textContent = `no answer${heard ? " since " + new Date(heard).toLocaleTimeString() : ""}: ${e.message}`;
    history.push({ statements: null, commits: null, rollbacks: null, p50: null, p99: null, p999: null });
    if (history.length > KEPT) history.shift();
    last = null;
  }
}

async function turn() {
  const began = Date.now();
  if (!document.hidden) await ask();
  setTimeout(turn, Math.max(200, 1000 - (Date.now() - began)));
}
document.addEventListener("visibilitychange", () => { last = null; answers = []; });
turn();
