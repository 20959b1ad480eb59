//! Abbreviations of time zones, in input and after AT TIME ZONE: those of the session's own zone, then those that everybody knows.
//!
//! The list is PostgreSQL's default one (`timezone_abbreviations = 'Default'`). Most stand for an offset; some zones changed theirs in the course of time, so that what `MSK` means depends on when.
//!
//! Must not know: how dates and times are spelled.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::LazyLock;

use jiff::Timestamp;
use jiff::tz::{Offset, TimeZone};

use super::calendar::{Fields, US_PER_DAY, US_PER_SECOND};
use super::zone::{instant, is_dst_at, named_timezone, offset_at, offset_of_local};

/// Seconds east, and what stands for them.
#[rustfmt::skip]
const FIXED: &[(i32, &str)] = &[
    (-36000, "hst taht"),
    (-34200, "mart"),
    (-32400, "akst gamt"),
    (-28800, "akdt pst"),
    (-25200, "mst pdt"),
    (-21600, "cst galt mdt"),
    (-18000, "act cdt cot est pet"),
    (-14400, "amt ast bot edt"),
    (-12600, "nft nst"),
    (-10800, "adt bra brt clst gft pmst pyst uyt wgt"),
    (-9000, "ndt"),
    (-7200, "brst fnt pmdt uyst wgst"),
    (-3600, "azot egt fnst"),
    (0, "azost egst gmt uct ut utc wet z zulu"),
    (3600, "bst cet met mez wat wetdst"),
    (7200, "bdst cest cetdst eet ist mest mesz metdst sast"),
    (10800, "eat eest eetdst fet idt"),
    (12600, "irt"),
    (14400, "msd mut ret sct"),
    (16200, "aft"),
    (18000, "must mvt pkt tft tjt uzt"),
    (20700, "npt"),
    (21600, "almt bdt btt kgst pkst uzst xjt yekst"),
    (23400, "mmt"),
    (25200, "almst cxt ict wast"),
    (28800, "awst bnt bort cct hkt myt pht wadt"),
    (31500, "acwst"),
    (32400, "awsst jayt jst kst pwt ulast wdt"),
    (34200, "acst cast"),
    (36000, "aest chut ddut kdt ligt mpt pgt trut yapt"),
    (37800, "acdt acsst cadt lhst sadt"),
    (39600, "aedt aesst pont vut"),
    (43200, "fjt gilt mht nzst nzt tvt wakt wft"),
    (45900, "chast"),
    (46800, "fjst nzdt tot"),
    (49500, "chadt"),
];

/// Those of [`FIXED`] that are of summer time.
#[rustfmt::skip]
const SUMMER: &str = "acdt acsst adt aedt aesst akdt almst awsst azost bdst brst bst cadt cdt cest cetdst chadt clst edt \
     eest eetdst egst fjst fnst idt kdt kgst mdt mest mesz metdst msd must ndt nzdt pdt pkst pmdt pyst \
     sadt ulast uyst uzst wadt wdt wetdst wgst yekst";

/// Zones, and their abbreviations whose offset changed.
#[rustfmt::skip]
const VARYING: &[(&str, &str)] = &[
    ("America/Argentina/Buenos_Aires", "arst art"),
    ("America/Asuncion", "pyt"),
    ("America/Caracas", "vet"),
    ("America/Guyana", "gyt"),
    ("America/Santiago", "clt"),
    ("Antarctica/Davis", "davt"),
    ("Antarctica/Mawson", "mawt"),
    ("Asia/Anadyr", "anast anat"),
    ("Asia/Ashgabat", "tmt"),
    ("Asia/Baku", "azst azt"),
    ("Asia/Bishkek", "kgt"),
    ("Asia/Colombo", "lkt"),
    ("Asia/Irkutsk", "irkst irkt"),
    ("Asia/Kamchatka", "petst pett"),
    ("Asia/Krasnoyarsk", "krast krat"),
    ("Asia/Magadan", "magst magt"),
    ("Asia/Novosibirsk", "novst novt"),
    ("Asia/Omsk", "omsst omst"),
    ("Asia/Singapore", "sgt"),
    ("Asia/Tbilisi", "gest get"),
    ("Asia/Ulaanbaatar", "ulat"),
    ("Asia/Vladivostok", "vlast vlat"),
    ("Asia/Yakutsk", "yakst yakt"),
    ("Asia/Yekaterinburg", "yekt"),
    ("Asia/Yerevan", "amst"),
    ("Atlantic/Stanley", "fkst fkt"),
    ("Australia/Lord_Howe", "lhdt"),
    ("Europe/Moscow", "msk"),
    ("Europe/Volgograd", "volt"),
    ("Indian/Chagos", "iot"),
    ("Pacific/Easter", "easst east"),
    ("Pacific/Fakaofo", "tkt"),
    ("Pacific/Kiritimati", "lint"),
    ("Pacific/Kosrae", "kost"),
    ("Pacific/Niue", "nut"),
    ("Pacific/Rarotonga", "ckt"),
];

