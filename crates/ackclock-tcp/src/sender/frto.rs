//! F-RTO: a timeout waits for two ACKs before everything outstanding counts as lost (RFC 5682).
//!
//! Linux's form (net/ipv4/tcp_input.c, tcp_process_loss) is the one with SACK: any news of data sent once and before the
//! timeout shows that not everything was lost. RFC 5682 waits for the second ACK; with [`RtoRule::Linux`] the first will do.
//!
//! [`RtoRule::Linux`]: crate::config::RtoRule::Linux

/// Where the algorithm stands.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) enum Frto {
    /// Not under way: what was outstanding at the timeout is sent again.
    #[default]
    Off,
    /// Step 2: the first segment was sent again, and nothing else is until its acknowledgment arrives.
    FirstAck,
    /// Step 3: new data was sent, and its acknowledgment decides.
    SecondAck,
}

/// What an acknowledgment tells.
#[derive(Clone, Copy, Debug)]
pub(super) struct News {
    /// snd_una advanced.
    pub advanced: bool,
    /// It covers everything outstanding at the timeout.
    pub complete: bool,
    /// It tells, by SACK or cumulatively, of data that was outstanding at the timeout and sent once.
    pub original: bool,
    /// It is a duplicate ACK, or SACKs something.
    pub duplicate: bool,
    /// New data can be sent.
    pub can_send: bool,
    /// Whether SACK is in use.
    pub sack: bool,
    /// Whether the first acknowledgment may decide, as in Linux.
    pub eager: bool,
}

/// What is to be done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Verdict {
    /// Nothing, or nothing yet.
    Open,
    /// The timeout was spurious.
    Spurious,
    /// The loss was real, and new data has shown it: two round trips have passed, after which slow start would have three
    /// segments in the network (step 3.a).
    Real,
}

impl Frto {
    /// An acknowledgment arrived after the timeout.
    pub fn on_ack(&mut self, news: &News) -> Verdict {
        let decides = *self == Frto::SecondAck || (*self == Frto::FirstAck && news.eager);
        if decides && news.original {
            *self = Frto::Off;
            return Verdict::Spurious;
        }
        *self = match *self {
            // 2.b: new data, so that the next ACK tells what the network did with the rest.
            Frto::FirstAck if news.advanced && !news.complete && news.can_send => Frto::SecondAck,
            // 2.a, and 2.b without anything to send.
            Frto::FirstAck if news.advanced => Frto::Off,
            // Duplicate ACKs before it: without SACK they end it (2.a); with SACK they are not the answer yet.
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
