//! PostgreSQL's settings that say how it plans, pages, vacuums or shows, and have nothing to act on here. Clients and scripts set them; their values are checked as PostgreSQL
//! checks them, kept and shown.
//!
//! Invariants:
//! 1. None of them changes what a statement means: one that would is refused, or done.
//!
//! Must not know: sessions.

use super::settings::{BOOL, FIXED, SessionDef, TEXT, Values, choice, def, int, superusers};
use evenkeel::settings::{KB, Kind, MS};

const NOTE: &str = "Accepted and not used.";

const fn unused(name: &'static str, default: &'static str, values: Values) -> SessionDef {
    def(name, default, values, NOTE)
}

const fn superusers_unused(name: &'static str, default: &'static str, values: Values) -> SessionDef {
    superusers(name, default, values, NOTE)
}

const fn kilobytes(min: i64, max: i64) -> Values {
    (Kind::Memory { unit: KB, grain: KB }, min * KB, max * KB)
}

const fn blocks(min: i64, max: i64) -> Values {
    (Kind::Memory { unit: 8 * KB, grain: 8 * KB }, min * 8 * KB, max * 8 * KB)
}

/// Bounds of those that are real numbers.
const REALS: &[(&str, f64, f64)] = &[
    ("cpu_index_tuple_cost", 0.0, f64::MAX),
    ("cpu_operator_cost", 0.0, f64::MAX),
    ("cpu_tuple_cost", 0.0, f64::MAX),
    ("cursor_tuple_fraction", 0.0, 1.0),
    ("geqo_seed", 0.0, 1.0),
    ("geqo_selection_bias", 1.5, 2.0),
    ("jit_above_cost", -1.0, f64::MAX),
    ("jit_inline_above_cost", -1.0, f64::MAX),
    ("jit_optimize_above_cost", -1.0, f64::MAX),
    ("log_transaction_sample_rate", 0.0, 1.0),
    ("parallel_setup_cost", 0.0, f64::MAX),
    ("parallel_tuple_cost", 0.0, f64::MAX),
    ("random_page_cost", 0.0, f64::MAX),
    ("recursive_worktable_factor", 0.001, 1000000.0),
    ("seq_page_cost", 0.0, f64::MAX),
    ("vacuum_max_eager_freeze_failure_rate", 0.0, 1.0),
];

