//! Operators on `json` and `jsonb`.

use super::op;
use crate::funcs::{json_text, jsonb, jsonpath};
use crate::function::ScalarFn;
use crate::ty::Type as T;

const TEXT: &[T] = &[T::Json, T::Text];
const TEXT_B: &[T] = &[T::Jsonb, T::Text];
const INT: &[T] = &[T::Json, T::Int4];
const INT_B: &[T] = &[T::Jsonb, T::Int4];
const PATH: &[T] = &[T::Json, T::TextArray];
const PATH_B: &[T] = &[T::Jsonb, T::TextArray];
const JSONPATH: &[T] = &[T::Jsonb, T::Jsonpath];
const BOTH: &[T] = &[T::Jsonb, T::Jsonb];

pub(super) static TABLE: &[ScalarFn] = &[
    op("->", TEXT, T::Json, json_text::object_field),
    op("->", INT, T::Json, json_text::array_element),
    op("->>", TEXT, T::Text, json_text::object_field_text),
    op("->>", INT, T::Text, json_text::array_element_text),
    op("#>", PATH, T::Json, json_text::extract_path),
    op("#>>", PATH, T::Text, json_text::extract_path_text),
    op("->", TEXT_B, T::Jsonb, jsonb::object_field),
    op("->", INT_B, T::Jsonb, jsonb::array_element),
    op("->>", TEXT_B, T::Text, jsonb::object_field_text),
    op("->>", INT_B, T::Text, jsonb::array_element_text),
    op("#>", PATH_B, T::Jsonb, jsonb::extract_path),
    op("#>>", PATH_B, T::Text, jsonb::extract_path_text),
    op("@>", BOTH, T::Bool, jsonb::contains),
    op("<@", BOTH, T::Bool, jsonb::contained),
    op("?", TEXT_B, T::Bool, jsonb::exists),
    op("?|", PATH_B, T::Bool, jsonb::exists_any),
    op("?&", PATH_B, T::Bool, jsonb::exists_all),
    op("@?", JSONPATH, T::Bool, jsonpath::exists_operator),
    op("@@", JSONPATH, T::Bool, jsonpath::match_operator),
    op("||", BOTH, T::Jsonb, jsonb::concat),
    op("-", TEXT_B, T::Jsonb, jsonb::delete_key),
    op("-", PATH_B, T::Jsonb, jsonb::delete_keys),
    op("-", INT_B, T::Jsonb, jsonb::delete_element),
    op("#-", PATH_B, T::Jsonb, jsonb::delete_path),
];
