//! What is counted of databases, tables and indexes.

mod support;

use support::{Client, TestDb};

fn used(c: &mut Client) -> String {
    c.value(
        "select concat_ws(' ', seq_scan, seq_tup_read, idx_scan, idx_tup_fetch, n_tup_ins, n_tup_upd, n_tup_del) \
         from pg_stat_user_tables where relname = 't'",
    )
}

fn through(c: &mut Client, index: &str) -> String {
    c.value(&format!(
        "select concat_ws(' ', idx_scan, idx_tup_read, idx_tup_fetch, last_idx_scan is not null) \
         from pg_stat_user_indexes where indexrelname = '{index}'"
    ))
}

#[test]
fn reads_of_tables_and_indexes_are_counted() {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok("create table t (a int primary key, b int, c int)");
    c.ok("create index i on t (b)");
    c.ok("insert into t select n, n / 10, n from generate_series(1, 99) n");
    assert_eq!(used(&mut c), "2 0 0 0 99 0 0", "index builds are scans, as in PostgreSQL");
    c.ok("select sum(c) from t");
    c.ok("select c from t where a = 5");
    c.ok("select c from t where a = 500");
    c.ok("set enable_seqscan = off");
    c.ok("select c from t where b = 3");
    c.ok("select c from t where a in (1, 50, 90)");
    c.ok("update t set c = 0 where a = 7");
    c.ok("delete from t where a = 8");
    assert_eq!(through(&mut c, "t_pkey"), "5 6 6 t");
    assert_eq!(through(&mut c, "i"), "1 10 10 t");
    assert_eq!(used(&mut c), "3 99 6 16 99 1 1");
    c.ok("analyze t");
    c.ok("vacuum t");
    let kept = "select concat_ws(' ', analyze_count, last_analyze is not null, autoanalyze_count, vacuum_count, \
        last_vacuum is not null, last_seq_scan is not null) from pg_stat_user_tables where relname = 't'";
    assert_eq!(c.value(kept), "1 t 0 1 t t");
    c.ok("select pg_stat_reset()");
    assert_eq!(used(&mut c), "0 0 0 0 0 0 0");
    assert_eq!(c.value(kept), "0 f 0 0 f f");
}

#[test]
fn what_sessions_do_is_counted_of_their_database_though_they_end() {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok("create table t (a int primary key, b int)");
    let view = |c: &mut Client, columns: &str| {
        let sql = format!("select concat_ws(' ', {columns}) from pg_stat_database where datname = 'b'");
        c.value(&sql)
    };
    c.ok("select pg_stat_reset()");
    let mut other = db.session();
    other.ok("insert into t select n, n from generate_series(1, 20) n");
    other.ok("update t set b = 0 where a <= 5");
    other.ok("begin");
    other.ok("delete from t where a = 6");
    std::thread::sleep(std::time::Duration::from_millis(20));
    other.ok("rollback");
    assert_eq!(
        view(&mut c, "tup_inserted, tup_updated, tup_deleted, xact_rollback, numbackends"),
        "20 5 1 1 2"
    );
    drop(other);
    let rows =
        "tup_inserted, tup_updated, tup_deleted, xact_rollback, numbackends, sessions, deadlocks, temp_files";
    assert_eq!(view(&mut c, rows), "20 5 1 1 1 1 0 0");
    assert_eq!(
        view(
            &mut c,
            "tup_returned > 0, tup_fetched > 0, blks_hit > 0, active_time > 0, session_time > active_time, \
             idle_in_transaction_time >= 20, xact_commit >= 4, sessions_killed = 0, stats_reset < now()"
        ),
        "t t t t t t t t t"
    );
    c.ok("set work_mem = '64kB'");
    c.ok("select count(*) from (select n from generate_series(1, 60000) n order by n % 100, n) x");
    assert_eq!(view(&mut c, "temp_files > 0, temp_bytes > 100000"), "t t");
    c.ok("select pg_stat_reset()");
    assert_eq!(view(&mut c, "tup_inserted, temp_files, xact_rollback, sessions"), "0 0 0 0");
}