/// In alphabetical order of names.
pub(super) static DEFS: &[SessionDef] = &[
    superusers_unused("allow_in_place_tablespaces", "off", BOOL),
    superusers_unused("allow_system_table_mods", "off", BOOL),
    unused("backend_flush_after", "0", blocks(0, 256)),
    unused("backslash_quote", "safe_encoding", choice(&["safe_encoding", "on", "off"])),
    superusers_unused("backtrace_functions", "", TEXT),
    unused(
        "client_connection_check_interval",
        "0",
        (Kind::Time { unit: MS, grain: MS }, 0, i32::MAX as i64 * MS),
    ),
    unused("constraint_exclusion", "partition", choice(&["partition", "on", "off"])),
    unused("cpu_index_tuple_cost", "0.005", TEXT),
    unused("cpu_operator_cost", "0.0025", TEXT),
    unused("cpu_tuple_cost", "0.01", TEXT),
    unused("createrole_self_grant", "", TEXT),
    unused("cursor_tuple_fraction", "0.1", TEXT),
    superusers_unused("debug_discard_caches", "0", int(0, 0)),
    unused("debug_logical_replication_streaming", "buffered", choice(&["buffered", "immediate"])),
    unused("debug_parallel_query", "off", choice(&["off", "on", "regress"])),
    unused("debug_pretty_print", "on", BOOL),
    unused("debug_print_parse", "off", BOOL),
    unused("debug_print_plan", "off", BOOL),
    unused("debug_print_rewritten", "off", BOOL),
    unused("default_table_access_method", "heap", TEXT),
    unused("default_tablespace", "", TEXT),
    unused("default_text_search_config", "pg_catalog.simple", TEXT),
    unused("default_toast_compression", "pglz", choice(&["pglz", "lz4"])),
    superusers_unused("dynamic_library_path", "$libdir", TEXT),
    unused("effective_cache_size", "4GB", blocks(1, i32::MAX as i64)),
    unused("effective_io_concurrency", "1", int(0, 1000)),
    unused("enable_async_append", "on", BOOL),
    unused("enable_bitmapscan", "on", BOOL),
    unused("enable_distinct_reordering", "on", BOOL),
    unused("enable_gathermerge", "on", BOOL),
    unused("enable_group_by_reordering", "on", BOOL),
    unused("enable_hashagg", "on", BOOL),
    unused("enable_hashjoin", "on", BOOL),
    unused("enable_incremental_sort", "on", BOOL),
    unused("enable_indexonlyscan", "on", BOOL),
    unused("enable_indexscan", "on", BOOL),
    unused("enable_material", "on", BOOL),
    unused("enable_memoize", "on", BOOL),
    unused("enable_mergejoin", "on", BOOL),
    unused("enable_nestloop", "on", BOOL),
    unused("enable_parallel_append", "on", BOOL),
    unused("enable_parallel_hash", "on", BOOL),
    unused("enable_partition_pruning", "on", BOOL),
    unused("enable_partitionwise_aggregate", "off", BOOL),
    unused("enable_partitionwise_join", "off", BOOL),
    unused("enable_presorted_aggregate", "on", BOOL),
    unused("enable_self_join_elimination", "on", BOOL),
    unused("enable_seqscan", "on", BOOL),
    unused("enable_sort", "on", BOOL),
    unused("enable_tidscan", "on", BOOL),
    unused("escape_string_warning", "on", BOOL),
    superusers_unused("event_triggers", "on", BOOL),
    unused("exit_on_error", "off", BOOL),
    superusers_unused("extension_control_path", "$system", TEXT),
    unused("file_copy_method", "copy", choice(&["copy", "clone"])),
    unused("from_collapse_limit", "8", int(1, i32::MAX as i64)),
    unused("geqo", "on", BOOL),
    unused("geqo_effort", "5", int(1, 10)),
    unused("geqo_generations", "0", int(0, 2147483647)),
    unused("geqo_pool_size", "0", int(0, 2147483647)),
    unused("geqo_seed", "0", TEXT),
    unused("geqo_selection_bias", "2", TEXT),
    unused("geqo_threshold", "12", int(2, 2147483647)),
    unused("gin_fuzzy_search_limit", "0", int(0, i32::MAX as i64)),
    unused("gin_pending_list_limit", "4MB", kilobytes(64, 2147483647)),
    unused(
        "icu_validation_level",
        "warning",
        choice(&[
            "disabled", "debug5", "debug4", "debug3", "debug2", "debug1", "log", "notice", "warning", "error",
        ]),
    ),
    superusers_unused("ignore_checksum_failure", "off", BOOL),
    unused("io_combine_limit", "128kB", blocks(1, 128)),
    unused("jit", "off", BOOL),
    unused("jit_above_cost", "100000", TEXT),
    superusers_unused("jit_dump_bitcode", "off", BOOL),
    unused("jit_expressions", "on", BOOL),
    unused("jit_inline_above_cost", "500000", TEXT),
    unused("jit_optimize_above_cost", "500000", TEXT),
    unused("jit_tuple_deforming", "on", BOOL),
    unused("join_collapse_limit", "8", int(1, i32::MAX as i64)),
    unused("lc_messages", "C", TEXT),
    def("lc_monetary", "C", TEXT, "Amounts of money are written as in C and en_US."),
    unused("lc_numeric", "C", TEXT),
    unused("lc_time", "C", TEXT),
    unused("local_preload_libraries", "", TEXT),
    superusers_unused("log_executor_stats", "off", BOOL),
    superusers_unused("log_lock_failures", "off", BOOL),
    unused("log_parameter_max_length_on_error", "0", (Kind::Memory { unit: 1, grain: 1 }, -1, 1073741823)),
    superusers_unused("log_parser_stats", "off", BOOL),
    superusers_unused("log_planner_stats", "off", BOOL),
    superusers_unused("log_replication_commands", "off", BOOL),
    superusers_unused("log_statement_stats", "off", BOOL),
    superusers_unused("log_transaction_sample_rate", "0", TEXT),
    unused("logical_decoding_work_mem", "64MB", kilobytes(64, 2147483647)),
    unused("maintenance_io_concurrency", "16", int(0, 1000)),
    unused("max_parallel_maintenance_workers", "2", int(0, 1024)),
    unused("max_parallel_workers", "8", int(0, 1024)),
    unused("max_parallel_workers_per_gather", "0", int(0, 1024)),
    superusers_unused("max_stack_depth", "2MB", kilobytes(100, 2147483647)),
    unused("md5_password_warnings", "on", BOOL),
    unused("min_parallel_index_scan_size", "512kB", blocks(0, 715827882)),
    unused("min_parallel_table_scan_size", "8MB", blocks(0, 715827882)),
    unused("parallel_leader_participation", "on", BOOL),
    unused("parallel_setup_cost", "1000", TEXT),
    unused("parallel_tuple_cost", "0.1", TEXT),
    unused("quote_all_identifiers", "off", BOOL),
    unused("random_page_cost", "4", TEXT),
    unused("recursive_worktable_factor", "10", TEXT),
    unused("scram_iterations", "4096", int(1, 2147483647)),
    unused("seq_page_cost", "1", TEXT),
    superusers_unused("session_preload_libraries", "", TEXT),
    unused("stats_fetch_consistency", "cache", choice(&["none", "cache", "snapshot"])),
    unused("synchronize_seqscans", "on", BOOL),
    unused("temp_buffers", "8MB", blocks(100, 1073741823)),
    unused("temp_tablespaces", "", TEXT),
    unused("timezone_abbreviations", "Default", TEXT),
    unused("trace_notify", "off", BOOL),
    unused("trace_sort", "off", BOOL),
    superusers_unused("track_activities", "on", BOOL),
    superusers_unused("track_cost_delay_timing", "off", BOOL),
    superusers_unused("track_counts", "on", BOOL),
    superusers_unused("track_functions", "none", choice(&["none", "pl", "all"])),
    superusers_unused("track_io_timing", "off", BOOL),
    superusers_unused("track_wal_io_timing", "off", BOOL),
    unused("transform_null_equals", "off", BOOL),
    superusers_unused("update_process_title", "on", BOOL),
    unused("vacuum_buffer_usage_limit", "2MB", kilobytes(0, 16777216)),
    unused("vacuum_cost_delay", "0", (Kind::Time { unit: MS, grain: 1 }, 0, 100 * MS)),
    unused("vacuum_cost_limit", "200", int(1, 10000)),
    unused("vacuum_cost_page_dirty", "20", int(0, 10000)),
    unused("vacuum_cost_page_hit", "1", int(0, 10000)),
    unused("vacuum_cost_page_miss", "2", int(0, 10000)),
    unused("vacuum_failsafe_age", "1600000000", int(0, 2100000000)),
    unused("vacuum_freeze_min_age", "50000000", int(0, 1000000000)),
    unused("vacuum_freeze_table_age", "150000000", int(0, 2000000000)),
    unused("vacuum_max_eager_freeze_failure_rate", "0.03", TEXT),
    unused("vacuum_multixact_failsafe_age", "1600000000", int(0, 2100000000)),
    unused("vacuum_multixact_freeze_min_age", "5000000", int(0, 1000000000)),
    unused("vacuum_multixact_freeze_table_age", "150000000", int(0, 2000000000)),
    unused("vacuum_truncate", "on", BOOL),
    superusers_unused("wal_compression", "off", choice(&["pglz", "lz4", "zstd", "off"])),
    superusers_unused("wal_consistency_checking", "", TEXT),
    superusers_unused("wal_init_zero", "on", BOOL),
    superusers_unused("wal_recycle", "on", BOOL),
    unused("wal_skip_threshold", "2MB", kilobytes(0, 2147483647)),
    unused("xmlbinary", "base64", choice(&["base64", "hex"])),
    unused("xmloption", "content", choice(&["content", "document"])),
    superusers_unused("zero_damaged_pages", "off", BOOL),
];

