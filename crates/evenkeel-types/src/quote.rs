//! Quoting of identifiers and literals, as `quote_ident` and `quote_literal` do and as deparsed definitions need.

/// Words that cannot stand unquoted as the name of a column or table: PostgreSQL's keywords that are not "unreserved".
#[rustfmt::skip]
const QUOTED_KEYWORDS: &[&str] = &[
    "all", "analyse", "analyze", "and", "any", "array", "as", "asc", "asymmetric", "authorization", "between", "bigint", "binary",
    "bit", "boolean", "both", "case", "cast", "char", "character", "check", "coalesce", "collate", "collation", "column",
    "concurrently", "constraint", "create", "cross", "current_catalog", "current_date", "current_role", "current_schema",
    "current_time", "current_timestamp", "current_user", "dec", "decimal", "default", "deferrable", "desc", "distinct", "do",
    "else", "end", "except", "exists", "extract", "false", "fetch", "float", "for", "foreign", "freeze", "from", "full", "grant",
    "greatest", "group", "grouping", "having", "ilike", "in", "initially", "inner", "inout", "int", "integer", "intersect",
    "interval", "into", "is", "isnull", "join", "json", "json_array", "json_arrayagg", "json_exists", "json_object",
    "json_objectagg", "json_query", "json_scalar", "json_serialize", "json_table", "json_value", "lateral", "leading", "least",
    "left", "like", "limit", "localtime", "localtimestamp", "merge_action", "national", "natural", "nchar", "none", "normalize",
    "not", "notnull", "null", "nullif", "numeric", "offset", "on", "only", "or", "order", "out", "outer", "overlaps", "overlay",
    "placing", "position", "precision", "primary", "real", "references", "returning", "right", "row", "select", "session_user",
    "setof", "similar", "smallint", "some", "substring", "symmetric", "system_user", "table", "tablesample", "then", "time",
    "timestamp", "to", "trailing", "treat", "trim", "true", "union", "unique", "user", "using", "values", "varchar", "variadic",
    "verbose", "when", "where", "window", "with", "xmlattributes", "xmlconcat", "xmlelement", "xmlexists", "xmlforest",
    "xmlnamespaces", "xmlparse", "xmlpi", "xmlroot", "xmlserialize", "xmltable",
];

/// A name as it must be written in SQL: bare if that is safe, else in double quotes.
pub fn quote_ident(name: &str) -> String {
    if is_bare(name) { name.to_string() } else { format!("\"{}\"", name.replace('"', "\"\"")) }
}

/// Whether a name needs no quotes.
pub fn is_bare(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_lowercase() || b == b'_')
        && bytes.all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
        && QUOTED_KEYWORDS.binary_search(&name).is_err()
}

/// A string as an SQL literal; one with backslashes gets the E form.
pub fn quote_literal(text: &str) -> String {
    let doubled = text.replace('\'', "''");
    if text.contains('\\') { format!("E'{}'", doubled.replace('\\', "\\\\")) } else { format!("'{doubled}'") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keyword_list_can_be_searched() {
        assert!(QUOTED_KEYWORDS.is_sorted());
    }

    #[test]
    fn names_are_quoted_only_when_they_must_be() {
        for (name, want) in [
            ("abc", "abc"),
            ("a1_", "a1_"),
            ("1a", "\"1a\""),
            ("Abc", "\"Abc\""),
            ("select", "\"select\""),
            ("name", "name"),
            ("a\"b", "\"a\"\"b\""),
            ("", "\"\""),
        ] {
            assert_eq!(quote_ident(name), want);
        }
    }
}
