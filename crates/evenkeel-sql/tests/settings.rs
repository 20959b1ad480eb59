//! What a session begins with: settings of its role, its database and its client.

mod support;

use support::{Client, TestDb};

#[test]
fn settings_of_roles_databases_and_clients_are_found_and_go_over_one_another() {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok("alter role postgres set app.role_v = 'r'");
    c.ok("alter role postgres set application_name = 'role'");
    c.ok("alter role postgres set datestyle = 'german'");
    c.ok("alter database b set app.db_v = 'd'");
    let mut c = Client::new(&db.instance, &[("app.tenant", "42"), ("DateStyle", "SQL")]);
    for (name, value) in [
        ("app.role_v", "r"),
        ("app.db_v", "d"),
        ("app.tenant", "42"),
        ("application_name", "test"),
        ("DateStyle", "SQL, MDY"),
    ] {
        assert_eq!(c.value(&format!("select current_setting('{name}')")), value);
        assert_eq!(c.value(&format!("select current_setting('{name}', true)")), value);
        assert_eq!(c.value(&format!("show {name}")), value);
    }
    c.ok("set app.tenant = '43'");
    assert_eq!(c.value("select set_config('app.tenant', null, false)"), "42");
    assert_eq!(c.value("select current_setting('app.tenant')"), "42");
}

#[test]
fn pg_settings_says_whose_each_value_is_and_what_reset_sets() {
    let db = TestDb::new();
    let mut c = db.session();
    c.ok("alter role postgres set work_mem = '2MB'");
    c.ok("alter database b set datestyle = 'german'");
    c.ok("alter role postgres in database b set lock_timeout = '7s'");
    c.ok("alter role all set extra_float_digits = 0");
    let mut c = Client::new(&db.instance, &[("statement_timeout", "9s")]);
    c.ok("set search_path = 'x'");
    c.ok("set work_mem = '3MB'");
    let mut told = |name: &str| {
        let columns = "concat_ws('|', setting, reset_val, boot_val, source)";
        c.value(&format!("select {columns} from pg_settings where name = '{name}'"))
    };
    for (name, row) in [
        ("work_mem", "3072|2048|4096|session"),
        ("DateStyle", "German, DMY|German, DMY|ISO, MDY|database"),
        ("lock_timeout", "7000|7000|0|database user"),
        ("extra_float_digits", "0|0|1|global"),
        ("statement_timeout", "9000|9000|0|client"),
        ("search_path", "x|\"$user\", public|\"$user\", public|session"),
        ("idle_session_timeout", "0|0|0|default"),
    ] {
        assert_eq!(told(name), row, "{name}");
    }
}

#[test]
fn a_client_may_not_ask_for_what_is_the_servers() {
    let db = TestDb::new();
    let refused = |name: &str| Client::within(&db.instance, "template1", &[(name, "64MB")]).err().unwrap();
    let why = "parameter \"shared_buffers\" cannot be changed without restarting the server";
    assert_eq!(
        (refused("shared_buffers").code.as_str(), &*refused("shared_buffers").message),
        ("55P02", why)
    );
    assert_eq!(refused("max_wal_size").code.as_str(), "55P02");
    assert_eq!(refused("no_such").code.as_str(), "42704");
}
