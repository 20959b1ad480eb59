//! The lines of a plan, as text and as JSON.
//!
//! Must not know: what the nodes are.

use super::measured::Measured;
use super::{Shown, collected};
use crate::plan::Plan;
use evenkeel_types::{FormatOptions, quote_ident};
use serde_json::{Map, Value, json};

/// A line of a plan.
pub(super) enum Line {
    /// A node.
    Node {
        depth: usize,
        arrow: &'static str,
        head: Head,
        /// Cost and rows, as far as anybody has estimated them.
        estimate: Option<(f64, f64)>,
        actual: Option<Box<Measured>>,
    },
    /// What it is asked for.
    Detail { depth: usize, label: &'static str, text: String },
    /// The same, of several.
    List { depth: usize, label: &'static str, items: Vec<String> },
    /// What it did: as text, unless there is nothing to say, and by the keys of JSON.
    Did { depth: usize, text: Option<String>, keys: Vec<(&'static str, Value)> },
    /// The next node, and what is below it, is of a numbered plan of the node above, whose depth is told; whether that runs it once.
    Title { depth: usize, name: String, once: bool },
}

/// What a node is, and of what.
#[derive(Clone, Debug, Default)]
pub(super) struct Head {
    pub kind: String,
    pub index: Option<String>,
    pub on: Option<On>,
}

/// What a node reads or changes.
#[derive(Clone, Debug)]
pub(super) struct On {
    pub schema: Option<String>,
    pub name: String,
    /// What the statement calls it.
    pub alias: String,
}

impl From<&str> for Head {
    fn from(kind: &str) -> Head {
        Head { kind: kind.to_owned(), ..Head::default() }
    }
}

impl Head {
    /// One that reads something.
    pub fn on(kind: &str, on: On) -> Head {
        Head { kind: kind.to_owned(), index: None, on: Some(on) }
    }

    fn text(&self) -> String {
        let mut text = self.kind.clone();
        if let Some(index) = &self.index {
            // Of a bitmap it is all that there is.
            let word = if self.on.is_some() { "using" } else { "on" };
            text += &format!(" {word} {}", quote_ident(index));
        }
        if let Some(on) = &self.on {
            text += " on ";
            if let Some(schema) = &on.schema {
                text += &format!("{}.", quote_ident(schema));
            }
            text += &quote_ident(&on.name);
            if on.alias != on.name {
                text += &format!(" {}", quote_ident(&on.alias));
            }
        }
        text
    }
}

/// The lines of EXPLAIN.
pub fn lines(plan: &Plan, shown: &Shown<'_>, format: &FormatOptions) -> Vec<String> {
    // Numbered plans stand further to the right: how deep the first nodes are of those that are open, and whether one begins.
    let (mut numbered, mut begins) = (Vec::new(), false);
    let indented = |numbered: &[usize], indent: usize, text: String| {
        format!("{}{text}", " ".repeat(indent + 2 * numbered.len()))
    };
    let mut line = |l: Line| {
        if let Line::Node { depth, .. } | Line::Title { depth, .. } = &l {
            let is_open = |n: &usize| match l {
                Line::Node { .. } => n < depth,
                _ => n <= depth,
            };
            numbered.retain(is_open);
            if matches!(l, Line::Node { .. }) && std::mem::take(&mut begins) {
                numbered.push(*depth);
            }
            begins |= matches!(l, Line::Title { .. });
        }
        let detail = |depth: usize, text: String| {
            let indent = if depth == 0 { 2 } else { depth * 6 + 2 };
            indented(&numbered, indent, text)
        };
        match l {
            Line::Title { depth, name, .. } => Some(detail(depth, name)),
            Line::Detail { depth, label, text } => Some(detail(depth, format!("{label}{text}"))),
            Line::List { depth, label, items } => Some(detail(depth, format!("{label}{}", items.join(", ")))),
            Line::Did { depth, text, .. } => text.map(|text| detail(depth, text)),
            Line::Node { depth, arrow, head, estimate, actual } => {
                let indent = if depth == 0 { 0 } else { depth * 6 - 4 };
                let mut line = indented(&numbered, indent, format!("{arrow}{}", head.text()));
                let mut parts = Vec::new();
                let estimate = estimate.filter(|_| shown.costs);
                if let Some((cost, rows)) = estimate {
                    parts.push(format!("(cost=0.00..{cost:.2} rows={rows:.0} width=0)"));
                }
                if let Some(m) = actual {
                    parts.push(if m.loops == 0 {
                        "(never executed)".to_owned()
                    } else {
                        m.text(shown.timing)
                    });
                }
                if !parts.is_empty() {
                    line.push_str(if estimate.is_some() { "  " } else { " " });
                    line.push_str(&parts.join(" "));
                }
                Some(line)
            }
        }
    };
    with_usage(collected(plan, shown, format), shown).into_iter().filter_map(&mut line).collect()
}

/// Puts what each node used behind its details.
fn with_usage(lines: Vec<Line>, shown: &Shown<'_>) -> Vec<Line> {
    let (mut out, mut open) = (Vec::new(), None);
    let close = |open: &mut Option<(usize, Measured)>, out: &mut Vec<Line>| {
        let Some((depth, m)) = open.take() else { return };
        let of = [("Buffers: ", shown.buffers, m.used.buffers()), ("WAL: ", shown.wal, m.used.wal())];
        for (label, is_shown, text) in of {
            if is_shown && !text.is_empty() {
                out.push(Line::Detail { depth, label, text });
            }
        }
    };
    for line in lines {
        if matches!(line, Line::Node { .. } | Line::Title { .. }) {
            close(&mut open, &mut out);
        }
        if let Line::Node { depth, actual: Some(m), .. } = &line {
            open = Some((*depth, **m));
        }
        out.push(line);
    }
    close(&mut open, &mut out);
    out
}

/// The plan as PostgreSQL's JSON has it: the value of the key `Plan`.
pub fn json(plan: &Plan, shown: &Shown<'_>, format: &FormatOptions) -> Value {
    let mut open: Vec<(usize, Map<String, Value>)> = Vec::new();
    let mut title = None;
    for line in collected(plan, shown, format) {
        let last = open.last_mut().map(|(_, node)| node);
        match (line, last) {
            (Line::Title { name, once, .. }, _) => title = Some((name, once)),
            (Line::Detail { text, label: SAMPLING, .. }, Some(node)) => sampling(&text, node),
            (Line::Detail { label, text, .. }, Some(node)) => {
                node.insert(label.trim_end_matches(": ").to_owned(), json!(text));
            }
            (Line::List { label, items, .. }, Some(node)) => {
                node.insert(label.trim_end_matches(": ").to_owned(), json!(items));
            }
            (Line::Did { keys, .. }, Some(node)) => {
                node.extend(keys.into_iter().map(|(key, value)| (key.to_owned(), value)));
            }
            (Line::Node { depth, head, estimate, actual, .. }, _) => {
                while open.len() > 1 && open.last().is_some_and(|(d, _)| *d >= depth) {
                    close(&mut open);
                }
                let place = match title.take() {
                    Some((name, true)) => Some(("InitPlan", Some(name))),
                    Some((name, false)) => Some(("SubPlan", Some(name))),
                    None => open.last().map(|(_, parent)| (relationship(parent), None)),
                };
                let mut node = described(head, place);
                if let Some((cost, rows)) = estimate.filter(|_| shown.costs) {
                    node.insert("Startup Cost".into(), json!(0.0));
                    node.insert("Total Cost".into(), json!((cost * 100.0).round() / 100.0));
                    node.insert("Plan Rows".into(), json!(rows.round() as u64));
                    node.insert("Plan Width".into(), json!(0));
                }
                if let Some(m) = &actual {
                    let (first, all) = m.times_ms();
                    if shown.timing {
                        node.insert("Actual Startup Time".into(), json!(first));
                        node.insert("Actual Total Time".into(), json!(all));
                    }
                    node.insert("Actual Rows".into(), json!(m.per_loop(m.rows)));
                    node.insert("Actual Loops".into(), json!(m.loops));
                }
                node.insert("Disabled".into(), json!(false));
                if let Some(m) = &actual {
                    m.used.put(shown.buffers, shown.wal, &mut node);
                }
                open.push((depth, node));
            }
            (Line::Detail { .. } | Line::List { .. } | Line::Did { .. }, None) => {}
        }
    }
    while open.len() > 1 {
        close(&mut open);
    }
    open.pop().map_or(Value::Null, |(_, node)| Value::Object(node))
}

/// What the next node is for the one above it.
fn relationship(parent: &Map<String, Value>) -> &'static str {
    match parent.get("Node Type").and_then(Value::as_str) {
        Some("Subquery Scan") => return "Subquery",
        Some("Append") => return "Member",
        _ => {}
    }
    let is_outer = |p: &Value| p.get("Parent Relationship").and_then(Value::as_str) == Some("Outer");
    let elder = parent.get("Plans").and_then(Value::as_array).is_some_and(|all| all.iter().any(is_outer));
    if elder { "Inner" } else { "Outer" }
}

/// What says how a sample is drawn.
pub(super) const SAMPLING: &str = "Sampling: ";

/// The same in its parts: `method (percentage) REPEATABLE (seed)`.
fn sampling(text: &str, node: &mut Map<String, Value>) {
    let (method, rest) = text.split_once(" (").unwrap_or((text, ""));
    let (percent, seed) = match rest.split_once(") REPEATABLE (") {
        Some((percent, seed)) => (percent, Some(seed)),
        None => (rest, None),
    };
    let inner = |text: &str| json!(text.strip_suffix(')').unwrap_or(text));
    node.insert("Sampling Method".into(), json!(method));
    let percent = if seed.is_some() { json!(percent) } else { inner(percent) };
    node.insert("Sampling Parameters".into(), json!([percent]));
    if let Some(seed) = seed {
        node.insert("Repeatable Seed".into(), inner(seed));
    }
}

/// Puts the node opened last among its parent's.
fn close(open: &mut Vec<(usize, Map<String, Value>)>) {
    let Some((_, node)) = open.pop() else { return };
    let Some((_, parent)) = open.last_mut() else { return };
    let plans = parent.entry("Plans").or_insert_with(|| json!([]));
    if let Some(plans) = plans.as_array_mut() {
        plans.push(Value::Object(node));
    }
}

/// What a node is, by the keys of JSON; `place`: what it is for the node above, and by which name.
fn described(head: Head, place: Option<(&str, Option<String>)>) -> Map<String, Value> {
    let mut node = Map::new();
    let mut put = |key: &str, value: Value| _ = node.insert(key.to_owned(), value);
    let Head { kind, index, on } = head;
    let (kind, backward) = match kind.strip_suffix(" Backward") {
        Some(kind) => (kind, true),
        None => (&*kind, false),
    };
    let (kind, join) = match kind {
        "Nested Loop" => (kind, Some("Inner")),
        "Hash Join" => (kind, Some("Inner")),
        _ => match (kind.strip_suffix(" Join"), kind.starts_with("Hash ")) {
            (Some(join), true) => ("Hash Join", join.strip_prefix("Hash ")),
            (Some(join), false) => ("Nested Loop", join.strip_prefix("Nested Loop ")),
            (None, _) => (kind, None),
        },
    };
    match kind {
        "HashAggregate" | "GroupAggregate" | "Aggregate" => {
            let strategy = match kind {
                "HashAggregate" => "Hashed",
                "GroupAggregate" => "Sorted",
                _ => "Plain",
            };
            put("Node Type", json!("Aggregate"));
            put("Strategy", json!(strategy));
            put("Partial Mode", json!("Simple"));
        }
        "Insert" | "Update" | "Delete" | "Merge" => {
            put("Node Type", json!("ModifyTable"));
            put("Operation", json!(kind));
        }
        _ => match kind.strip_prefix("HashSetOp ") {
            Some(command) => {
                put("Node Type", json!("SetOp"));
                put("Strategy", json!("Hashed"));
                put("Command", json!(command));
            }
            None => put("Node Type", json!(kind)),
        },
    }
    if let Some((relation, name)) = place {
        put("Parent Relationship", json!(relation));
        if let Some(name) = name {
            put("Subplan Name", json!(name));
        }
    }
    put("Parallel Aware", json!(false));
    put("Async Capable", json!(false));
    if let Some(join) = join {
        put("Join Type", json!(join));
    }
    if let Some(index) = index {
        if on.is_some() {
            put("Scan Direction", json!(if backward { "Backward" } else { "Forward" }));
        }
        put("Index Name", json!(index));
    }
    if let Some(on) = on {
        let key = match kind {
            "CTE Scan" | "WorkTable Scan" => Some("CTE Name"),
            "Function Scan" => Some("Function Name"),
            "Table Function Scan" => Some("Table Function Name"),
            "Values Scan" | "Subquery Scan" => None,
            _ => Some("Relation Name"),
        };
        if let Some(key) = key {
            put(key, json!(on.name));
        }
        if let Some(schema) = on.schema {
            put("Schema", json!(schema));
        }
        put("Alias", json!(on.alias));
    }
    node
}
