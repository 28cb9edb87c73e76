//! The stack.

use std::sync::Arc;

use ackclock_core::Nanos;
use ackclock_transport::{Features, Parameter, Parameters, Role, Setup, Stack, Transport};

use crate::connection::End;
use crate::parameters;

/// Returns the stack `quinn`.
pub fn stack() -> impl Stack {
    Quinn { parameters: parameters::list() }
}

/// The stack `quinn`.
struct Quinn {
    parameters: Vec<Parameter>,
}

impl Stack for Quinn {
    fn name(&self) -> &str {
        "quinn"
    }

    fn summary(&self) -> &str {
        "QUIC (RFC 9000) of quinn-proto, with TLS 1.3 of rustls"
    }

    fn source(&self) -> &str {
        "quinn-proto 0.11.19"
    }

    fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    fn overhead(&self) -> u32 {
        const IPV4: u32 = 20;
        const UDP: u32 = 8;
        IPV4 + UDP
    }

    fn features(&self) -> Features {
        Features { unidirectional: true, priorities: true, resets: true }
    }

    fn check(&self, datagram: u32, parameters: &Parameters) -> Result<(), String> {
        let setup = Setup { role: Role::Client, seed: [0; 32], datagram, parameters, log: false };
        let settings = parameters::settings(&self.parameters, &setup, &Arc::default());
        settings.map(drop).map_err(|message| format!("cannot run here: {message}"))
    }

    fn create(&self, _: Nanos, setup: &Setup<'_>) -> Result<Box<dyn Transport>, String> {
        Ok(Box::new(End::new(&self.parameters, setup)?))
    }
}