/// What an abbreviation stands for.
#[derive(Clone, Copy)]
enum Meaning {
    /// Seconds east.
    Offset(i32),
    /// Whatever it did in this zone at that time.
    In(&'static str),
}

static KNOWN: LazyLock<HashMap<&str, Meaning>> = LazyLock::new(|| {
    let fixed = FIXED.iter().flat_map(|(o, names)| names.split(' ').map(|n| (n, Meaning::Offset(*o))));
    let varying = VARYING.iter().flat_map(|(zone, names)| names.split(' ').map(|n| (n, Meaning::In(zone))));
    fixed.chain(varying).collect()
});

/// What a zone's clocks are called, and seconds east then; none if it has other offsets under that name as well.
type Own = Vec<(String, Option<i32>)>;

thread_local! {
    /// Of the zone that was asked for last.
    static OWN: RefCell<(String, Own)> = const { RefCell::new((String::new(), Vec::new())) };
}

/// The last instant for which zones' transitions are looked at one by one: what comes later repeats.
fn horizon() -> Timestamp {
    Timestamp::constant(2_145_916_800, 0) // 2038
}

fn own(zone: &TimeZone) -> Own {
    let mut own: Own = Vec::new();
    let mut add = |name: &str, seconds: i32| match own.iter_mut().find(|o| o.0 == name) {
        Some(known) if known.1 == Some(seconds) => {}
        Some(known) => known.1 = None,
        None => own.push((name.to_owned(), Some(seconds))),
    };
    for t in zone.preceding(horizon()) {
        add(t.abbreviation(), t.offset().seconds());
    }
    let first = zone.to_offset_info(Timestamp::MIN);
    add(first.abbreviation(), first.offset().seconds());
    own
}

/// A time zone as it was named: where its clocks were set otherwise under the same abbreviation, that is taken into account.
#[derive(Clone, Debug)]
pub struct NamedZone {
    zone: TimeZone,
    /// Upper case.
    abbreviation: Option<String>,
}

impl NamedZone {
    /// What a text denotes that may be an abbreviation or a zone's name.
    pub fn of(text: &str, session: &TimeZone) -> Option<NamedZone> {
        NamedZone::abbreviated(text, session).or_else(|| {
            let (zone, _) = named_timezone(text)?;
            Some(zone.into())
        })
    }

    /// What an abbreviation denotes.
    pub fn abbreviated(text: &str, session: &TimeZone) -> Option<NamedZone> {
        if text.is_empty() || text.len() > 10 || !text.bytes().all(|b| b.is_ascii_alphabetic()) {
            return None;
        }
        let upper = text.to_ascii_uppercase();
        let fixed = |seconds: i32| Offset::from_seconds(seconds).ok().map(|o| TimeZone::fixed(o).into());
        if let Some(name) = session.iana_name() {
            let found = OWN.with_borrow_mut(|(of, list)| {
                if of != name {
                    (*of, *list) = (name.to_owned(), own(session));
                }
                list.iter().find(|o| o.0 == upper).map(|o| o.1)
            });
            match found {
                Some(Some(seconds)) => return fixed(seconds),
                Some(None) => return Some(NamedZone { zone: session.clone(), abbreviation: Some(upper) }),
                None => {}
            }
        }
        match *KNOWN.get(&*text.to_ascii_lowercase())? {
            Meaning::Offset(seconds) => fixed(seconds),
            Meaning::In(zone) => Some(NamedZone { zone: named_timezone(zone)?.0, abbreviation: Some(upper) }),
        }
    }

