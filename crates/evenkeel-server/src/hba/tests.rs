//! Each kind of line, good and bad, and whom it lets in. Messages are PostgreSQL's.

use std::net::IpAddr;
use std::path::Path;

use super::*;

fn rules(text: &str) -> (Vec<Rule>, Vec<String>) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(RULES);
    std::fs::write(&path, text).unwrap();
    let (mut good, mut bad) = (Vec::new(), Vec::new());
    for line in lines::read(&path).unwrap() {
        match Rule::parse(&line) {
            Ok(rule) => good.push(rule),
            Err(e) => bad.push(e),
        }
    }
    (good, bad)
}

fn one(line: &str) -> Rule {
    let (mut good, bad) = rules(line);
    assert_eq!(bad, Vec::<String>::new(), "{line}");
    good.remove(0)
}

/// `user@database`, from where; a `!` in front: encrypted; a `~`: for replication.
fn visitor(text: &str) -> Visitor<'_> {
    let address = text.rsplit_once(' ').filter(|(_, from)| from.parse::<IpAddr>().is_ok());
    let (who, from) = address.unwrap_or((text, ""));
    let (user, database) = who.trim_start_matches(['!', '~']).split_once('@').unwrap();
    Visitor {
        address: (!from.is_empty()).then(|| from.parse().unwrap()),
        is_encrypted: who.starts_with('!') || who.starts_with("~!"),
        user,
        database,
        replication: who.starts_with('~'),
    }
}

fn machine() -> Vec<(IpAddr, IpAddr)> {
    let pair = |a: &str, m: &str| (a.parse().unwrap(), m.parse().unwrap());
    vec![pair("10.1.2.3", "255.255.255.0"), pair("fe80::1", "ffff:ffff:ffff:ffff::")]
}

/// ann is one of the staff; everybody is a member of himself.
fn member(user: &str, role: &str) -> bool {
    user == role || (user == "ann" && role == "staff")
}

#[test]
fn each_rule_fits_whom_it_names() {
    for (line, fits, others) in [
        ("local all all trust", &["a@d"][..], &["a@d 10.0.0.1", "~a@d"][..]),
        ("local d,e a,b trust", &["a@d", "b@e"], &["a@x", "x@d"]),
        ("host all all all trust", &["a@d 10.0.0.1", "!a@d ::1"], &["a@d"]),
        ("hostssl all all all trust", &["!a@d 10.0.0.1"], &["a@d 10.0.0.1", "a@d"]),
        ("hostnossl all all all trust", &["a@d 10.0.0.1"], &["!a@d 10.0.0.1"]),
        ("hostnogssenc all all all trust", &["a@d 10.0.0.1", "!a@d 10.0.0.1"], &["a@d"]),
        ("hostgssenc all all all trust", &[], &["a@d 10.0.0.1", "!a@d 10.0.0.1", "a@d"]),
        ("host all all 10.1.0.0/16 trust", &["a@d 10.1.255.1"], &["a@d 10.2.0.1", "a@d ::1"]),
        ("host all all 10.1.0.0 255.255.0.0 trust", &["a@d 10.1.255.1"], &["a@d 10.2.0.1"]),
        ("host all all 0.0.0.0/0 trust", &["a@d 1.2.3.4"], &["a@d ::1"]),
        ("host all all ::/0 trust", &["a@d ::1"], &["a@d 1.2.3.4"]),
        ("host all all 10.1.2.3/32 trust", &["a@d 10.1.2.3"], &["a@d 10.1.2.2"]),
        ("host all all fe80::/10 trust", &["a@d fe81::1"], &["a@d fec0::1"]),
        ("host all all samehost trust", &["a@d 10.1.2.3", "a@d fe80::1"], &["a@d 10.1.2.4"]),
        ("host all all samenet trust", &["a@d 10.1.2.4", "a@d fe80::9"], &["a@d 10.1.3.4", "a@d fe81::"]),
        ("local all +staff trust", &["ann@d", "staff@d"], &["bob@d", "+staff@d"]),
        ("local all \"+staff\" trust", &["+staff@d"], &["ann@d"]),
        ("local samerole all trust", &["ann@staff"], &["ann@d", "bob@staff"]),
        ("local samegroup all trust", &["ann@staff"], &["ann@ann2"]),
        ("local sameuser all trust", &["a@a"], &["a@d"]),
        ("local \"sameuser\" all trust", &["a@sameuser"], &["a@a"]),
        ("local \"all\" \"all\" trust", &["all@all"], &["a@all", "all@d"]),
        ("local replication all trust", &["~a@d", "~a@"], &["a@d", "a@replication"]),
        ("local \"replication\" all trust", &["a@replication"], &["~a@replication"]),
        ("local /^db\\d+$ /^a.*z$ trust", &["abz@db12"], &["abz@db", "abzx@db1", "xabz@db1"]),
        ("local \"/^a b\" all trust", &["a@a bc"], &["a@ab"]),
        ("local \"A b\" all trust", &["a@A b"], &["a@a b"]),
    ] {
        let rule = [one(line)];
        for who in fits {
            assert!(find(&rule, &visitor(who), &machine, &member).is_ok(), "{line}: {who}");
        }
        for who in others {
            assert!(find(&rule, &visitor(who), &machine, &member).is_err(), "{line}: {who}");
        }
    }
}