#[test]
fn merge_conflicts_and_cascades_count_what_they_do() {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok("create table t (a int primary key, b int)");
    c.ok("create table u (a int references t on delete cascade on update cascade)");
    c.ok("insert into t select n, n from generate_series(1, 10) n");
    c.ok("select pg_stat_reset()");
    let changed = |c: &mut Client, of: &str| {
        c.value(&format!(
            "select concat_ws(' ', n_tup_ins, n_tup_upd, n_tup_del) from pg_stat_user_tables where relname = '{of}'"
        ))
    };
    c.ok("merge into t using (values (1, 0), (2, 0), (3, 0), (11, 5)) s (a, b) on t.a = s.a \
          when matched and s.a = 1 then delete when matched then update set b = 9 \
          when not matched then insert values (s.a, s.b)");
    assert_eq!(changed(&mut c, "t"), "1 2 1");
    c.ok("insert into t values (2, 0), (12, 0), (3, 3) on conflict (a) do update set b = excluded.b");
    c.ok("insert into t values (2, 0) on conflict do nothing");
    assert_eq!(changed(&mut c, "t"), "2 4 1");
    c.ok("insert into u values (5), (5), (6)");
    c.ok("delete from t where a = 5");
    c.ok("update t set a = 60 where a = 6");
    assert_eq!(changed(&mut c, "t"), "2 5 2");
    assert_eq!(changed(&mut c, "u"), "3 1 2");
    let all = "select concat_ws(' ', tup_inserted, tup_updated, tup_deleted) from pg_stat_database where datname = 'b'";
    assert_eq!(c.value(all), "5 6 4");
}

#[test]
fn what_becomes_of_rows_is_counted_and_what_is_rolled_back_is_no_row() {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok("create table t (a int primary key, b int, c int)");
    c.ok("create index i on t (b)");
    c.ok("insert into t select n, n, n from generate_series(1, 10) n");
    c.ok("update t set c = 1 where a <= 4");
    c.ok("update t set b = 50 where a = 9");
    c.ok("update t set b = b where a = 10");
    let of = |c: &mut Client, columns: &str| {
        c.value(&format!("select concat_ws(' ', {columns}) from pg_stat_user_tables where relname = 't'"))
    };
    let updates = "n_tup_upd, n_tup_hot_upd, n_tup_newpage_upd, n_dead_tup, n_ins_since_vacuum, n_live_tup";
    assert_eq!(of(&mut c, updates), "6 5 0 0 10 10");
    let in_transaction = "select concat_ws(' ', n_tup_ins, n_tup_upd, n_tup_del, n_tup_hot_upd) \
        from pg_stat_xact_user_tables where relname = 't'";
    c.ok("begin");
    assert_eq!(c.value(in_transaction), "0 0 0 0");
    c.ok("delete from t where a <= 3");
    c.ok("insert into t values (20, 20, 20)");
    c.ok("update t set c = 7 where a = 20");
    assert_eq!(c.value(in_transaction), "1 1 3 1");
    assert_eq!(db.session().value(in_transaction), "0 0 0 0");
    assert_eq!(of(&mut c, "n_live_tup"), "8");
    c.ok("rollback");
    assert_eq!(c.value(in_transaction), "0 0 0 0");
    assert_eq!(of(&mut c, "n_tup_ins, n_tup_del, n_live_tup"), "11 3 10");
    c.ok("begin");
    c.ok("delete from t where a = 5");
    assert_eq!(c.err("select 1 / 0"), "22012");
    c.ok("rollback");
    c.ok("analyze t");
    c.ok("truncate t");
    assert_eq!(of(&mut c, "n_live_tup"), "0");
    c.ok("begin");
    c.ok("insert into t values (1)");
    c.ok("truncate t");
    c.ok("insert into t values (2), (3)");
    c.ok("commit");
    assert_eq!(
        of(&mut c, "n_live_tup, n_ins_since_vacuum, last_autovacuum is null, autovacuum_count"),
        "2 2 t 0"
    );
    c.ok("vacuum analyze t");
    let upkeep = "n_live_tup, n_ins_since_vacuum, total_vacuum_time > 0, total_analyze_time > 0, total_autoanalyze_time";
    assert_eq!(of(&mut c, upkeep), "2 0 t t 0");
    let nothing = "select count(*) > 0 and bool_and(seq_scan = 0 and n_live_tup = 0 and last_vacuum is null) from pg_stat_sys_tables";
    assert_eq!(c.value(nothing), "t");
}

