//! `tcp_info` of the kernel with packetdrill's names (Linux include/uapi/linux/tcp.h).

/// Names of the fields of 32 and of 64 bits, in the order of the structure; bytes and bit fields come before them.
const FIELDS: &[(usize, &[&str])] = &[
    (
        4,
        &[
            "tcpi_rto",
            "tcpi_ato",
            "tcpi_snd_mss",
            "tcpi_rcv_mss",
            "tcpi_unacked",
            "tcpi_sacked",
            "tcpi_lost",
            "tcpi_retrans",
            "tcpi_fackets",
            "tcpi_last_data_sent",
            "tcpi_last_ack_sent",
            "tcpi_last_data_recv",
            "tcpi_last_ack_recv",
            "tcpi_pmtu",
            "tcpi_rcv_ssthresh",
            "tcpi_rtt",
            "tcpi_rttvar",
            "tcpi_snd_ssthresh",
            "tcpi_snd_cwnd",
            "tcpi_advmss",
            "tcpi_reordering",
            "tcpi_rcv_rtt",
            "tcpi_rcv_space",
            "tcpi_total_retrans",
        ],
    ),
    (8, &["tcpi_pacing_rate", "tcpi_max_pacing_rate", "tcpi_bytes_acked", "tcpi_bytes_received"]),
    (
        4,
        &[
            "tcpi_segs_out",
            "tcpi_segs_in",
            "tcpi_notsent_bytes",
            "tcpi_min_rtt",
            "tcpi_data_segs_in",
            "tcpi_data_segs_out",
        ],
    ),
    (8, &["tcpi_delivery_rate", "tcpi_busy_time", "tcpi_rwnd_limited", "tcpi_sndbuf_limited"]),
    (4, &["tcpi_delivered", "tcpi_delivered_ce"]),
    (8, &["tcpi_bytes_sent", "tcpi_bytes_retrans"]),
    (4, &["tcpi_dsack_dups", "tcpi_reord_seen", "tcpi_rcv_ooopack", "tcpi_snd_wnd", "tcpi_rcv_wnd", "tcpi_rehash"]),
    (2, &["tcpi_total_rto", "tcpi_total_rto_recoveries"]),
    (4, &["tcpi_total_rto_time"]),
    (
        4,
        &[
            "tcpi_received_ce",
            "tcpi_delivered_e1_bytes",
            "tcpi_delivered_e0_bytes",
            "tcpi_delivered_ce_bytes",
            "tcpi_received_e1_bytes",
            "tcpi_received_e0_bytes",
            "tcpi_received_ce_bytes",
        ],
    ),
];

/// Names of the bytes at the start of the structure; the last two consist of bit fields.
const BYTES: &[&str] =
    &["tcpi_state", "tcpi_ca_state", "tcpi_retransmits", "tcpi_probes", "tcpi_backoff", "tcpi_options"];

/// The values in the bytes that the kernel returned; a kernel without a field returns fewer bytes.
pub fn values(bytes: &[u8]) -> Vec<(&'static str, u64)> {
    let mut values: Vec<(&'static str, u64)> =
        BYTES.iter().zip(bytes).map(|(name, &byte)| (*name, u64::from(byte))).collect();
    if let Some(&[scales, flags]) = bytes.get(BYTES.len()..BYTES.len() + 2) {
        let bits = |byte: u8, from: u32, mask: u8| u64::from(byte >> from & mask);
        values.push(("tcpi_snd_wscale", bits(scales, 0, 15)));
        values.push(("tcpi_rcv_wscale", bits(scales, 4, 15)));
        values.push(("tcpi_delivery_rate_app_limited", bits(flags, 0, 1)));
        values.push(("tcpi_fastopen_client_fail", bits(flags, 1, 3)));
    }
    let mut at = BYTES.len() + 2;
    for &(size, names) in FIELDS {
        for name in names {
            let Some(field) = bytes.get(at..at + size) else { return values };
            let mut number = [0; 8];
            number[..size].copy_from_slice(field);
            values.push((name, u64::from_le_bytes(number)));
            at += size;
        }
    }
    values
}

/// Names of the values of SO_MEMINFO (Linux include/uapi/linux/sock_diag.h).
const MEMORY: &[&str] = &[
    "SK_MEMINFO_RMEM_ALLOC",
    "SK_MEMINFO_RCVBUF",
    "SK_MEMINFO_WMEM_ALLOC",
    "SK_MEMINFO_SNDBUF",
    "SK_MEMINFO_FWD_ALLOC",
    "SK_MEMINFO_WMEM_QUEUED",
    "SK_MEMINFO_OPTMEM",
    "SK_MEMINFO_BACKLOG",
    "SK_MEMINFO_DROPS",
];

/// The values in the bytes of SO_MEMINFO.
pub fn memory(bytes: &[u8]) -> impl Iterator<Item = (&'static str, u64)> {
    let number = |word: &[u8]| u64::from(u32::from_ne_bytes([word[0], word[1], word[2], word[3]]));
    MEMORY.iter().copied().zip(bytes.chunks_exact(4).map(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_where_the_kernel_has_them() {
        let mut bytes = vec![0u8; 232];
        bytes[6] = 0x87;
        bytes[8 + 18 * 4] = 10;
        bytes[104..112].copy_from_slice(&7u64.to_le_bytes());
        bytes[192..200].copy_from_slice(&9000u64.to_le_bytes());
        let values = values(&bytes);
        let value = |name: &str| values.iter().find(|(known, _)| *known == name).map(|&(_, value)| value);
        assert_eq!((value("tcpi_snd_wscale"), value("tcpi_rcv_wscale")), (Some(7), Some(8)));
        assert_eq!((value("tcpi_snd_cwnd"), value("tcpi_pacing_rate")), (Some(10), Some(7)));
        // offsetof(struct tcp_info, tcpi_delivered) is 192 and that of tcpi_bytes_sent 200.
        assert_eq!(value("tcpi_delivered"), Some(9000));
        assert_eq!(value("tcpi_received_ce"), None);
    }
}
