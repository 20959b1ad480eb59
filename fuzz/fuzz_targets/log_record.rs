//! Any bytes as a log record: decoded, its images restored, its operations applied and checked.
#![no_main]

use evenkeel::Lsn;
use evenkeel::wal::record::{Record, parse_frame};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = parse_frame(data);
    let Ok(record) = Record::decode(data, Lsn(1 << 40), Lsn((1 << 40) + 100)) else { return };
    let mut page = vec![0u8; 8192];
    for block in &record.blocks {
        if let Some(image) = &block.image {
            if image.restore(&mut page).is_err() || evenkeel::page::check(&page).is_err() {
                page.fill(0);
                continue;
            }
        }
        if evenkeel::page::apply(&mut page, block.ops).is_err() {
            page.fill(0);
        }
    }
});
