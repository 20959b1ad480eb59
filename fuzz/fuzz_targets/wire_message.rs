//! Any bytes as the body of a client's message of any kind.
#![no_main]

use evenkeel_server::wire::frontend::Message;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((kind, body)) = data.split_first() else { return };
    match Message::decode(*kind, body) {
        Ok(Message::Parse(parse)) => assert!(parse.types().len() <= body.len()),
        Ok(Message::Bind(bind)) => {
            assert!(bind.parameter_bytes() <= body.len());
            let _ = bind.parameters().map(|(_, v)| v.map_or(0, <[u8]>::len)).sum::<usize>();
            (0..bind.result_format_count().min(100)).for_each(|i| {
                let _ = bind.result_is_binary(i);
            });
        }
        _ => {}
    }
});