#[test]
fn pages_are_counted_of_tables_and_indexes() {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok("create table t (a int primary key, b int)");
    c.ok("create table bare (a int)");
    c.ok("create index i on t (b)");
    c.ok("create sequence s");
    let of = |c: &mut Client, table: &str, columns: &str| {
        c.value(&format!(
            "select concat_ws(' ', {columns}) from pg_statio_user_tables where relname = '{table}'"
        ))
    };
    let index = |c: &mut Client, index: &str| -> i64 {
        let sql = format!("select idx_blks_hit from pg_statio_user_indexes where indexrelname = '{index}'");
        c.value(&sql).parse().unwrap()
    };
    c.ok("select pg_stat_reset()");
    assert_eq!(of(&mut c, "t", "heap_blks_read, heap_blks_hit, idx_blks_read, idx_blks_hit"), "0 0 0 0");
    assert_eq!(of(&mut c, "bare", "heap_blks_hit, idx_blks_hit is null, toast_blks_hit is null"), "0 t t");
    c.ok("insert into t select n, n from generate_series(1, 1000) n");
    let written = of(&mut c, "t", "heap_blks_hit >= 1000, idx_blks_hit >= 1000, toast_blks_hit is null");
    assert_eq!(written, "t t t");
    assert!(
        index(&mut c, "i") > 0 && index(&mut c, "t_pkey") >= 1000,
        "what is written at the end counts, too"
    );
    c.ok("select pg_stat_reset()");
    c.ok("select b from t where a = 7");
    assert_eq!(index(&mut c, "i"), 0);
    assert_eq!(of(&mut c, "t", "heap_blks_hit between 1 and 5, idx_blks_hit between 1 and 5"), "t t");
    c.ok("select pg_stat_reset()");
    c.ok("select sum(a + b) from t");
    assert_eq!(of(&mut c, "t", "heap_blks_hit > 2, idx_blks_hit"), "t 0");
    c.ok("select pg_stat_reset()");
    c.ok("update t set b = 0 where a = 8");
    c.ok("delete from t where a = 9");
    assert!(index(&mut c, "i") > 0);
    assert_eq!(c.value("select concat_ws(' ', blks_read, blks_hit) from pg_statio_user_sequences"), "0 0");
}

#[test]
fn what_monitors_ask_for_is_there() {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok("create table t (a int primary key)");
    c.ok("insert into t values (1)");
    for sql in [
        "select age(datfrozenxid) between 0 and 1000 and mxid_age(datminmxid) = 0 from pg_database where datname = 'b'",
        "select bool_and(age(relfrozenxid) between 0 and 1000) from pg_class where relkind in ('r', 'm')",
        "select age('2'::xid) = 2147483647 and mxid_age('0'::xid) = 2147483647",
        "select age((pg_current_xact_id()::text)::xid) between 0 and 1",
        "select count(*) > 0 and min(size) > 0 from pg_ls_waldir()",
        "select count(*) = 1 from pg_ls_waldir() where name = pg_walfile_name(pg_current_wal_lsn())",
        "select pg_tablespace_size('pg_default') >= pg_database_size('b') and pg_tablespace_size(1664) = 0",
        "select redo_lsn <= pg_current_wal_lsn() and redo_wal_file = pg_walfile_name(redo_lsn) and timeline_id = 1 from pg_control_checkpoint()",
        "select next_xid > '0:1' and full_page_writes is not null from pg_control_checkpoint()",
        "select database_block_size = current_setting('block_size')::int and max_identifier_length = 64 from pg_control_init()",
        "select min_recovery_end_lsn = '0/0' and not end_of_backup_record_required from pg_control_recovery()",
        "select pg_database_collation_actual_version(oid) is null from pg_database where datname = 'b'",
        "select count(*) = 0 from pg_partition_tree('t')",
        "select pg_safe_snapshot_blocking_pids(1) = '{}'",
        "select pg_stat_get_db_numbackends(datid) = numbackends and pg_stat_get_db_sessions(datid) = sessions from pg_stat_database where datname = 'b'",
        "select pg_stat_get_db_tuples_inserted(datid) = tup_inserted and pg_stat_get_db_conflict_all(datid) = conflicts from pg_stat_database where datname = 'b'",
        "select pg_stat_get_db_blocks_fetched(datid) between blks_hit + blks_read and blks_hit + blks_read + 1000 from pg_stat_database where datname = 'b'",
        "select pg_stat_get_db_xact_commit(999) = 0 and pg_stat_get_db_stat_reset_time(999) is null",
        "select pg_stat_get_blocks_fetched('t'::regclass) >= pg_stat_get_blocks_hit('t'::regclass) and pg_stat_get_blocks_hit(1) = 0",
        "select pg_tablespace_size(5) is null",
        "select setting = 'off' from pg_settings where name = 'archive_mode'",
        "select count(*) = 0 from pg_ls_tmpdir()",
        "select count(*) = 0 from pg_tablespace s, lateral pg_ls_tmpdir(s.oid)",
        "select max(age(datfrozenxid)) < current_setting('autovacuum_freeze_max_age')::int from pg_database",
        "select current_setting('autovacuum_max_workers')::int = 1",
        "select pg_stat_get_last_vacuum_time('t'::regclass) is null and pg_stat_get_vacuum_count('t'::regclass) = 0",
        "select pg_stat_get_last_vacuum_time(1) is null and pg_stat_get_vacuum_count(1) = 0",
        "select pg_stat_get_mod_since_analyze('t'::regclass) = 1 and pg_stat_get_ins_since_vacuum('t'::regclass) = 1",
        "select inet_server_addr() is null and inet_server_port() is null and inet_client_port() is null",
    ] {
        assert_eq!(c.value(sql), "t", "{sql}");
    }
    assert_eq!(c.err("select pg_database_collation_actual_version(999)"), "42704");
    assert_eq!(c.err("select pg_xact_commit_timestamp('1')"), "55000");
    for of_standby in ["pg_wal_replay_pause()", "pg_wal_replay_resume()", "pg_get_wal_replay_pause_state()"] {
        assert_eq!(c.err(&format!("select {of_standby}")), "55000");
    }
    assert_eq!(c.value("show archive_mode"), "off");
    assert_eq!(c.err("set archive_mode = on"), "55P02");
    assert_eq!(c.err("select pg_tablespace_size('nowhere')"), "42704");
    c.ok("create role r login");
    c.ok("set role r");
    assert_eq!(c.err("select * from pg_ls_waldir()"), "42501");
    c.ok("reset role");
    c.ok("grant pg_monitor to r");
    c.ok("set role r");
    c.ok("select * from pg_ls_waldir()");
    c.ok("reset role");
    c.ok("vacuum analyze t");
    for work in ["vacuum", "analyze"] {
        let told = format!(
            "pg_stat_get_last_{work}_time(relid) = last_{work} and pg_stat_get_{work}_count(relid) = {work}_count"
        );
        let sql = format!("select {told} and {work}_count = 1 from pg_stat_user_tables where relname = 't'");
        assert_eq!(c.value(&sql), "t", "{work}");
    }
    c.ok("create database other");
    assert_eq!(c.value("select pg_database_size('other') < pg_database_size('b')"), "t");
    assert_eq!(c.err("select pg_database_size('nowhere')"), "3D000");
}