#[test]
fn the_first_that_fits_decides() {
    let (all, bad) = rules("local all bad reject\nlocal all all trust\nhost d all 10.0.0.0/8 reject\n");
    assert!(bad.is_empty());
    assert!(find(&all, &visitor("a@d"), &machine, &member).is_ok());
    for (who, message) in [
        (
            "bad@d",
            "pg_hba.conf rejects connection for host \"[local]\", user \"bad\", database \"d\", no encryption",
        ),
        (
            "!a@d 10.0.0.1",
            "pg_hba.conf rejects connection for host \"10.0.0.1\", user \"a\", database \"d\", SSL encryption",
        ),
        (
            "a@e 10.0.0.1",
            "no pg_hba.conf entry for host \"10.0.0.1\", user \"a\", database \"e\", no encryption",
        ),
        (
            "~a@d ::1",
            "no pg_hba.conf entry for replication connection from host \"::1\", user \"a\", no encryption",
        ),
    ] {
        let e = find(&all, &visitor(who), &machine, &member).unwrap_err();
        assert_eq!((e.message.as_str(), e.code.as_str(), e.severity_fatal), (message, "28000", true));
    }
    let (all, _) = rules("local replication all reject");
    let e = find(&all, &visitor("~a@d"), &machine, &member).unwrap_err();
    assert_eq!(
        e.message,
        "pg_hba.conf rejects replication connection for host \"[local]\", user \"a\", no encryption"
    );
}

