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