/// `primary_conninfo` may have a password in it.
#[test]
fn settings_that_are_not_everybody_s_are_told_to_who_may_examine_them() {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok("create role low login");
    c.ok("create role watcher login");
    c.ok("grant pg_read_all_settings to watcher");
    let shown = "select count(*) from pg_settings where name = 'primary_conninfo'";
    let is_there = c.value(shown);
    c.ok("set role low");
    for sql in [
        "show primary_conninfo",
        "show Data_Directory",
        "select current_setting('primary_conninfo')",
        "select current_setting('primary_conninfo', true)",
    ] {
        assert_eq!(c.err(sql), "42501", "{sql}");
    }
    assert_eq!(c.value(shown), "0");
    assert_eq!(c.value("select current_setting('work_mem')"), "4MB");
    c.ok("reset role");
    c.ok("set role watcher");
    assert_eq!(c.value(shown), is_there);
    assert_ne!(c.value("select coalesce(current_setting('primary_conninfo', true), 'none')"), "x");
}

/// VERBOSE says what was done of which table, and nothing else does.
#[test]
fn upkeep_says_what_it_did_if_it_is_asked_to() {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok("create table t (a int primary key, b int)");
    c.ok("insert into t select g, g from generate_series(1, 1000) g");
    c.ok("delete from t where a <= 300");
    let told = |c: &mut Client, sql: &str| -> Vec<String> {
        c.session.take_notices();
        c.ok(sql);
        c.session.take_notices().iter().map(|n| format!("{}: {}", n.severity, n.message)).collect()
    };
    let database = c.value("select current_database()");
    assert_eq!(told(&mut c, "vacuum t"), [""; 0]);
    let said = told(&mut c, "analyze verbose t");
    assert_eq!(said[0], "INFO: analyzing \"public.t\"");
    let lines: Vec<&str> = said[1].lines().collect();
    assert_eq!(
        lines[0],
        format!("INFO: finished analyzing table \"{database}.public.t\": 700 estimated total rows")
    );
    assert!(lines[1].starts_with("buffer usage: ") && lines[2].starts_with("WAL usage: "), "{lines:?}");
    assert_eq!((said.len(), lines.len()), (2, 4));
    let said = told(&mut c, "vacuum (verbose, analyze) t");
    assert_eq!(said[0], format!("INFO: vacuuming \"{database}.public.t\""));
    let lines: Vec<&str> = said[1].lines().collect();
    assert_eq!(lines[0], format!("INFO: finished vacuuming \"{database}.public.t\": index scans: 1"));
    assert!(lines[1].starts_with("pages: ") && lines[2].contains(" removed, 700 remain, "), "{lines:?}");
    assert!(lines[3].starts_with("index \"t_pkey\": pages: "), "{lines:?}");
    assert_eq!((said.len(), lines.len()), (4, 7));
}
