//! Catalog tables of features that do not exist here: they have PostgreSQL's columns and no rows, so that clients' joins work.
//!
//! Must not know: anything.

use super::VirtualTable;
use crate::catalog::{INFORMATION_SCHEMA_OID, PG_CATALOG_OID};
use evenkeel_types::Type::{
    self, Bool, BoolArray, Bytea, Char, CharArray, Float4, Float4Array, Float8, Float8Array, Int2,
    Int2Vector, Int4, Int8, Name, NameArray, Oid, OidArray, OidVector, PgLsn, Regproc, Text, TextArray,
    Timestamptz, Xid,
};

macro_rules! empty {
    ($schema:ident $all:ident $($ident:ident $oid:literal $name:literal $view:literal [$($column:literal $ty:expr),* $(,)?];)*) => {
        $(static $ident: VirtualTable = VirtualTable {
            oid: $oid,
            schema: $schema,
            name: $name,
            columns: { const C: &[(&str, Type)] = &[$(($column, $ty)),*]; C },
            is_view: $view,
            rows: |_, _| Ok(Vec::new()),
        };)*
        /// The tables of this file in that schema.
        pub static $all: &[&VirtualTable] = &[$(&$ident),*];
    };
}

empty! { PG_CATALOG_OID TABLES
    PG_INHERITS 2611 "pg_inherits" false ["inhrelid" Oid, "inhparent" Oid, "inhseqno" Int4, "inhdetachpending" Bool];
    PG_PARTITIONED_TABLE 3350 "pg_partitioned_table" false [
        "partrelid" Oid, "partstrat" Char, "partnatts" Int2, "partdefid" Oid, "partattrs" Int2Vector, "partclass" OidVector,
        "partcollation" OidVector, "partexprs" Text];
    PG_POLICY 3256 "pg_policy" false [
        "oid" Oid, "polname" Name, "polrelid" Oid, "polcmd" Char, "polpermissive" Bool, "polroles" OidArray, "polqual" Text,
        "polwithcheck" Text];
    PG_PUBLICATION 6104 "pg_publication" false [
        "oid" Oid, "pubname" Name, "pubowner" Oid, "puballtables" Bool, "pubinsert" Bool, "pubupdate" Bool, "pubdelete" Bool,
        "pubtruncate" Bool, "pubviaroot" Bool, "pubgencols" Char];
    PG_PUBLICATION_REL 6106 "pg_publication_rel" false [
        "oid" Oid, "prpubid" Oid, "prrelid" Oid, "prqual" Text, "prattrs" Int2Vector];
    PG_PUBLICATION_NAMESPACE 6237 "pg_publication_namespace" false ["oid" Oid, "pnpubid" Oid, "pnnspid" Oid];
    PG_PUBLICATION_TABLES 12101 "pg_publication_tables" true [
        "pubname" Name, "schemaname" Name, "tablename" Name, "attnames" NameArray, "rowfilter" Text];
    PG_SUBSCRIPTION 6100 "pg_subscription" false [
        "oid" Oid, "subdbid" Oid, "subskiplsn" PgLsn, "subname" Name, "subowner" Oid, "subenabled" Bool, "subbinary" Bool, "substream" Char, "subtwophasestate" Char, "subdisableonerr" Bool, "subpasswordrequired" Bool, "subrunasowner" Bool, "subfailover" Bool, "subconninfo" Text, "subslotname" Name, "subsynccommit" Text, "subpublications" TextArray, "suborigin" Text];
    PG_SUBSCRIPTION_REL 6102 "pg_subscription_rel" false ["srsubid" Oid, "srrelid" Oid, "srsubstate" Char, "srsublsn" PgLsn];
    PG_SHSECLABEL 3592 "pg_shseclabel" false ["objoid" Oid, "classoid" Oid, "provider" Text, "label" Text];
    PG_SECLABELS 12115 "pg_seclabels" true [
        "objoid" Oid, "classoid" Oid, "objsubid" Int4, "objtype" Text, "objnamespace" Oid, "objname" Text, "provider" Text,
        "label" Text];
    PG_PARAMETER_ACL 6243 "pg_parameter_acl" false ["oid" Oid, "parname" Text, "paracl" TextArray];
    PG_POLICIES 12116 "pg_policies" true [
        "schemaname" Name, "tablename" Name, "policyname" Name, "permissive" Text, "roles" NameArray, "cmd" Text, "qual" Text,
        "with_check" Text];
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
        "pid" Int4, "datid" Oid, "datname" Name, "relid" Oid, "phase" Text, "heap_blks_total" Int8, "heap_blks_scanned" Int8, "heap_blks_vacuumed" Int8, "index_vacuum_count" Int8, "max_dead_tuple_bytes" Int8, "dead_tuple_bytes" Int8, "num_dead_item_ids" Int8, "indexes_total" Int8, "indexes_processed" Int8, "delay_time" Float8];
    PG_STAT_PROGRESS_CLUSTER 12461 "pg_stat_progress_cluster" true [
        "pid" Int4, "datid" Oid, "datname" Name, "relid" Oid, "command" Text, "phase" Text, "cluster_index_relid" Oid, "heap_tuples_scanned" Int8, "heap_tuples_written" Int8, "heap_blks_total" Int8, "heap_blks_scanned" Int8, "index_rebuild_count" Int8];
    PG_STAT_USER_FUNCTIONS 12113 "pg_stat_user_functions" true [
        "funcid" Oid, "schemaname" Name, "funcname" Name, "calls" Int8, "total_time" Float8, "self_time" Float8];
    PG_STATISTIC_EXT_DATA 3429 "pg_statistic_ext_data" false [
        "stxoid" Oid, "stxdinherit" Bool, "stxdndistinct" Text, "stxddependencies" Text, "stxdmcv" Text, "stxdexpr" TextArray];
    PG_AIOS 12420 "pg_aios" true [
        "pid" Int4, "io_id" Int4, "io_generation" Int8, "state" Text, "operation" Text, "off" Int8, "length" Int8, "target"
        Text, "handle_data_len" Int2, "raw_result" Int4, "result" Text, "target_desc" Text, "f_sync" Bool, "f_localmem" Bool,
        "f_buffered" Bool];
    PG_REPLICATION_ORIGIN_STATUS 12421 "pg_replication_origin_status" true [
        "local_id" Oid, "external_id" Text, "remote_lsn" PgLsn, "local_lsn" PgLsn];
    PG_SHMEM_ALLOCATIONS 12422 "pg_shmem_allocations" true [
        "name" Text, "off" Int8, "size" Int8, "allocated_size" Int8];
    PG_SHMEM_ALLOCATIONS_NUMA 12423 "pg_shmem_allocations_numa" true [
        "name" Text, "numa_node" Int4, "size" Int8];
    PG_STAT_REPLICATION_SLOTS 12424 "pg_stat_replication_slots" true [
        "slot_name" Text, "spill_txns" Int8, "spill_count" Int8, "spill_bytes" Int8, "stream_txns" Int8, "stream_count" Int8,
        "stream_bytes" Int8, "total_txns" Int8, "total_bytes" Int8, "stats_reset" Timestamptz];
    PG_STAT_SLRU 12425 "pg_stat_slru" true [
        "name" Text, "blks_zeroed" Int8, "blks_hit" Int8, "blks_read" Int8, "blks_written" Int8, "blks_exists" Int8, "flushes"
        Int8, "truncates" Int8, "stats_reset" Timestamptz];
    PG_STAT_SUBSCRIPTION 12426 "pg_stat_subscription" true [
        "subid" Oid, "subname" Name, "worker_type" Text, "pid" Int4, "leader_pid" Int4, "relid" Oid, "received_lsn" PgLsn,
        "last_msg_send_time" Timestamptz, "last_msg_receipt_time" Timestamptz, "latest_end_lsn" PgLsn, "latest_end_time"
        Timestamptz];
    PG_STAT_SUBSCRIPTION_STATS 12427 "pg_stat_subscription_stats" true [
        "subid" Oid, "subname" Name, "apply_error_count" Int8, "sync_error_count" Int8, "confl_insert_exists" Int8,
        "confl_update_origin_differs" Int8, "confl_update_exists" Int8, "confl_update_missing" Int8,
        "confl_delete_origin_differs" Int8, "confl_delete_missing" Int8, "confl_multiple_unique_conflicts" Int8, "stats_reset"
        Timestamptz];
    PG_STAT_XACT_USER_FUNCTIONS 12428 "pg_stat_xact_user_functions" true [
        "funcid" Oid, "schemaname" Name, "funcname" Name, "calls" Int8, "total_time" Float8, "self_time" Float8];
    PG_STATS_EXT 12429 "pg_stats_ext" true [
        "schemaname" Name, "tablename" Name, "statistics_schemaname" Name, "statistics_name" Name, "statistics_owner" Name,
        "attnames" NameArray, "exprs" TextArray, "kinds" CharArray, "inherited" Bool, "n_distinct" Text, "dependencies" Text,
        "most_common_vals" TextArray, "most_common_val_nulls" BoolArray, "most_common_freqs" Float8Array,
        "most_common_base_freqs" Float8Array];
    PG_STATS_EXT_EXPRS 12430 "pg_stats_ext_exprs" true [
        "schemaname" Name, "tablename" Name, "statistics_schemaname" Name, "statistics_name" Name, "statistics_owner" Name,
        "expr" Text, "inherited" Bool, "null_frac" Float4, "avg_width" Int4, "n_distinct" Float4, "most_common_vals" Text,
        "most_common_freqs" Float4Array, "histogram_bounds" Text, "correlation" Float4, "most_common_elems" Text,
        "most_common_elem_freqs" Float4Array, "elem_count_histogram" Float4Array];
    PG_REPLICATION_ORIGIN 6000 "pg_replication_origin" false ["roident" Oid, "roname" Text];
    PG_TS_CONFIG_MAP 3603 "pg_ts_config_map" false [
        "mapcfg" Oid, "maptokentype" Int4, "mapseqno" Int4, "mapdict" Oid];
}

