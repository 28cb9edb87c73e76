//! Bytes that streams hold until the peer has acknowledged them.

use std::sync::Arc;

use quiche::{BufFactory, BufSplit};

/// Bytes of a stream until the peer has acknowledged them. quiche drops them then.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    bytes: Arc<[u8]>,
    start: usize,
    end: usize,
    /// Shared by all pieces of a stream, which it counts.
    #[expect(dead_code, reason = "it is there to be dropped")]
    stream: Arc<()>,
}

impl Piece {
    /// Creates a piece with the mark of its stream.
    pub(crate) fn new(bytes: &[u8], stream: Arc<()>) -> Piece {
        Piece { bytes: bytes.into(), start: 0, end: bytes.len(), stream }
    }
}

impl AsRef<[u8]> for Piece {
    fn as_ref(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }
}

impl BufSplit for Piece {
    fn split_at(&mut self, at: usize) -> Piece {
        let rest = Piece { start: self.start + at, ..self.clone() };
        self.end = self.start + at;
        rest
    }
}

/// Creates pieces of what is not written by the application.
#[derive(Clone, Default, Debug)]
pub(crate) struct Pieces;

impl BufFactory for Pieces {
    type Buf = Piece;
    type DgramBuf = Vec<u8>;

    fn buf_from_slice(bytes: &[u8]) -> Piece {
        Piece::new(bytes, Arc::default())
    }

    fn dgram_buf_from_slice(bytes: &[u8]) -> Vec<u8> {
        bytes.to_vec()
    }
}