#[test]
fn what_is_wrong_is_told_in_postgresqls_words() {
    for (line, expected) in [
        ("locall all all trust", "invalid connection type \"locall\""),
        ("local,host all all trust", "multiple values specified for connection type"),
        ("local", "end-of-line before database specification"),
        ("local all", "end-of-line before role specification"),
        ("local all all", "end-of-line before authentication method"),
        ("host all all", "end-of-line before IP address specification"),
        ("host all all 1.2.3.4,1.2.3.5 trust", "multiple values specified for host address"),
        ("host all all 1.2.3.4", "end-of-line before netmask specification"),
        ("host all all 1.2.3.4 255.0.0.0,255.0.0.0 trust", "multiple values specified for netmask"),
        ("host all all 1.2.3.4 trust", "invalid IP mask \"trust\""),
        ("host all all 1.2.3.4 ffff:: trust", "IP address and mask do not match"),
        ("host all all 1.2.3.4/33 trust", "invalid CIDR mask in address \"1.2.3.4/33\""),
        ("host all all 1.2.3.4/x trust", "invalid CIDR mask in address \"1.2.3.4/x\""),
        ("host all all ::1/129 trust", "invalid CIDR mask in address \"::1/129\""),
        (
            "host all all a.example/8 trust",
            "specifying both host name and CIDR mask is invalid: \"a.example/8\"",
        ),
        ("host all all a.example trust", "host names are not supported by this build: \"a.example\""),
        ("local all all trust,reject", "multiple values specified for authentication type"),
        ("local all all open", "invalid authentication method \"open\""),
        ("host all all all ident", "invalid authentication method \"ident\": not supported by this build"),
        ("host all all all ldap", "invalid authentication method \"ldap\": not supported by this build"),
        ("host all all all peer", "peer authentication is only supported on local sockets"),
        ("host all all all cert", "cert authentication is only supported on hostssl connections"),
        ("local all all peer x", "authentication option not in name=value format: x"),
        ("local all all peer x=1", "unrecognized authentication option name: \"x\""),
        (
            "local all all trust map=m",
            "authentication option \"map\" is only valid for authentication methods ident, peer, gssapi, sspi, cert, and oauth",
        ),
        (
            "host all all all trust clientcert=verify-ca",
            "clientcert can only be configured for \"hostssl\" rows",
        ),
        ("hostssl all all all trust clientcert=1", "invalid value for clientcert: \"1\""),
        (
            "hostssl all all all cert clientcert=verify-ca",
            "clientcert only accepts \"verify-full\" when using \"cert\" authentication",
        ),
        ("host all all all trust clientname=CN", "clientname can only be configured for \"hostssl\" rows"),
        ("hostssl all all all cert clientname=x", "invalid value for clientname: \"x\""),
    ] {
        assert_eq!(rules(line).1, [expected], "{line}");
    }
    assert!(rules("local /( all trust").1[0].starts_with("invalid regular expression \"(\": "));
}

fn maps(text: &str) -> (Vec<Mapping>, Vec<String>) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(MAPS);
    std::fs::write(&path, text).unwrap();
    let all: Vec<_> = lines::read(&path).unwrap().iter().map(Mapping::parse).collect();
    let (good, bad): (Vec<_>, Vec<_>) = all.into_iter().partition(Result::is_ok);
    (good.into_iter().flatten().collect(), bad.into_iter().filter_map(Result::err).collect())
}

#[test]
fn maps_say_who_somebody_may_be() {
    let (all, bad) = maps(
        "m root postgres\nm root bob\nm /^(.*)@example\\.org$ \\1\nm /^x guest\nm any all\nm q /^r\nm s +staff\nn root \"all\"\n",
    );
    assert!(bad.is_empty(), "{bad:?}");
    for (map, system_user, user, expected) in [
        ("m", "root", "postgres", true),
        ("m", "root", "bob", true),
        ("m", "root", "root", false),
        ("m", "ann@example.org", "ann", true),
        ("m", "ann@example.com", "ann", false),
        ("m", "ann@example.org", "bob", false),
        ("m", "xyz", "guest", true),
        ("m", "any", "whoever", true),
        ("m", "q", "rx", true),
        ("m", "q", "x", false),
        ("m", "s", "ann", true),
        ("m", "s", "bob", false),
        ("n", "root", "all", true),
        ("n", "root", "bob", false),
        ("o", "root", "root", false),
    ] {
        assert_eq!(
            may_be(&all, Some(map), system_user, user, &member),
            expected,
            "{map} {system_user} {user}"
        );
    }
    assert!(may_be(&all, None, "ann", "ann", &member) && !may_be(&all, None, "ann", "bob", &member));
    assert_eq!(
        maps("a\na b\na b,c d\n").1,
        ["missing entry at end of line", "missing entry at end of line", "multiple values in ident field"]
    );
}

#[test]
fn a_file_with_an_error_is_not_taken_up() {
    let dir = tempfile::tempdir().unwrap();
    let load_text = |text: &str| {
        std::fs::write(dir.path().join(RULES), text).unwrap();
        load(Some(dir.path()), false).map(|rules| rules.map(|rules| rules.len()))
    };
    assert_eq!(load(Some(dir.path()), false).unwrap().map(|rules| rules.len()), None);
    assert_eq!(load_text("local all all trust\nhostssl all all all trust\n").unwrap(), Some(2));
    assert!(load_text("local all all trust\nlocal\n").is_err());
    let e = load_text("# nothing\n").unwrap_err().to_string();
    assert_eq!(e, format!("could not load {}", dir.path().join(RULES).display()));
    assert!(load(None, false).unwrap().is_none());
}

