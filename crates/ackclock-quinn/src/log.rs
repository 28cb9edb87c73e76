//! The qlog of an end.

use std::io;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ackclock_transport::Role;
use quinn_proto::{QlogConfig, QlogStream};

use crate::clock;

/// Bytes of a log that were not taken yet. The writer is quinn-proto's, and the reader is the end.
#[derive(Clone, Default, Debug)]
pub(crate) struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    fn bytes(&self) -> MutexGuard<'_, Vec<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes and returns the bytes.
    pub(crate) fn take(&self) -> Vec<u8> {
        mem::take(&mut self.bytes())
    }

    /// Returns the stream of events that writes here. Its times are simulated times, in ms.
    pub(crate) fn stream(&self, role: Role) -> Option<QlogStream> {
        let mut config = QlogConfig::default();
        config.writer(Box::new(self.clone())).start_time(clock::origin()).title(Some(
            match role {
                Role::Client => "client",
                Role::Server => "server",
            }
            .to_owned(),
        ));
        config.into_stream()
    }
}

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
