//! The server's certificate.

use std::path::Path;

use evenkeel_client::certificate::Certificate;
use evenkeel_server::server_certificates;
use evenkeel_server::settings::Id;

use super::Findings;
use crate::config::Config;

const DAY_S: u64 = 86_400;

pub(super) fn look(data: &Path, config: &Config, f: &mut Findings<'_>) {
    if config.server.number(Id::Ssl) == 0 {
        return;
    }
    let chain = match server_certificates(&config.server, Some(data)) {
        Ok(chain) => chain,
        Err(e) => {
            f.wrong(e.to_string(), "evenkeel tls create makes certificate and key; the server does not start, or keeps the old ones");
            return;
        }
    };
    let now_s = u64::try_from(jiff::Timestamp::now().as_second()).unwrap_or(0);
    for der in chain {
        match Certificate::parse(&der) {
            Ok(certificate) => age(&certificate.subject(), &|s| certificate.is_valid_at(s), now_s, f),
            Err(_) => f.wrong("a certificate cannot be read", "make it anew: evenkeel tls create"),
        }
    }
}

fn age(subject: &str, is_valid_at: &dyn Fn(u64) -> bool, now_s: u64, f: &mut Findings<'_>) {
    let remedy = "make a new one (evenkeel tls create, or your authority), then pg_reload_conf() or SIGHUP: sessions go on";
    if !is_valid_at(now_s) {
        f.wrong(format!("the certificate of {subject} is not valid now"), remedy);
        return;
    }
    match [1, 7, 30].into_iter().find(|days| !is_valid_at(now_s + days * DAY_S)) {
        Some(days) => f.warn(format!("the certificate of {subject} ends within {days} days"), remedy),
        None => f.good(format!("the certificate of {subject} is good for 30 days and more")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Level, found};
    use super::*;

    #[test]
    fn a_certificate_that_ends_is_told_before() {
        let of = |end_s| found(|f| age("x", &|s| s < end_s, 1000, f))[0].clone();
        assert_eq!(of(500).0, Level::Wrong);
        assert!(of(1000 + 5 * DAY_S).1.ends_with("within 7 days"));
        assert_eq!(of(1000 + 40 * DAY_S).0, Level::Good);
    }
}