#[test]
fn the_views_have_a_row_for_each_line() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(
        dir.path().join(RULES),
        "local all \"a b\",/x peer map=m\nnonsense\nhostssl d all 10.0.0.0/8 cert\nhost all all samenet md5\n",
    )
    .unwrap();
    let rows = shown(Some(dir.path()), true);
    let brief = |r: &HbaShown| {
        let all = |texts: &Option<Vec<String>>| texts.clone().unwrap_or_default().join("|");
        format!(
            "{:?} {} {} [{}] [{}] {} {} {} [{}] {}",
            r.number,
            r.line,
            r.kind.clone().unwrap_or_default(),
            all(&r.databases),
            all(&r.users),
            r.address.clone().unwrap_or_default(),
            r.netmask.clone().unwrap_or_default(),
            r.method.clone().unwrap_or_default(),
            all(&r.options),
            r.error.clone().unwrap_or_default()
        )
    };
    let rows: Vec<String> = rows.iter().map(brief).collect();
    assert_eq!(
        rows,
        [
            "Some(1) 1 local [all] [a b|/x]   peer [map=m] ",
            "None 2  [] []    [] invalid connection type \"nonsense\"",
            "Some(2) 3 hostssl [d] [all] 10.0.0.0 255.0.0.0 cert [clientcert=verify-full] ",
            "Some(3) 4 host [all] [all] samenet  md5 [] ",
        ]
    );
    let off = shown(Some(dir.path()), false);
    assert_eq!(off[2].error.as_deref(), Some("hostssl record cannot match because SSL is disabled"));
    assert!(off[2].kind.is_some() && off[2].number.is_none());
    assert!(shown(Some(Path::new("/none")), true).is_empty());
    std::fs::write(dir.path().join(MAPS), "m a b\nm\n").unwrap();
    let rows = maps_shown(Some(dir.path()));
    assert_eq!((rows[0].number, rows[0].user.as_deref()), (Some(1), Some("b")));
    assert_eq!((rows[1].number, rows[1].error.as_deref()), (None, Some("missing entry at end of line")));
}

/// Never a panic, whatever the files have.
#[test]
fn noise_is_read_to_its_end() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(RULES);
    let mut random = fastrand::Rng::with_seed(7);
    let pieces = [
        "local",
        "host",
        "hostssl",
        "all",
        "\"",
        "\"\"",
        ",",
        "@",
        "@x",
        "#",
        "\\\n",
        "\\",
        "\n",
        " ",
        "\t",
        "/",
        "/(",
        "/a*",
        "+",
        "10.0.0.0/8",
        "::1/128",
        "1.2.3.4",
        "255.0.0.0",
        "/33",
        "samenet",
        "trust",
        "cert",
        "map=",
        "=",
        "clientcert=verify-ca",
        "include",
        "include_dir",
        ".",
        "é",
        "\r",
        "x",
        "replication",
        "m",
        "\\1",
    ];
    for _ in 0..3_000 {
        let text: String = (0..random.usize(0..40)).map(|_| pieces[random.usize(0..pieces.len())]).collect();
        std::fs::write(&path, &text).unwrap();
        let Ok(lines) = lines::read(&path) else { continue };
        for line in &lines {
            let (rule, mapping) = (Rule::parse(line), Mapping::parse(line));
            let _ = (Rule::shown(line, &rule, None, true), Mapping::shown(line, &mapping, None));
            if let Ok(rule) = rule {
                let _ = find(&[rule], &visitor("a@d 10.0.0.1"), &machine, &member);
            }
            if let Ok(mapping) = mapping {
                may_be(&[mapping], Some("m"), "a", "b", &member);
            }
        }
    }
}
