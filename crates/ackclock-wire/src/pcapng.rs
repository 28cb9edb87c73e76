//! The pcapng file format (draft-ietf-opsawg-pcapng), as far as a simulator needs it.

use ackclock_core::Nanos;

/// Link type of packets that begin with an IP header.
const LINKTYPE_RAW: u16 = 101;

const SECTION_HEADER: u32 = 0x0a0d_0d0a;
const BYTE_ORDER: u32 = 0x1a2b_3c4d;
const INTERFACE_DESCRIPTION: u32 = 1;
const INTERFACE_STATISTICS: u32 = 5;
const ENHANCED_PACKET: u32 = 6;

/// Option codes. Except for the first two, their meaning depends on the type of the block.
const OPT_END: u16 = 0;
const OPT_COMMENT: u16 = 1;
const SHB_USERAPPL: u16 = 4;
const IF_NAME: u16 = 2;
const IF_DESCRIPTION: u16 = 3;
const IF_TSRESOL: u16 = 9;
const EPB_FLAGS: u16 = 2;
const ISB_IFRECV: u16 = 4;
const ISB_IFDROP: u16 = 5;

/// Resolution of times: 10^-9 s.
const NANOSECONDS: u8 = 9;

/// Direction of a packet at its interface; the value is that of the packet's flags.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Direction {
    /// Neither: the interface is between other nodes.
    Through = 0,
    /// The packet arrived.
    Inbound = 1,
    /// The packet was sent.
    Outbound = 2,
}

/// Metadata of a packet.
#[derive(Clone, Copy, Debug)]
pub struct About<'a> {
    /// Number of the interface, in the order of the interface descriptions.
    pub interface: u32,
    /// Time of the packet, from the start of the run.
    pub at: Nanos,
    /// Length of the packet, including bytes that are not kept.
    pub len: u32,
    /// Direction of the packet.
    pub direction: Direction,
    /// Comment for readers of the file.
    pub comment: Option<&'a str>,
}

/// Appends blocks of a pcapng file to a buffer.
pub struct Writer<'a>(pub &'a mut Vec<u8>);

impl Writer<'_> {
    /// Writes the section header, which begins a file.
    pub fn section(&mut self, application: &str) {
        self.block(SECTION_HEADER, |writer| {
            writer.u32(BYTE_ORDER);
            writer.u16(1);
            writer.u16(0);
            // The length of the section is unknown.
            writer.0.extend_from_slice(&u64::MAX.to_le_bytes());
            writer.option(SHB_USERAPPL, application.as_bytes());
        });
    }

    /// Writes the description of an interface; `snap` is the largest number of bytes kept of a packet.
    pub fn interface(&mut self, name: &str, description: &str, snap: u32) {
        self.block(INTERFACE_DESCRIPTION, |writer| {
            writer.u16(LINKTYPE_RAW);
            writer.u16(0);
            writer.u32(snap);
            writer.option(IF_NAME, name.as_bytes());
            writer.option(IF_DESCRIPTION, description.as_bytes());
            writer.option(IF_TSRESOL, &[NANOSECONDS]);
        });
    }

    /// Writes a packet, of which `bytes` are kept.
    pub fn packet(&mut self, about: &About<'_>, bytes: &[u8]) {
        self.block(ENHANCED_PACKET, |writer| {
            writer.u32(about.interface);
            writer.time(about.at);
            writer.u32(bytes.len() as u32);
            writer.u32(about.len);
            writer.padded(bytes);
            if let Some(comment) = about.comment {
                writer.option(OPT_COMMENT, comment.as_bytes());
            }
            if about.direction != Direction::Through {
                writer.option(EPB_FLAGS, &(about.direction as u32).to_le_bytes());
            }
        });
    }

    /// Writes the numbers of packets that an interface saw and dropped up to `at`.
    pub fn statistics(&mut self, interface: u32, at: Nanos, seen: u64, dropped: u64) {
        self.block(INTERFACE_STATISTICS, |writer| {
            writer.u32(interface);
            writer.time(at);
            writer.option(ISB_IFRECV, &seen.to_le_bytes());
            writer.option(ISB_IFDROP, &dropped.to_le_bytes());
        });
    }

    /// Writes a block whose body ends with options.
    fn block(&mut self, kind: u32, body: impl FnOnce(&mut Self)) {
        let start = self.0.len();
        self.u32(kind);
        self.u32(0);
        body(self);
        self.u16(OPT_END);
        self.u16(0);
        let len = (self.0.len() - start + 4) as u32;
        self.0[start + 4..start + 8].copy_from_slice(&len.to_le_bytes());
        self.u32(len);
    }

    fn option(&mut self, code: u16, value: &[u8]) {
        // A name may have any length, but the value of an option may not.
        let value = &value[..value.len().min(usize::from(u16::MAX))];
        self.u16(code);
        self.u16(value.len() as u16);
        self.padded(value);
    }

    fn padded(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
        self.0.resize(self.0.len().next_multiple_of(4), 0);
    }

    fn time(&mut self, at: Nanos) {
        self.u32((at >> 32) as u32);
        self.u32(at as u32);
    }

    fn u32(&mut self, value: u32) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    fn u16(&mut self, value: u16) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_byte_by_byte() {
        let mut bytes = vec![0xee; 4];
        let mut writer = Writer(&mut bytes);
        let about =
            About { interface: 1, at: 0x1_0000_0002, len: 1500, direction: Direction::Inbound, comment: Some("x") };
        writer.packet(&about, &[7; 5]);
        writer.statistics(1, 3, 4, 5);
        let packet = [
            &[6, 0, 0, 0, 60, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0][..],
            &[5, 0, 0, 0, 0xdc, 5, 0, 0, 7, 7, 7, 7, 7, 0, 0, 0],
            &[1, 0, 1, 0, b'x', 0, 0, 0, 2, 0, 4, 0, 1, 0, 0, 0, 0, 0, 0, 0, 60, 0, 0, 0],
        ]
        .concat();
        assert_eq!(bytes[4..64], packet);
        let (kind, len) = (&bytes[64..68], &bytes[68..72]);
        assert_eq!((kind, len), (&[5, 0, 0, 0][..], &[52, 0, 0, 0][..]));
        assert_eq!(bytes.len(), 64 + 52);
    }
}
