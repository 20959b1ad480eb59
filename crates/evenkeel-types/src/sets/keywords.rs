//! `pg_get_keywords`: the words of PostgreSQL 18's grammar, which tools ask for to know what they must quote.
//!
//! Must not know: our own grammar.

use super::{Rows, SetFn, set};
use crate::datum::Datum;
use crate::error::SqlError;
use crate::function::EvalCtx;
use crate::ty::Type as T;

/// What a class of words is for: its letter, whether such a word may be a label without AS, what its letter means; and the words.
type Class = (&'static str, bool, &'static str, &'static str);

const CLASSES: [Class; 8] = [
    (
        "U",
        true,
        "unreserved",
        "abort absent absolute access action add admin after aggregate also alter always asensitive assertion \
         assignment at atomic attach attribute backward before begin breadth by cache call called cascade \
         cascaded catalog chain characteristics checkpoint class close cluster columns comment comments \
         commit committed compression conditional configuration conflict connection constraints content \
         continue conversion copy cost csv cube current cursor cycle data database deallocate declare \
         defaults deferred definer delete delimiter delimiters depends depth detach dictionary disable \
         discard document domain double drop each empty enable encoding encrypted enforced enum error escape \
         event exclude excluding exclusive execute explain expression extension external family finalize \
         first following force format forward function functions generated global granted groups handler \
         header hold identity if immediate immutable implicit import include including increment indent index \
         indexes inherit inherits inline input insensitive insert instead invoker isolation keep key keys \
         label language large last leakproof level listen load local location lock locked logged mapping \
         match matched materialized maxvalue merge method minvalue mode move name names nested new next nfc \
         nfd nfkc nfkd no normalized nothing notify nowait nulls object objects of off oids old omit operator \
         option options ordinality others overriding owned owner parallel parameter parser partial partition \
         passing password path period plan plans policy preceding prepare prepared preserve prior privileges \
         procedural procedure procedures program publication quote quotes range read reassign recursive ref \
         referencing refresh reindex relative release rename repeatable replace replica reset restart \
         restrict return returns revoke role rollback rollup routine routines rows rule savepoint scalar \
         schema schemas scroll search security sequence sequences serializable server session set sets share \
         show simple skip snapshot source sql stable standalone start statement statistics stdin stdout \
         storage stored strict string strip subscription support sysid system tables tablespace target temp \
         template temporary text ties transaction transform trigger truncate trusted type types uescape \
         unbounded uncommitted unconditional unencrypted unknown unlisten unlogged until update vacuum valid \
         validate validator value version view views virtual volatile whitespace work wrapper write xml yes \
         zone",
    ),
    ("U", false, "unreserved", "day filter hour minute month over second varying within without year"),
    (
        "C",
        true,
        "unreserved (cannot be function or type name)",
        "between bigint bit boolean coalesce dec decimal exists extract float greatest grouping inout int \
         integer interval json json_array json_arrayagg json_exists json_object json_objectagg json_query \
         json_scalar json_serialize json_table json_value least merge_action national nchar none normalize \
         nullif numeric out overlay position real row setof smallint substring time timestamp treat trim \
         values varchar xmlattributes xmlconcat xmlelement xmlexists xmlforest xmlnamespaces xmlparse xmlpi \
         xmlroot xmlserialize xmltable",
    ),
    ("C", false, "unreserved (cannot be function or type name)", "char character precision"),
    (
        "T",
        true,
        "reserved (can be function or type name)",
        "authorization binary collation concurrently cross current_schema freeze full ilike inner is join \
         left like natural outer right similar tablesample verbose",
    ),
    ("T", false, "reserved (can be function or type name)", "isnull notnull overlaps"),
    (
        "R",
        true,
        "reserved",
        "all analyse analyze and any asc asymmetric both case cast check collate column constraint \
         current_catalog current_date current_role current_time current_timestamp current_user default \
         deferrable desc distinct do else end false foreign in initially lateral leading localtime \
         localtimestamp not null only or placing primary references select session_user some symmetric \
         system_user table then trailing true unique user using variadic when",
    ),
    (
        "R",
        false,
        "reserved",
        "array as create except fetch for from grant group having intersect into limit offset on order \
         returning to union where window with",
    ),
];

fn keywords(_: &[Datum], _: &EvalCtx<'_>, out: &mut Rows) -> Result<(), SqlError> {
    let words = |class: &'static Class| class.3.split(' ').map(move |word| (word, class));
    let mut all: Vec<(&str, &Class)> = CLASSES.iter().flat_map(words).collect();
    all.sort_unstable_by_key(|(word, _)| *word);
    all.into_iter().try_for_each(|(word, (letter, is_label, means, _))| {
        let label = if *is_label { "can be bare label" } else { "requires AS" };
        let [word, letter, means, label] = [word, letter, means, label].map(Datum::text);
        out.push([word, letter, Datum::Bool(*is_label), means, label])
    })
}

pub(super) const TABLE: &[SetFn] = &[set(
    "pg_get_keywords",
    &[],
    &[
        ("word", T::Text),
        ("catcode", T::Char),
        ("barelabel", T::Bool),
        ("catdesc", T::Text),
        ("baredesc", T::Text),
    ],
    keywords,
)];
