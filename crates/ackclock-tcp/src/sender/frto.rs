//! F-RTO: a timeout waits for two ACKs before all outstanding data counts as lost (RFC 5682).
//!
//! Linux implements the variant with SACK (net/ipv4/tcp_input.c, tcp_process_loss): any news of data that was sent
//! once, before the timeout, shows that not everything was lost. RFC 5682 waits for the second ACK; with
//! [`RtoRule::Linux`] the first ACK suffices.
//!
//! [`RtoRule::Linux`]: crate::config::RtoRule::Linux

/// Step of the algorithm.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) enum Frto {
    /// F-RTO is not in progress: data outstanding at the timeout is retransmitted.
    #[default]
    Off,
    /// Step 2: the first segment was retransmitted, and no other segment is retransmitted until its acknowledgment
    /// arrives.
    FirstAck,
    /// Step 3: new data was sent, and the acknowledgment of that data decides.
    SecondAck,
}

/// Facts from an acknowledgment.
#[derive(Clone, Copy, Debug)]
pub(super) struct News {
    /// Whether snd_una advanced.
    pub advanced: bool,
    /// Whether the acknowledgment covers all data outstanding at the timeout.
    pub complete: bool,
    /// Whether the acknowledgment reports, by SACK or cumulatively, data that was outstanding at the timeout and sent
    /// once.
    pub original: bool,
    /// Whether the acknowledgment is a duplicate ACK or contains new SACK information.
    pub duplicate: bool,
    /// Whether new data can be sent.
    pub can_send: bool,
    /// Whether SACK is in use.
    pub sack: bool,
    /// Whether the first acknowledgment may decide, as in Linux.
    pub eager: bool,
}

/// Conclusion from an acknowledgment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Verdict {
    /// No conclusion is possible, or none has been reached yet.
    Open,
    /// The timeout was spurious.
    Spurious,
    /// The loss was real, and an ACK after new data has shown it: two round trips have passed, after which slow start
    /// would have three segments in the network (step 3.a).
    Real,
}

impl Frto {
    /// Processes an acknowledgment after the timeout.
    pub fn on_ack(&mut self, news: &News) -> Verdict {
        let decides = *self == Frto::SecondAck || (*self == Frto::FirstAck && news.eager);
        if decides && news.original {
            *self = Frto::Off;
            return Verdict::Spurious;
        }
        *self = match *self {
            // 2.b: new data is sent, and the next ACK shows whether the other segments were delivered.
            Frto::FirstAck if news.advanced && !news.complete && news.can_send => Frto::SecondAck,
            // 2.a, and 2.b if there is nothing to send.
            Frto::FirstAck if news.advanced => Frto::Off,
            // Duplicate ACKs before that acknowledgment end F-RTO without SACK (2.a); with SACK they do not decide yet.
            Frto::FirstAck if news.duplicate && !news.sack => Frto::Off,
            // 3.a
            Frto::SecondAck if news.advanced || news.duplicate => {
                *self = Frto::Off;
                return Verdict::Real;
            }
            waiting => waiting,
        };
        Verdict::Open
    }
}
