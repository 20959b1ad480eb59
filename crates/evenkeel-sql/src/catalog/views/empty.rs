//! Catalog tables of features that do not exist here: they have PostgreSQL's columns and no rows, so that clients' joins work.
//!
//! Must not know: anything.

use super::VirtualTable;
use crate::catalog::PG_CATALOG_OID;
use evenkeel_types::Type::{
    self, Bool, Bytea, Char, CharArray, Float8, Int2, Int2Vector, Int4, Int8, Name, NameArray, Oid, OidArray,
    OidVector, PgLsn, Regproc, Text, TextArray, Timestamptz, Xid,
};

macro_rules! empty {
    ($($ident:ident $oid:literal $name:literal $view:literal [$($column:literal $ty:expr),* $(,)?];)*) => {
        $(static $ident: VirtualTable = VirtualTable {
            oid: $oid,
            schema: PG_CATALOG_OID,
            name: $name,
            columns: { const C: &[(&str, Type)] = &[$(($column, $ty)),*]; C },
            is_view: $view,
            rows: |_, _| Ok(Vec::new()),
        };)*
        /// The tables of this file.
        pub static TABLES: &[&VirtualTable] = &[$(&$ident),*];
    };
}

empty! {
    PG_INHERITS 2611 "pg_inherits" false ["inhrelid" Oid, "inhparent" Oid, "inhseqno" Int4, "inhdetachpending" Bool];
    PG_PARTITIONED_TABLE 3350 "pg_partitioned_table" false [
        "partrelid" Oid, "partstrat" Char, "partnatts" Int2, "partdefid" Oid, "partattrs" Int2Vector, "partclass" OidVector,
        "partcollation" OidVector, "partexprs" Text];
    PG_POLICY 3256 "pg_policy" false [
        "oid" Oid, "polname" Name, "polrelid" Oid, "polcmd" Char, "polpermissive" Bool, "polroles" OidArray, "polqual" Text,
        "polwithcheck" Text];
    PG_STATISTIC_EXT 3381 "pg_statistic_ext" false [
        "oid" Oid, "stxrelid" Oid, "stxname" Name, "stxnamespace" Oid, "stxowner" Oid, "stxkeys" Int2Vector, "stxstattarget" Int2,
        "stxkind" CharArray, "stxexprs" Text];
    PG_PUBLICATION 6104 "pg_publication" false [
        "oid" Oid, "pubname" Name, "pubowner" Oid, "puballtables" Bool, "pubinsert" Bool, "pubupdate" Bool, "pubdelete" Bool,
        "pubtruncate" Bool, "pubviaroot" Bool, "pubgencols" Char];
    PG_PUBLICATION_REL 6106 "pg_publication_rel" false [
        "oid" Oid, "prpubid" Oid, "prrelid" Oid, "prqual" Text, "prattrs" Int2Vector];
    PG_PUBLICATION_NAMESPACE 6237 "pg_publication_namespace" false ["oid" Oid, "pnpubid" Oid, "pnnspid" Oid];
    PG_PUBLICATION_TABLES 12101 "pg_publication_tables" true [
        "pubname" Name, "schemaname" Name, "tablename" Name, "attnames" NameArray, "rowfilter" Text];
    PG_SUBSCRIPTION 6100 "pg_subscription" false [
        "oid" Oid, "subdbid" Oid, "subskiplsn" PgLsn, "subname" Name, "subowner" Oid, "subenabled" Bool, "subbinary" Bool,
        "substream" Char, "subtwophasestate" Char, "subdisableonerr" Bool, "subconninfo" Text, "subslotname" Name,
        "subsynccommit" Text, "subpublications" TextArray, "subpasswordrequired" Bool, "subrunasowner" Bool, "subfailover" Bool,
        "suborigin" Text];
    PG_SUBSCRIPTION_REL 6102 "pg_subscription_rel" false ["srsubid" Oid, "srrelid" Oid, "srsubstate" Char, "srsublsn" PgLsn];
    PG_SHSECLABEL 3592 "pg_shseclabel" false ["objoid" Oid, "classoid" Oid, "provider" Text, "label" Text];
    PG_SECLABELS 12115 "pg_seclabels" true [
        "objoid" Oid, "classoid" Oid, "objsubid" Int4, "objtype" Text, "objnamespace" Oid, "objname" Text, "provider" Text,
        "label" Text];
    PG_PARAMETER_ACL 6243 "pg_parameter_acl" false ["oid" Oid, "parname" Text, "paracl" TextArray];
    PG_POLICIES 12116 "pg_policies" true [
        "schemaname" Name, "tablename" Name, "policyname" Name, "permissive" Text, "roles" NameArray, "cmd" Text, "qual" Text,
        "with_check" Text];
    PG_LARGEOBJECT 2613 "pg_largeobject" false ["loid" Oid, "pageno" Int4, "data" Bytea];
    PG_USER_MAPPING 1418 "pg_user_mapping" false ["oid" Oid, "umuser" Oid, "umserver" Oid, "umoptions" TextArray];
    PG_TRIGGER 2620 "pg_trigger" false [
        "oid" Oid, "tgrelid" Oid, "tgparentid" Oid, "tgname" Name, "tgfoid" Oid, "tgtype" Int2, "tgenabled" Char,
        "tgisinternal" Bool, "tgconstrrelid" Oid, "tgconstrindid" Oid, "tgconstraint" Oid, "tgdeferrable" Bool,
        "tginitdeferred" Bool, "tgnargs" Int2, "tgattr" Int2Vector, "tgargs" Bytea, "tgqual" Text, "tgoldtable" Name,
        "tgnewtable" Name];
    PG_SECLABEL 3596 "pg_seclabel" false ["objoid" Oid, "classoid" Oid, "objsubid" Int4, "provider" Text, "label" Text];
    PG_RULES 12102 "pg_rules" true ["schemaname" Name, "tablename" Name, "rulename" Name, "definition" Text];
    PG_RANGE 3541 "pg_range" false [
        "rngtypid" Oid, "rngsubtype" Oid, "rngmultitypid" Oid, "rngcollation" Oid, "rngsubopc" Oid, "rngcanonical" Regproc,
        "rngsubdiff" Regproc];
    PG_FOREIGN_DATA_WRAPPER 2328 "pg_foreign_data_wrapper" false [
        "oid" Oid, "fdwname" Name, "fdwowner" Oid, "fdwhandler" Oid, "fdwvalidator" Oid, "fdwacl" TextArray, "fdwoptions" TextArray];
    PG_FOREIGN_SERVER 1417 "pg_foreign_server" false [
        "oid" Oid, "srvname" Name, "srvowner" Oid, "srvfdw" Oid, "srvtype" Text, "srvversion" Text, "srvacl" TextArray,
        "srvoptions" TextArray];
    PG_FOREIGN_TABLE 3118 "pg_foreign_table" false ["ftrelid" Oid, "ftserver" Oid, "ftoptions" TextArray];
    PG_USER_MAPPINGS 12103 "pg_user_mappings" true [
        "umid" Oid, "srvid" Oid, "srvname" Name, "umuser" Oid, "usename" Name, "umoptions" TextArray];
    PG_EVENT_TRIGGER 3466 "pg_event_trigger" false [
        "oid" Oid, "evtname" Name, "evtevent" Name, "evtowner" Oid, "evtfoid" Oid, "evtenabled" Char, "evttags" TextArray];
    PG_LARGEOBJECT_METADATA 2995 "pg_largeobject_metadata" false ["oid" Oid, "lomowner" Oid, "lomacl" TextArray];
    PG_CONVERSION 2607 "pg_conversion" false [
        "oid" Oid, "conname" Name, "connamespace" Oid, "conowner" Oid, "conforencoding" Int4, "contoencoding" Int4,
        "conproc" Regproc, "condefault" Bool];
    PG_AMOP 2602 "pg_amop" false [
        "oid" Oid, "amopfamily" Oid, "amoplefttype" Oid, "amoprighttype" Oid, "amopstrategy" Int2, "amoppurpose" Char,
        "amopopr" Oid, "amopmethod" Oid, "amopsortfamily" Oid];
    PG_AMPROC 2603 "pg_amproc" false [
        "oid" Oid, "amprocfamily" Oid, "amproclefttype" Oid, "amprocrighttype" Oid, "amprocnum" Int2, "amproc" Regproc];
    PG_TS_CONFIG 3602 "pg_ts_config" false ["oid" Oid, "cfgname" Name, "cfgnamespace" Oid, "cfgowner" Oid, "cfgparser" Oid];
    PG_TS_DICT 3600 "pg_ts_dict" false [
        "oid" Oid, "dictname" Name, "dictnamespace" Oid, "dictowner" Oid, "dicttemplate" Oid, "dictinitoption" Text];
    PG_TS_PARSER 3601 "pg_ts_parser" false [
        "oid" Oid, "prsname" Name, "prsnamespace" Oid, "prsstart" Regproc, "prstoken" Regproc, "prsend" Regproc,
        "prsheadline" Regproc, "prslextype" Regproc];
    PG_TS_TEMPLATE 3764 "pg_ts_template" false [
        "oid" Oid, "tmplname" Name, "tmplnamespace" Oid, "tmplinit" Regproc, "tmpllexize" Regproc];
    PG_TRANSFORM 3576 "pg_transform" false ["oid" Oid, "trftype" Oid, "trflang" Oid, "trffromsql" Regproc, "trftosql" Regproc];
    PG_PREPARED_XACTS 12107 "pg_prepared_xacts" true [
        "transaction" Xid, "gid" Text, "prepared" Timestamptz, "owner" Name, "database" Name];
    PG_STAT_PROGRESS_VACUUM 12111 "pg_stat_progress_vacuum" true [
        "pid" Int4, "datid" Oid, "datname" Name, "relid" Oid, "phase" Text, "heap_blks_total" Int8, "heap_blks_scanned" Int8];
    PG_STAT_USER_FUNCTIONS 12113 "pg_stat_user_functions" true [
        "funcid" Oid, "schemaname" Name, "funcname" Name, "calls" Int8, "total_time" Float8, "self_time" Float8];
    PG_STATISTIC_EXT_DATA 12114 "pg_statistic_ext_data" false ["stxoid" Oid, "stxdinherit" Bool];
}