    /// Whether it means the same at all times, as far as half a year tells.
    pub fn is_fixed(&self) -> bool {
        const STEP_DAYS: i64 = 182;
        let days = (-150 * 365..100 * 365).step_by(STEP_DAYS as usize);
        let first = offset_at(&self.zone, 0);
        self.abbreviation.is_none()
            && days.map(|day: i64| offset_at(&self.zone, day * US_PER_DAY)).all(|offset| offset == first)
    }

    /// The zone; whatever the abbreviation meant at other times is forgotten.
    pub fn into_zone(self) -> TimeZone {
        self.zone
    }

    /// Seconds east at an instant, in microseconds since 2000-01-01 UTC.
    pub fn offset_at(&self, us: i64) -> i64 {
        self.meant(us).unwrap_or_else(|| offset_at(&self.zone, us))
    }

    /// Seconds east at a local time, as [`offset_of_local`].
    pub fn offset_of_local(&self, f: &Fields) -> i64 {
        let offset = offset_of_local(&self.zone, f);
        let local = f.timestamp().unwrap_or(0);
        self.meant(local.saturating_sub(offset * US_PER_SECOND)).unwrap_or(offset)
    }

    /// What the abbreviation meant when it was last used before, or else when it was first used after.
    fn meant(&self, us: i64) -> Option<i64> {
        meaning(&self.zone, self.abbreviation.as_deref()?, us).map(|(seconds, _)| seconds)
    }
}

/// Seconds east that an abbreviation meant in a zone when it was last used before an instant, or else when it was first used after; and whether that is
/// summer time.
fn meaning(zone: &TimeZone, name: &str, us: i64) -> Option<(i64, bool)> {
    let at = instant(us)?;
    let now = zone.to_offset_info(at);
    if now.abbreviation() == name {
        return Some((now.offset().seconds().into(), now.dst().is_dst()));
    }
    let before =
        zone.preceding(at).find(|t| t.abbreviation() == name).map(|t| (t.offset(), t.dst().is_dst()));
    let after = || {
        let mut later = zone.following(at).take_while(|t| t.timestamp() < horizon());
        later.find(|t| t.abbreviation() == name).map(|t| (t.offset(), t.dst().is_dst()))
    };
    let first = || {
        let first = zone.to_offset_info(Timestamp::MIN);
        (first.abbreviation() == name).then(|| (first.offset(), first.dst().is_dst()))
    };
    before.or_else(after).or_else(first).map(|(o, is_dst)| (o.seconds().into(), is_dst))
}

/// An abbreviation in upper case, seconds east, and whether it is summer time.
pub type Shown = (String, i64, bool);

/// The abbreviations of a zone, and what they mean at an instant.
pub fn of_zone(zone: &TimeZone, us: i64) -> Vec<Shown> {
    let is_plain = |name: &str| name.bytes().all(|b| b.is_ascii_uppercase());
    let names = own(zone).into_iter().map(|(name, _)| name).filter(|n| is_plain(n));
    names.filter_map(|n| meaning(zone, &n, us).map(|(seconds, is_dst)| (n, seconds, is_dst))).collect()
}

/// Those that everybody knows, in the order of their names, and what they mean at an instant.
pub fn known(us: i64) -> Vec<Shown> {
    let mut names: Vec<&str> = KNOWN.keys().copied().collect();
    names.sort_unstable();
    let shown = |name: &str| {
        let upper = name.to_ascii_uppercase();
        let (seconds, is_dst) = match KNOWN.get(name)? {
            Meaning::Offset(seconds) => ((*seconds).into(), SUMMER.split(' ').any(|n| n == name)),
            Meaning::In(zone) => {
                let zone = named_timezone(zone)?.0;
                // Rules of today may know it no more.
                meaning(&zone, &upper, us).unwrap_or_else(|| (offset_at(&zone, us), is_dst_at(&zone, us)))
            }
        };
        Some((upper, seconds, is_dst))
    };
    names.into_iter().filter_map(shown).collect()
}

/// What `pg_timezone_abbrevs` shows: those of a zone, and of the others those that everybody knows.
pub fn shown(zone: &TimeZone, us: i64) -> Vec<Shown> {
    let mut all = of_zone(zone, us);
    let others = known(us).into_iter().filter(|k| !all.iter().any(|o| o.0 == k.0));
    let others: Vec<Shown> = others.collect();
    all.extend(others);
    all.sort();
    all
}

impl From<TimeZone> for NamedZone {
    fn from(zone: TimeZone) -> NamedZone {
        NamedZone { zone, abbreviation: None }
    }
}
