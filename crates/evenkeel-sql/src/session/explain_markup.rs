//! Plans in YAML and in XML, as PostgreSQL writes them.
//!
//! Must not know: what is in them.

use serde_json::Value;

/// As PostgreSQL writes plans in YAML: keys bare, texts in quotes as in JSON.
pub(super) fn yaml(value: &Value) -> String {
    let mut out = String::new();
    put_yaml(value, 0, &mut out);
    out.truncate(out.trim_end().len());
    out
}

/// Everything on lines of its own, the first of which is begun already.
fn put_yaml(value: &Value, indent: usize, out: &mut String) {
    let next = |n: usize, out: &mut String| {
        if n > 0 {
            out.push_str(&" ".repeat(indent));
        }
    };
    match value {
        Value::Array(items) => {
            for (n, item) in items.iter().enumerate() {
                next(n, out);
                out.push_str("- ");
                put_yaml(item, indent + 2, out);
            }
        }
        Value::Object(fields) => {
            for (n, (key, field)) in fields.iter().enumerate() {
                next(n, out);
                out.push_str(key);
                out.push_str(": ");
                if matches!(field, Value::Array(_) | Value::Object(_)) {
                    out.push('\n');
                    out.push_str(&" ".repeat(indent + 2));
                    put_yaml(field, indent + 2, out);
                } else {
                    put_yaml(field, indent, out);
                }
            }
        }
        scalar => {
            out.push_str(&scalar.to_string());
            out.push('\n');
        }
    }
}

/// As PostgreSQL writes plans in XML.
pub(super) fn xml(plans: &Value) -> String {
    let mut out = String::from("<explain xmlns=\"http://www.postgresql.org/2009/explain\">\n");
    for plan in plans.as_array().into_iter().flatten() {
        put_xml("Query", plan, 2, &mut out);
    }
    out.push_str("</explain>");
    out
}

fn put_xml(name: &str, value: &Value, indent: usize, out: &mut String) {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let tag: String = name.chars().map(|c| if is_plain(c) { c } else { '-' }).collect();
    out.push_str(&" ".repeat(indent));
    out.push_str(&format!("<{tag}>"));
    match value {
        Value::Array(items) => {
            let each = match name {
                "Plans" => "Plan",
                "Triggers" => "Trigger",
                _ => "Item",
            };
            out.push('\n');
            items.iter().for_each(|item| put_xml(each, item, indent + 2, out));
            out.push_str(&" ".repeat(indent));
        }
        Value::Object(fields) => {
            out.push('\n');
            fields.iter().for_each(|(key, field)| put_xml(key, field, indent + 2, out));
            out.push_str(&" ".repeat(indent));
        }
        Value::String(s) => {
            for c in s.chars() {
                match c {
                    '&' => out.push_str("&amp;"),
                    '<' => out.push_str("&lt;"),
                    '>' => out.push_str("&gt;"),
                    '\r' => out.push_str("&#x0d;"),
                    c => out.push(c),
                }
            }
        }
        scalar => out.push_str(&scalar.to_string()),
    }
    out.push_str(&format!("</{tag}>\n"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn xml_nests_and_escapes() {
        let plans = serde_json::json!([{"Plan": {"Sort Key": ["a < b"], "Disabled": false}}]);
        let want = "<explain xmlns=\"http://www.postgresql.org/2009/explain\">\n  <Query>\n    <Plan>\n      <Sort-Key>\n        \
                    <Item>a &lt; b</Item>\n      </Sort-Key>\n      <Disabled>false</Disabled>\n    </Plan>\n  </Query>\n</explain>";
        // Keys may come in any order.
        let sorted = |s: &str| {
            let mut lines: Vec<String> = s.lines().map(str::to_owned).collect();
            lines.sort();
            lines
        };
        assert_eq!(sorted(&xml(&plans)), sorted(want));
    }
}
