//! A line of `pg_hba.conf` as a rule.
//!
//! Invariants
//! 1. What is not understood, or cannot be kept to, is an error: no part of a rule is passed over.
//!
//! It must not know clients.

use std::net::IpAddr;

use evenkeel_sql::HbaShown;

use super::lines::{Field, Line, Token};
use super::names::Name;

/// Connections that a rule is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Local,
    Host,
    HostSsl,
    HostNoSsl,
    /// There is no such encryption here: it meets nobody,
    HostGssEnc,
    /// and this one everybody on a network.
    HostNoGssEnc,
}

/// Where from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// By a Unix socket, or from anywhere.
    All,
    SameHost,
    SameNet,
    Net(IpAddr, IpAddr),
}

/// How clients show who they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    Trust,
    Reject,
    Peer,
    /// Also where `md5` is asked for: as PostgreSQL with such verifiers.
    Scram,
    Md5,
    Password,
    Cert,
}

/// What a client's certificate has to show, beside that it is good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClientCert {
    /// None is needed.
    Off,
    /// That there is one.
    Ca,
    /// The user's name.
    Full,
}

/// One rule.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub file: String,
    pub line: usize,
    /// As it stands in the file.
    pub raw: String,
    pub kind: Kind,
    pub databases: Vec<Name>,
    pub users: Vec<Name>,
    pub place: Place,
    pub method: Method,
    pub map: Option<String>,
    pub client_cert: ClientCert,
    /// The name in a certificate is its whole subject.
    pub by_dn: bool,
}

/// What PostgreSQL has and this server has not.
const OTHER_METHODS: [&str; 9] = ["ident", "gss", "sspi", "pam", "bsd", "ldap", "radius", "oauth", "gssapi"];

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Local => "local",
            Kind::Host => "host",
            Kind::HostSsl => "hostssl",
            Kind::HostNoSsl => "hostnossl",
            Kind::HostGssEnc => "hostgssenc",
            Kind::HostNoGssEnc => "hostnogssenc",
        }
    }
}

impl Method {
    pub fn name(self) -> &'static str {
        match self {
            Method::Trust => "trust",
            Method::Reject => "reject",
            Method::Peer => "peer",
            Method::Scram => "scram-sha-256",
            Method::Md5 => "md5",
            Method::Password => "password",
            Method::Cert => "cert",
        }
    }
}

impl Rule {
    pub fn parse(line: &Line) -> Result<Rule, String> {
        if let Some(e) = &line.error {
            return Err(e.clone());
        }
        let mut fields = line.fields.iter();
        let kind = one(fields.next(), "", "multiple values specified for connection type")?;
        let kind = match kind.text.as_str() {
            "local" => Kind::Local,
            "host" => Kind::Host,
            "hostssl" => Kind::HostSsl,
            "hostnossl" => Kind::HostNoSsl,
            "hostgssenc" => Kind::HostGssEnc,
            "hostnogssenc" => Kind::HostNoGssEnc,
            other => return Err(format!("invalid connection type \"{other}\"")),
        };
        let databases = fields.next().ok_or("end-of-line before database specification")?;
        let databases = names(databases)?;
        let users = names(fields.next().ok_or("end-of-line before role specification")?)?;
        let place = if kind == Kind::Local { Place::All } else { place(&mut fields)? };

        let method = one(
            fields.next(),
            "end-of-line before authentication method",
            "multiple values specified for authentication type",
        )?;
        let method = match method.text.as_str() {
            "trust" => Method::Trust,
            "reject" => Method::Reject,
            "peer" => Method::Peer,
            "ident" if kind == Kind::Local => Method::Peer,
            "scram-sha-256" => Method::Scram,
            "md5" => Method::Md5,
            "password" => Method::Password,
            "cert" => Method::Cert,
            other if OTHER_METHODS.contains(&other) => {
                return Err(format!(
                    "invalid authentication method \"{other}\": not supported by this build"
                ));
            }
            other => return Err(format!("invalid authentication method \"{other}\"")),
        };
        if method == Method::Peer && kind != Kind::Local {
            return Err("peer authentication is only supported on local sockets".into());
        }
        if method == Method::Cert && kind != Kind::HostSsl {
            return Err("cert authentication is only supported on hostssl connections".into());
        }
        let mut rule = Rule {
            file: line.file.display().to_string(),
            line: line.number,
            raw: line.raw.clone(),
            kind,
            databases,
            users,
            place,
            method,
            map: None,
            client_cert: if method == Method::Cert { ClientCert::Full } else { ClientCert::Off },
            by_dn: false,
        };
        for token in fields.flatten() {
            let Some((name, value)) = token.text.split_once('=') else {
                return Err(format!("authentication option not in name=value format: {}", token.text));
            };
            rule.option(name, value)?;
        }
        Ok(rule)
    }

