//! File content that is cheap to copy.
//!
//! Duty: a sparse array of chunks, shared between copies until one of them changes a chunk.
//!
//! Invariants:
//!
//! 1. A chunk that is absent reads as zeros.
//! 2. Changing a copy never changes another one: chunks and nodes are copied before they are changed while shared.
//!
//! Must not know: durability, sectors, file lengths.

use std::sync::Arc;

/// The unit of sharing, in bytes.
pub(super) const CHUNK: usize = 4096;

pub(super) type Chunk = [u8; CHUNK];

/// Chunks to a node. A copy of a content costs its nodes, and a change to a shared one costs a copy of one node.
const NODE_CHUNKS: usize = 32;

type Node = [Option<Arc<Chunk>>; NODE_CHUNKS];

/// The chunks of one file.
#[derive(Clone, Debug, Default)]
pub(super) struct Content {
    nodes: Vec<Option<Arc<Node>>>,
}

impl Content {
    pub(super) fn get(&self, chunk: usize) -> Option<&Arc<Chunk>> {
        self.nodes.get(chunk / NODE_CHUNKS)?.as_ref()?[chunk % NODE_CHUNKS].as_ref()
    }

    pub(super) fn set(&mut self, chunk: usize, bytes: Option<Arc<Chunk>>) {
        if bytes.is_some() || self.get(chunk).is_some() {
            *self.slot_mut(chunk) = bytes;
        }
    }

    /// The bytes of a chunk, to be changed.
    pub(super) fn chunk_mut(&mut self, chunk: usize) -> &mut Chunk {
        Arc::make_mut(self.slot_mut(chunk).get_or_insert_with(|| Arc::new([0; CHUNK])))
    }

    /// Replaces a whole chunk, sharing the absent one if the bytes are all zero.
    pub(super) fn replace(&mut self, chunk: usize, bytes: &[u8]) {
        debug_assert_eq!(bytes.len(), CHUNK);
        if is_zero(bytes) {
            self.set(chunk, None);
            return;
        }
        let slot = self.slot_mut(chunk);
        match slot.as_mut().and_then(Arc::get_mut) {
            Some(unshared) => unshared.copy_from_slice(bytes),
            None => {
                let shared: Arc<[u8]> = Arc::from(bytes);
                *slot = Some(shared.try_into().expect("a slice of one chunk"));
            }
        }
    }

    /// Zeros everything from a byte on.
    pub(super) fn zero_from(&mut self, byte: u64) {
        let first = (byte / CHUNK as u64) as usize;
        let within = (byte % CHUNK as u64) as usize;
        let mut whole = first;
        if within > 0 {
            whole += 1;
            if self.get(first).is_some_and(|chunk| !is_zero(&chunk[within..])) {
                self.chunk_mut(first)[within..].fill(0);
            }
        }
        self.nodes.truncate(whole.div_ceil(NODE_CHUNKS));
        let last_node = whole / NODE_CHUNKS;
        if let Some(Some(node)) = self.nodes.get_mut(last_node) {
            let rest = whole % NODE_CHUNKS..;
            if node[rest.clone()].iter().any(Option::is_some) {
                Arc::make_mut(node)[rest].fill(None);
            }
        }
    }

    /// Copies bytes out.
    pub(super) fn read(&self, offset: u64, buf: &mut [u8]) {
        let mut at = offset;
        let mut rest = buf;
        while !rest.is_empty() {
            let (chunk, within) = ((at / CHUNK as u64) as usize, (at % CHUNK as u64) as usize);
            let count = (CHUNK - within).min(rest.len());
            let (part, after) = rest.split_at_mut(count);
            match self.get(chunk) {
                Some(bytes) => part.copy_from_slice(&bytes[within..within + count]),
                None => part.fill(0),
            }
            at += count as u64;
            rest = after;
        }
    }

    /// The numbers of the chunks that are present, from one on.
    pub(super) fn present_from(&self, first: usize) -> impl Iterator<Item = usize> + '_ {
        let nodes = self.nodes.iter().enumerate().skip(first / NODE_CHUNKS);
        nodes
            .filter_map(|(number, node)| Some((number, node.as_ref()?)))
            .flat_map(|(number, node)| {
                let chunks = node.iter().enumerate().filter(|(_, chunk)| chunk.is_some());
                chunks.map(move |(slot, _)| number * NODE_CHUNKS + slot)
            })
            .filter(move |chunk| *chunk >= first)
    }

    fn slot_mut(&mut self, chunk: usize) -> &mut Option<Arc<Chunk>> {
        let number = chunk / NODE_CHUNKS;
        if number >= self.nodes.len() {
            self.nodes.resize(number + 1, None);
        }
        let node = self.nodes[number].get_or_insert_with(|| Arc::new([const { None }; NODE_CHUNKS]));
        &mut Arc::make_mut(node)[chunk % NODE_CHUNKS]
    }
}

fn is_zero(bytes: &[u8]) -> bool {
    bytes.chunks(64).all(|part| part.iter().fold(0, |all, byte| all | byte) == 0)
}