/// What PostgreSQL's server has a limit or a schedule of, and this one has not: shown, as programs that watch servers ask for it.
pub(super) static WATCHED: &[SessionDef] = &[
    def("archive_command", "", FIXED, "Archiving is built in: archive_url."),
    def("autovacuum_freeze_max_age", "200000000", FIXED, "Transaction ids have 64 bits: nothing is frozen."),
    def("autovacuum_max_workers", "1", FIXED, "One thread analyzes tables."),
    def("autovacuum_multixact_freeze_max_age", "400000000", FIXED, "There are no multixacts."),
    def("autovacuum_vacuum_scale_factor", "0.2", FIXED, "Old versions are removed all the time."),
    def("autovacuum_vacuum_threshold", "50", FIXED, "Old versions are removed all the time."),
    def("cluster_name", "", FIXED, "Processes have no titles."),
    def("data_directory_mode", "0700", FIXED, "Folders and files are their owner's alone."),
    def("max_logical_replication_workers", "0", FIXED, "There is no logical replication."),
    def("max_replication_slots", "262143", FIXED, "There may be as many as there is disk for."),
    def("max_worker_processes", "0", FIXED, "There are no such processes."),
    def("wal_keep_size", "0", FIXED, "Slots and archives keep the log."),
];

/// The value of a setting that is a real number, as it is shown, or what is wrong with it; None: it is no such setting.
pub(super) fn real(name: &str, value: &str) -> Option<Result<String, String>> {
    let (_, min, max) = REALS.iter().find(|(real, ..)| *real == name)?;
    Some(match value.trim().parse::<f64>() {
        Ok(n) if n.is_finite() && (*min..=*max).contains(&n) => Ok(n.to_string()),
        Ok(n) if n.is_finite() => {
            let shown = if *max == f64::MAX { "1.79769e+308".to_owned() } else { max.to_string() };
            Err(format!("{n} is outside the valid range for parameter \"{name}\" ({min} .. {shown})"))
        }
        _ => Err(format!("invalid value for parameter \"{name}\": \"{value}\"")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn real_numbers_have_bounds() {
        assert_eq!(real("random_page_cost", "1.10"), Some(Ok("1.1".into())));
        assert_eq!(real("work_mem", "x"), None);
        let range = "2 is outside the valid range for parameter \"geqo_seed\" (0 .. 1)";
        assert_eq!(real("geqo_seed", "2"), Some(Err(range.into())));
        assert_eq!(
            real("cpu_tuple_cost", "much"),
            Some(Err("invalid value for parameter \"cpu_tuple_cost\": \"much\"".into()))
        );
        assert!(REALS.iter().all(|(name, ..)| DEFS.iter().any(|d| d.def.name == *name)));
    }
}