// Routines are what PostgreSQL brings along, too: nothing that it depends upon by name is listed there either.
empty! { INFORMATION_SCHEMA_OID INFORMATION_TABLES
    IS_OWN_PG_FOREIGN_DATA_WRAPPERS 13090 "_pg_foreign_data_wrappers" true [
        "oid" Oid, "fdwowner" Oid, "fdwoptions" TextArray, "foreign_data_wrapper_catalog" Name, "foreign_data_wrapper_name"
        Name, "authorization_identifier" Name, "foreign_data_wrapper_language" Text];
    IS_OWN_PG_FOREIGN_SERVERS 13091 "_pg_foreign_servers" true [
        "oid" Oid, "srvoptions" TextArray, "foreign_server_catalog" Name, "foreign_server_name" Name,
        "foreign_data_wrapper_catalog" Name, "foreign_data_wrapper_name" Name, "foreign_server_type" Text,
        "foreign_server_version" Text, "authorization_identifier" Name];
    IS_OWN_PG_FOREIGN_TABLE_COLUMNS 13092 "_pg_foreign_table_columns" true [
        "nspname" Name, "relname" Name, "attname" Name, "attfdwoptions" TextArray];
    IS_OWN_PG_FOREIGN_TABLES 13093 "_pg_foreign_tables" true [
        "foreign_table_catalog" Name, "foreign_table_schema" Name, "foreign_table_name" Name, "ftoptions" TextArray,
        "foreign_server_catalog" Name, "foreign_server_name" Name, "authorization_identifier" Name];
    IS_OWN_PG_USER_MAPPINGS 13094 "_pg_user_mappings" true [
        "oid" Oid, "umoptions" TextArray, "umuser" Oid, "authorization_identifier" Name, "foreign_server_catalog" Name,
        "foreign_server_name" Name, "srvowner" Name];
    IS_CHECK_CONSTRAINT_ROUTINE_USAGE 13095 "check_constraint_routine_usage" true [
        "constraint_catalog" Name, "constraint_schema" Name, "constraint_name" Name, "specific_catalog" Name,
        "specific_schema" Name, "specific_name" Name];
    IS_COLUMN_OPTIONS 13096 "column_options" true [
        "table_catalog" Name, "table_schema" Name, "table_name" Name, "column_name" Name, "option_name" Name, "option_value"
        Text];
    IS_FOREIGN_DATA_WRAPPER_OPTIONS 13097 "foreign_data_wrapper_options" true [
        "foreign_data_wrapper_catalog" Name, "foreign_data_wrapper_name" Name, "option_name" Name, "option_value" Text];
    IS_FOREIGN_DATA_WRAPPERS 13098 "foreign_data_wrappers" true [
        "foreign_data_wrapper_catalog" Name, "foreign_data_wrapper_name" Name, "authorization_identifier" Name, "library_name"
        Text, "foreign_data_wrapper_language" Text];
    IS_FOREIGN_SERVER_OPTIONS 13099 "foreign_server_options" true [
        "foreign_server_catalog" Name, "foreign_server_name" Name, "option_name" Name, "option_value" Text];
    IS_FOREIGN_SERVERS 13100 "foreign_servers" true [
        "foreign_server_catalog" Name, "foreign_server_name" Name, "foreign_data_wrapper_catalog" Name,
        "foreign_data_wrapper_name" Name, "foreign_server_type" Text, "foreign_server_version" Text,
        "authorization_identifier" Name];
    IS_FOREIGN_TABLE_OPTIONS 13101 "foreign_table_options" true [
        "foreign_table_catalog" Name, "foreign_table_schema" Name, "foreign_table_name" Name, "option_name" Name,
        "option_value" Text];
    IS_FOREIGN_TABLES 13102 "foreign_tables" true [
        "foreign_table_catalog" Name, "foreign_table_schema" Name, "foreign_table_name" Name, "foreign_server_catalog" Name,
        "foreign_server_name" Name];
    IS_ROUTINE_COLUMN_USAGE 13103 "routine_column_usage" true [
        "specific_catalog" Name, "specific_schema" Name, "specific_name" Name, "routine_catalog" Name, "routine_schema" Name,
        "routine_name" Name, "table_catalog" Name, "table_schema" Name, "table_name" Name, "column_name" Name];
    IS_ROUTINE_ROUTINE_USAGE 13104 "routine_routine_usage" true [
        "specific_catalog" Name, "specific_schema" Name, "specific_name" Name, "routine_catalog" Name, "routine_schema" Name,
        "routine_name" Name];
    IS_ROUTINE_SEQUENCE_USAGE 13105 "routine_sequence_usage" true [
        "specific_catalog" Name, "specific_schema" Name, "specific_name" Name, "routine_catalog" Name, "routine_schema" Name,
        "routine_name" Name, "sequence_catalog" Name, "sequence_schema" Name, "sequence_name" Name];
    IS_ROUTINE_TABLE_USAGE 13106 "routine_table_usage" true [
        "specific_catalog" Name, "specific_schema" Name, "specific_name" Name, "routine_catalog" Name, "routine_schema" Name,
        "routine_name" Name, "table_catalog" Name, "table_schema" Name, "table_name" Name];
    IS_TRANSFORMS 13107 "transforms" true [
        "udt_catalog" Name, "udt_schema" Name, "udt_name" Name, "specific_catalog" Name, "specific_schema" Name,
        "specific_name" Name, "group_name" Name, "transform_type" Text];
    IS_TRIGGERED_UPDATE_COLUMNS 13108 "triggered_update_columns" true [
        "trigger_catalog" Name, "trigger_schema" Name, "trigger_name" Name, "event_object_catalog" Name, "event_object_schema"
        Name, "event_object_table" Name, "event_object_column" Name];
    IS_TRIGGERS 13109 "triggers" true [
        "trigger_catalog" Name, "trigger_schema" Name, "trigger_name" Name, "event_manipulation" Text, "event_object_catalog"
        Name, "event_object_schema" Name, "event_object_table" Name, "action_order" Int4, "action_condition" Text,
        "action_statement" Text, "action_orientation" Text, "action_timing" Text, "action_reference_old_table" Name,
        "action_reference_new_table" Name, "action_reference_old_row" Name, "action_reference_new_row" Name, "created"
        Timestamptz];
    IS_USER_MAPPING_OPTIONS 13110 "user_mapping_options" true [
        "authorization_identifier" Name, "foreign_server_catalog" Name, "foreign_server_name" Name, "option_name" Name,
        "option_value" Text];
    IS_USER_MAPPINGS 13111 "user_mappings" true [
        "authorization_identifier" Name, "foreign_server_catalog" Name, "foreign_server_name" Name];
    IS_VIEW_ROUTINE_USAGE 13112 "view_routine_usage" true [
        "table_catalog" Name, "table_schema" Name, "table_name" Name, "specific_catalog" Name, "specific_schema" Name,
        "specific_name" Name];
}
