//! The name of the user that the process runs as: the first time that a folder is served, it becomes a role.
//!
//! It must not know databases.

use std::fs::read_to_string;

/// The name of a user id in the form of `/etc/passwd`.
fn name_in(passwd: &str, uid: u32) -> Option<String> {
    passwd.lines().find_map(|line| {
        let mut fields = line.split(':');
        let (name, id) = (fields.next()?, fields.nth(1)?);
        (id.parse() == Ok(uid) && !name.is_empty()).then(|| name.to_owned())
    })
}

/// The user's name; None if it has none that the system's files or the environment tell.
pub(crate) fn os_user() -> Option<String> {
    let uid = rustix::process::geteuid().as_raw();
    let listed = read_to_string("/etc/passwd").ok().and_then(|passwd| name_in(&passwd, uid));
    listed.or_else(|| std::env::var("USER").ok().filter(|name| !name.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::name_in;

    #[test]
    fn a_user_is_found_by_its_number() {
        let passwd = "root:x:0:0:root:/root:/bin/sh\nann:x:1000:1000::/home/ann:/bin/sh\nbroken\n";
        assert_eq!(name_in(passwd, 1000).as_deref(), Some("ann"));
        assert_eq!(name_in(passwd, 0).as_deref(), Some("root"));
        assert_eq!(name_in(passwd, 7), None);
    }
}
