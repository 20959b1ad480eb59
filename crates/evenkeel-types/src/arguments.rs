//! The names of functions' arguments, as `pg_proc.proargnames` has them, and what those are that may be left out: for calls that name their arguments.
//!
//! Invariants:
//! 1. Of several lists of one function the shorter come first.
//!
//! Must not know: calls, and what the functions do.

/// An argument's name, and what it is if it is left out: an expression in SQL.
pub type Argument = (&'static str, Option<&'static str>);

const LISTS: &[(&str, &[Argument])] = &[
    ("array_sort", &[("array", None), ("descending", None)]),
    ("array_sort", &[("array", None), ("descending", None), ("nulls_first", None)]),
    ("json_strip_nulls", STRIP),
    ("jsonb_strip_nulls", STRIP),
    ("json_array_element", &[("from_json", None), ("element_index", None)]),
    ("json_array_element_text", &[("from_json", None), ("element_index", None)]),
    ("jsonb_array_element", &[("from_json", None), ("element_index", None)]),
    ("jsonb_array_element_text", &[("from_json", None), ("element_index", None)]),
    ("json_object_field", &[("from_json", None), ("field_name", None)]),
    ("json_object_field_text", &[("from_json", None), ("field_name", None)]),
    ("jsonb_object_field", &[("from_json", None), ("field_name", None)]),
    ("jsonb_object_field_text", &[("from_json", None), ("field_name", None)]),
    (
        "jsonb_insert",
        &[("jsonb_in", None), ("path", None), ("replacement", None), ("insert_after", Some("false"))],
    ),
    (
        "jsonb_set",
        &[("jsonb_in", None), ("path", None), ("replacement", None), ("create_if_missing", Some("true"))],
    ),
    (
        "jsonb_set_lax",
        &[
            ("jsonb_in", None),
            ("path", None),
            ("replacement", None),
            ("create_if_missing", Some("true")),
            ("null_value_treatment", Some("'use_json_null'")),
        ],
    ),
    ("jsonb_path_exists", JSONPATH),
    ("jsonb_path_exists_tz", JSONPATH),
    ("jsonb_path_match", JSONPATH),
    ("jsonb_path_match_tz", JSONPATH),
    ("jsonb_path_query", JSONPATH),
    ("jsonb_path_query_tz", JSONPATH),
    ("jsonb_path_query_array", JSONPATH),
    ("jsonb_path_query_array_tz", JSONPATH),
    ("jsonb_path_query_first", JSONPATH),
    ("jsonb_path_query_first_tz", JSONPATH),
    ("make_date", &[("year", None), ("month", None), ("day", None)]),
    (
        "make_interval",
        &[
            ("years", Some("0")),
            ("months", Some("0")),
            ("weeks", Some("0")),
            ("days", Some("0")),
            ("hours", Some("0")),
            ("mins", Some("0")),
            ("secs", Some("0.0")),
        ],
    ),
    ("make_time", &[("hour", None), ("min", None), ("sec", None)]),
    ("make_timestamp", MOMENT),
    ("make_timestamptz", MOMENT),
    (
        "make_timestamptz",
        &[
            ("year", None),
            ("month", None),
            ("mday", None),
            ("hour", None),
            ("min", None),
            ("sec", None),
            ("timezone", None),
        ],
    ),
    ("parse_ident", &[("str", None), ("strict", Some("true"))]),
    ("pg_promote", &[("wait", Some("true")), ("wait_seconds", Some("60"))]),
    ("pg_stat_reset_shared", &[("target", Some("NULL"))]),
    (
        "pg_stat_statements_reset",
        &[("userid", Some("0")), ("dbid", Some("0")), ("queryid", Some("0")), ("minmax_only", Some("false"))],
    ),
    ("pg_terminate_backend", &[("pid", None), ("timeout", Some("0"))]),
    ("random", &[("min", None), ("max", None)]),
    ("random_normal", &[("mean", Some("0")), ("stddev", Some("1"))]),
    ("regexp_count", PATTERN),
    ("regexp_count", &[("string", None), ("pattern", None), ("start", None)]),
    ("regexp_count", &[("string", None), ("pattern", None), ("start", None), ("flags", None)]),
    ("regexp_instr", PATTERN),
    ("regexp_instr", &[("string", None), ("pattern", None), ("start", None)]),
    ("regexp_instr", &[("string", None), ("pattern", None), ("start", None), ("N", None)]),
    (
        "regexp_instr",
        &[("string", None), ("pattern", None), ("start", None), ("N", None), ("endoption", None)],
    ),
    (
        "regexp_instr",
        &[
            ("string", None),
            ("pattern", None),
            ("start", None),
            ("N", None),
            ("endoption", None),
            ("flags", None),
        ],
    ),
    (
        "regexp_instr",
        &[
            ("string", None),
            ("pattern", None),
            ("start", None),
            ("N", None),
            ("endoption", None),
            ("flags", None),
            ("subexpr", None),
        ],
    ),
    ("regexp_like", PATTERN),
    ("regexp_like", FLAGGED),
    ("regexp_match", PATTERN),
    ("regexp_match", FLAGGED),
    ("regexp_replace", &[("string", None), ("pattern", None), ("replacement", None)]),
    ("regexp_replace", &[("string", None), ("pattern", None), ("replacement", None), ("flags", None)]),
    ("regexp_replace", &[("string", None), ("pattern", None), ("replacement", None), ("start", None)]),
    (
        "regexp_replace",
        &[("string", None), ("pattern", None), ("replacement", None), ("start", None), ("N", None)],
    ),
    (
        "regexp_replace",
        &[
            ("string", None),
            ("pattern", None),
            ("replacement", None),
            ("start", None),
            ("N", None),
            ("flags", None),
        ],
    ),
    ("regexp_split_to_array", PATTERN),
    ("regexp_split_to_array", FLAGGED),
    ("regexp_substr", PATTERN),
    ("regexp_substr", &[("string", None), ("pattern", None), ("start", None)]),
    ("regexp_substr", &[("string", None), ("pattern", None), ("start", None), ("N", None)]),
    ("regexp_substr", &[("string", None), ("pattern", None), ("start", None), ("N", None), ("flags", None)]),
    (
        "regexp_substr",
        &[
            ("string", None),
            ("pattern", None),
            ("start", None),
            ("N", None),
            ("flags", None),
            ("subexpr", None),
        ],
    ),
    ("uuidv7", &[("shift", None)]),
];
const JSONPATH: &[Argument] =
    &[("target", None), ("path", None), ("vars", Some("'{}'")), ("silent", Some("false"))];
const STRIP: &[Argument] = &[("target", None), ("strip_in_arrays", Some("false"))];
const PATTERN: &[Argument] = &[("string", None), ("pattern", None)];
const FLAGGED: &[Argument] = &[("string", None), ("pattern", None), ("flags", None)];
const MOMENT: &[Argument] =
    &[("year", None), ("month", None), ("mday", None), ("hour", None), ("min", None), ("sec", None)];

/// The lists of arguments that a function has.
pub fn argument_lists(function: &str) -> impl Iterator<Item = &'static [Argument]> {
    LISTS.iter().filter(move |(name, _)| *name == function).map(|(_, list)| *list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_list_is_that_of_a_function_that_takes_so_many() {
        let is_taken = |(name, list): &&(&str, &[Argument])| {
            crate::lookup_functions(name).iter().any(|f| f.args.len() == list.len())
                || crate::lookup_sets(name).iter().any(|f| f.args.len() == list.len())
        };
        let wrong: Vec<&str> = LISTS.iter().filter(|l| !is_taken(l)).map(|l| l.0).collect();
        assert!(wrong.is_empty(), "{wrong:?}");
    }
}
