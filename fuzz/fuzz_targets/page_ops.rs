//! Any bytes as a page, then any bytes as operations on it: a page that passes the check is safe to use and stays so.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let (head, ops) = data.split_at(data.len().min(600));
    let mut page = vec![0u8; 8192];
    let half = head.len() / 2;
    page[..half].copy_from_slice(&head[..half]);
    let tail = head.len() - half;
    page[8192 - tail..].copy_from_slice(&head[half..]);
    if evenkeel::page::check(&page).is_err() {
        return;
    }
    let _ = evenkeel::page::hole(&page);
    if evenkeel::page::apply(&mut page, ops).is_ok() && evenkeel::page::check(&page).is_ok() {
        let view = evenkeel::page::Page(&page);
        if view.kind() == Some(evenkeel::page::Kind::Tree) {
            for slot in 0..view.slot_count() {
                let _ = evenkeel::btree::entry::parse(view.item(slot));
            }
            let _ = view.high();
        }
    }
});
