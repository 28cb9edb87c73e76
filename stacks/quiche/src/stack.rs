//! The stack.

use ackclock_core::Nanos;
use ackclock_transport::{Features, Parameter, Parameters, Role, Setup, Stack, Transport};

use crate::connection::End;
use crate::parameters;

/// Returns the stack `quiche`.
pub fn stack() -> impl Stack {
    Quiche { parameters: parameters::list() }
}

/// The stack `quiche`.
struct Quiche {
    parameters: Vec<Parameter>,
}

impl Stack for Quiche {
    fn name(&self) -> &str {
        "quiche"
    }

    fn summary(&self) -> &str {
        "QUIC (RFC 9000) of Cloudflare's quiche, with TLS 1.3 of BoringSSL"
    }

    fn source(&self) -> &str {
        "quiche 0.30.0"
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
        let settings = parameters::settings(&self.parameters, &setup);
        settings.map(drop).map_err(|message| format!("cannot run here: {message}"))
    }

    fn create(&self, now: Nanos, setup: &Setup<'_>) -> Result<Box<dyn Transport>, String> {
        Ok(Box::new(End::new(now, &self.parameters, setup)?))
    }
}