    fn option(&mut self, name: &str, value: &str) -> Result<(), String> {
        let on_hostssl = |name: &str| match self.kind {
            Kind::HostSsl => Ok(()),
            _ => Err(format!("{name} can only be configured for \"hostssl\" rows")),
        };
        match (name, value) {
            ("map", _) if !matches!(self.method, Method::Peer | Method::Cert) => {
                return Err("authentication option \"map\" is only valid for authentication methods ident, peer, gssapi, sspi, cert, and oauth".into());
            }
            ("map", map) => self.map = Some(map.to_owned()),
            ("clientcert", value) => {
                on_hostssl(name)?;
                self.client_cert = match value {
                    "verify-full" => ClientCert::Full,
                    "verify-ca" if self.method == Method::Cert => {
                        return Err(
                            "clientcert only accepts \"verify-full\" when using \"cert\" authentication"
                                .into(),
                        );
                    }
                    "verify-ca" => ClientCert::Ca,
                    other => return Err(format!("invalid value for clientcert: \"{other}\"")),
                };
            }
            ("clientname", value) => {
                on_hostssl(name)?;
                self.by_dn = match value {
                    "CN" => false,
                    "DN" => true,
                    other => return Err(format!("invalid value for clientname: \"{other}\"")),
                };
            }
            _ => return Err(format!("unrecognized authentication option name: \"{name}\"")),
        }
        Ok(())
    }

    /// What keeps it from ever meeting a client, if anything does: told, but no error.
    pub fn idle(&self, ssl: bool) -> Option<String> {
        match self.kind {
            Kind::HostSsl if !ssl => Some("hostssl record cannot match because SSL is disabled".into()),
            Kind::HostGssEnc => {
                Some("hostgssenc record cannot match because GSSAPI is not supported by this build".into())
            }
            _ => None,
        }
    }

    /// As the view has a line.
    pub fn shown(line: &Line, parsed: &Result<Rule, String>, number: Option<i32>, ssl: bool) -> HbaShown {
        let place = HbaShown {
            number,
            file: line.file.display().to_string(),
            line: line.number as i32,
            ..HbaShown::default()
        };
        let rule = match parsed {
            Ok(rule) => rule,
            Err(e) => return HbaShown { error: Some(e.clone()), ..place },
        };
        let texts = |names: &[Name]| Some(names.iter().map(|n| n.token.text.clone()).collect());
        let (address, netmask) = match &rule.place {
            _ if rule.kind == Kind::Local => (None, None),
            Place::All => (Some("all".to_owned()), None),
            Place::SameHost => (Some("samehost".to_owned()), None),
            Place::SameNet => (Some("samenet".to_owned()), None),
            Place::Net(address, mask) => (Some(address.to_string()), Some(mask.to_string())),
        };
        let mut options = Vec::new();
        options.extend(rule.map.as_ref().map(|map| format!("map={map}")));
        match rule.client_cert {
            ClientCert::Off => {}
            ClientCert::Ca => options.push("clientcert=verify-ca".into()),
            ClientCert::Full => options.push("clientcert=verify-full".into()),
        }
        HbaShown {
            kind: Some(rule.kind.name().into()),
            databases: texts(&rule.databases),
            users: texts(&rule.users),
            address,
            netmask,
            method: Some(rule.method.name().into()),
            options: (!options.is_empty()).then_some(options),
            error: rule.idle(ssl),
            ..place
        }
    }
}

fn names(field: &Field) -> Result<Vec<Name>, String> {
    field.iter().map(Name::new).collect()
}

fn one<'a>(field: Option<&'a Field>, missing: &str, many: &str) -> Result<&'a Token, String> {
    match field.map(Vec::as_slice) {
        None | Some([]) => Err(missing.to_owned()),
        Some([one]) => Ok(one),
        Some(_) => Err(many.to_owned()),
    }
}

/// Address and mask.
fn place<'a>(fields: &mut impl Iterator<Item = &'a Field>) -> Result<Place, String> {
    let token = one(
        fields.next(),
        "end-of-line before IP address specification",
        "multiple values specified for host address",
    )?;
    if token.is_keyword("all") {
        return Ok(Place::All);
    } else if token.is_keyword("samehost") {
        return Ok(Place::SameHost);
    } else if token.is_keyword("samenet") {
        return Ok(Place::SameNet);
    }
    let text = token.text.as_str();
    let (address, length) = match text.split_once('/') {
        Some((address, length)) => (address, Some(length)),
        None => (text, None),
    };
    let Ok(address) = address.parse::<IpAddr>() else {
        // A name, for PostgreSQL: who claims it would have to be looked up, there and back.
        return Err(match length {
            Some(_) if address.parse::<std::net::Ipv4Addr>().is_err() && is_name(address) => {
                format!("specifying both host name and CIDR mask is invalid: \"{text}\"")
            }
            None if is_name(address) => format!("host names are not supported by this build: \"{text}\""),
            _ => format!("invalid IP address \"{text}\""),
        });
    };
    if let Some(length) = length {
        let wrong = || format!("invalid CIDR mask in address \"{text}\"");
        let bits: u32 = length.parse().map_err(|_| wrong())?;
        let mask = match address {
            IpAddr::V4(_) if bits <= 32 => IpAddr::V4(u32::MAX.checked_shl(32 - bits).unwrap_or(0).into()),
            IpAddr::V6(_) if bits <= 128 => IpAddr::V6(u128::MAX.checked_shl(128 - bits).unwrap_or(0).into()),
            _ => return Err(wrong()),
        };
        return Ok(Place::Net(address, mask));
    }
    let mask = one(
        fields.next(),
        "end-of-line before netmask specification",
        "multiple values specified for netmask",
    )?;
    let mask: IpAddr = mask.text.parse().map_err(|_| format!("invalid IP mask \"{}\"", mask.text))?;
    if mask.is_ipv4() != address.is_ipv4() {
        return Err("IP address and mask do not match".into());
    }
    Ok(Place::Net(address, mask))
}

fn is_name(text: &str) -> bool {
    text.chars().any(|c| c.is_ascii_alphabetic()) && !text.contains(':')
}
