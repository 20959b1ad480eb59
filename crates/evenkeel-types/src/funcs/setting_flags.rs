//! `pg_settings_get_flags`: PostgreSQL's flags of its settings.
//!
//! Must not know: what the settings do.

use super::{Eval, names_arg, stable};
use crate::datum::Datum;
use crate::function::{EvalCtx, ScalarFn};
use crate::ty::Type as T;

/// What EXPLAIN (SETTINGS) shows.
const EXPLAIN: &str = "\
    constraint_exclusion cpu_index_tuple_cost cpu_operator_cost cpu_tuple_cost cursor_tuple_fraction \
    effective_cache_size effective_io_concurrency enable_async_append enable_bitmapscan enable_distinct_reordering \
    enable_gathermerge enable_group_by_reordering enable_hashagg enable_hashjoin enable_incremental_sort \
    enable_indexonlyscan enable_indexscan enable_material enable_memoize enable_mergejoin enable_nestloop \
    enable_parallel_append enable_parallel_hash enable_partition_pruning enable_partitionwise_aggregate \
    enable_partitionwise_join enable_presorted_aggregate enable_self_join_elimination enable_seqscan enable_sort \
    enable_tidscan from_collapse_limit geqo geqo_effort geqo_generations geqo_pool_size geqo_seed \
    geqo_selection_bias geqo_threshold hash_mem_multiplier jit jit_above_cost jit_inline_above_cost \
    jit_optimize_above_cost join_collapse_limit maintenance_io_concurrency max_parallel_workers \
    max_parallel_workers_per_gather min_parallel_index_scan_size min_parallel_table_scan_size \
    parallel_leader_participation parallel_setup_cost parallel_tuple_cost plan_cache_mode random_page_cost \
    recursive_worktable_factor search_path seq_page_cost temp_buffers work_mem";
/// What the sample of the configuration file leaves out.
const NOT_IN_SAMPLE: &str = "\
    allow_in_place_tablespaces allow_system_table_mods application_name backtrace_functions block_size \
    debug_assertions debug_discard_caches debug_io_direct debug_logical_replication_streaming huge_pages_status \
    ignore_checksum_failure ignore_invalid_pages ignore_system_indexes in_hot_standby integer_datetimes \
    jit_debugging_support jit_dump_bitcode jit_expressions jit_profiling_support jit_tuple_deforming \
    max_function_args max_identifier_length max_index_keys post_auth_delay pre_auth_delay \
    remove_temp_files_after_crash restrict_nonsystem_relation_kind segment_size send_abort_for_crash \
    send_abort_for_kill server_encoding server_version server_version_num ssl_library trace_connection_negotiation \
    trace_notify trace_sort wal_block_size wal_consistency_checking zero_damaged_pages";
/// What is found out when the server starts.
const RUNTIME_COMPUTED: &str = "\
    data_checksums data_directory_mode num_os_semaphores shared_memory_size shared_memory_size_in_huge_pages \
    wal_segment_size";
/// What a transaction has.
const NO_RESET: &str = "transaction_deferrable transaction_isolation transaction_read_only";

fn flags(a: &[Datum], ctx: &EvalCtx<'_>) -> Eval {
    let name = names_arg(a, 0)?;
    if ctx.env.setting(name).is_none() || name.contains('.') {
        return Ok(Datum::Null);
    }
    let name = name.to_ascii_lowercase();
    let is_in = |list: &str| list.split(' ').any(|n| n == name);
    let flags: &[&str] = match () {
        () if name == "debug_parallel_query" => &["EXPLAIN", "NOT_IN_SAMPLE"],
        () if is_in(EXPLAIN) => &["EXPLAIN"],
        () if is_in(NO_RESET) => &["NO_RESET", "NO_RESET_ALL", "NOT_IN_SAMPLE"],
        () if is_in(RUNTIME_COMPUTED) => &["NOT_IN_SAMPLE", "RUNTIME_COMPUTED"],
        () if is_in(NOT_IN_SAMPLE) => &["NOT_IN_SAMPLE"],
        () => &[],
    };
    Ok(Datum::array(T::Text, flags.iter().map(|f| Datum::text(*f)).collect()))
}

/// The functions of this file.
pub const TABLE: &[ScalarFn] = &[stable("pg_settings_get_flags", &[T::Text], T::TextArray, flags)];
