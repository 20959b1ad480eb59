//! Named groups of settings: the systems that threads A, B and D propose, as choices of one engine.
//!
//! Must not know: what the settings do.

use super::options::Options;
use crate::base::{Error, Result};

/// A named group of settings.
#[derive(Debug)]
pub struct Preset {
    /// Its name.
    pub name: &'static str,
    /// Whose system it is, and what it does; one sentence.
    pub description: &'static str,
    /// The settings that differ from the defaults.
    pub settings: &'static [(&'static str, &'static str)],
}

/// Buffered files and one cycle over all pages, in buffer order, synced at the end: what the others change a part of.
macro_rules! classic_with {
    ($($name:literal = $value:literal),* $(,)?) => {
        &[
            ("direct_io", "off"),
            ("checkpoint_flush_slowdown", "0"),
            ("checkpoint_forced_rate", "0"),
            $(($name, $value)),*
        ]
    };
}

/// All of them.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "evenkeel",
        description: "The defaults: partitions, sorted runs, unbuffered files, log flushes let pass.",
        settings: &[],
    },
    Preset {
        name: "classic",
        description: "One cycle over all pages in buffer order, synced at its end: PostgreSQL before 9.6.",
        settings: classic_with!(
            "checkpoint_partitions" = "1",
            "checkpoint_order" = "buffer",
            "checkpoint_flush_after" = "0"
        ),
    },
    Preset {
        name: "horikawa-2015",
        description: "S1: sixteen partitions in rounds, each in buffer order and synced at its end (thread A).",
        settings: classic_with!(
            "checkpoint_partitions" = "16",
            "checkpoint_order" = "buffer",
            "checkpoint_flush_after" = "0"
        ),
    },
    Preset {
        name: "coelho-sort-flush",
        description: "S2: sorted writes, and write-out asked for every 256 kB (thread A).",
        settings: classic_with!("checkpoint_partitions" = "1", "checkpoint_flush_after" = "256kB"),
    },
    Preset {
        name: "riggs-file-batches",
        description: "S3: files in sixteen batches, one sync a file some time after its last write (thread A).",
        settings: classic_with!(
            "checkpoint_partitions" = "1",
            "checkpoint_file_batches" = "16",
            "checkpoint_sync" = "per_file",
            "checkpoint_sync_delay" = "3s",
            "checkpoint_flush_after" = "0",
        ),
    },
    Preset {
        name: "vondra-phases",
        description: "S4: writes in the first half of the interval, syncs in the second (thread A).",
        settings: classic_with!(
            "checkpoint_partitions" = "1",
            "checkpoint_sync" = "phases",
            "checkpoint_completion_target" = "1",
            "checkpoint_flush_after" = "0",
        ),
    },
    Preset {
        name: "kondo-v3",
        description: "S19: a pause after each slow sync, as long as the sync (thread D).",
        settings: classic_with!(
            "checkpoint_partitions" = "1",
            "checkpoint_order" = "buffer",
            "checkpoint_sync" = "paced",
            "checkpoint_flush_after" = "0",
        ),
    },
    Preset {
        name: "kondo-v4",
        description: "S20: writes and syncs on one linear schedule (thread D).",
        settings: classic_with!(
            "checkpoint_partitions" = "1",
            "checkpoint_order" = "buffer",
            "checkpoint_sync" = "joint",
            "checkpoint_flush_after" = "0",
        ),
    },
    Preset {
        name: "bgwriter-full-scan",
        description: "S7: a share of all dirty pages, found by a scan of the whole pool (thread B, the baseline).",
        settings: &[("bgwriter_policy", "full_scan"), ("bgwriter_percent", "1"), ("bgwriter_delay", "200ms")],
    },
    Preset {
        name: "bgwriter-lru-percent",
        description: "S8: what is dirty in the next 2 % of the pool in eviction order (thread B).",
        settings: &[
            ("bgwriter_policy", "lru_percent"),
            ("bgwriter_percent", "2"),
            ("bgwriter_delay", "200ms"),
        ],
    },
    Preset {
        name: "bgwriter-lru-pages",
        description: "S9: the next 100 dirty pages in eviction order (thread B).",
        settings: &[
            ("bgwriter_policy", "lru_pages"),
            ("bgwriter_maxpages", "100"),
            ("bgwriter_delay", "200ms"),
        ],
    },
    Preset {
        name: "bgwriter-dirty-chain",
        description: "S10: dirty pages ahead of the hands, found without looking at clean ones (thread B); the default.",
        settings: &[("bgwriter_policy", "dirty_chain")],
    },
    Preset {
        name: "bgwriter-t2-only",
        description: "S11: only what is dirty among the pages used again (thread B).",
        settings: &[("bgwriter_policy", "t2_only")],
    },
    Preset {
        name: "bgwriter-two-speed",
        description: "S12: near the hands often, far towards the most recently used now and then (thread B).",
        settings: &[("bgwriter_policy", "two_speed")],
    },
];

impl Preset {
    /// The preset of this name; an error lists them.
    pub fn find(name: &str) -> Result<&'static Preset> {
        PRESETS.iter().find(|p| p.name.eq_ignore_ascii_case(name)).ok_or_else(|| {
            let names: Vec<&str> = PRESETS.iter().map(|p| p.name).collect();
            Error::InvalidArgument(format!("there is no preset \"{name}\"; there are {}", names.join(", ")))
        })
    }
}

impl Options {
    /// Sets the settings of a preset; others stay.
    pub fn set_preset(&mut self, name: &str) -> Result<&'static Preset> {
        let preset = Preset::find(name)?;
        for (name, value) in preset.settings {
            self.set(name, value)?;
        }
        Ok(preset)
    }
}

#[cfg(test)]
mod tests {
    use super::super::settings::{DEFS, parse};
    use super::*;
    use crate::settings::find;

    #[test]
    fn every_preset_names_settings_and_values_that_exist() {
        for preset in PRESETS {
            let mut options = Options::default();
            options.set_preset(preset.name).unwrap();
            let shown = options.settings();
            for (name, value) in preset.settings {
                let place = find(&DEFS, name).unwrap();
                let set = shown.iter().find(|s| s.name == *name).unwrap();
                assert_eq!(
                    set.value,
                    DEFS[place].print(&parse(place, value).unwrap()),
                    "{}: {name}",
                    preset.name
                );
            }
        }
    }

    #[test]
    fn an_unknown_preset_is_refused_with_the_names_there_are() {
        let e = Options::default().set_preset("postgres").unwrap_err().to_string();
        assert!(e.contains("postgres") && e.contains("kondo-v3"), "{e}");
    }
}
