//! Code points of Differentiated Services by their names (RFC 2474, 2597, 3246, 4594, 5865 and 8622).

/// Names, values and meanings.
pub(super) const CODE_POINTS: &[(&str, u8, &str)] = &[
    ("CS0", 0, "Default forwarding: best effort."),
    ("LE", 1, "Lower effort: background traffic (RFC 8622)."),
    ("CS1", 8, "Class selector 1: background traffic before RFC 8622."),
    ("AF11", 10, "Assured forwarding, class 1, low drop precedence: high-throughput data."),
    ("AF12", 12, "Assured forwarding, class 1, medium drop precedence."),
    ("AF13", 14, "Assured forwarding, class 1, high drop precedence."),
    ("CS2", 16, "Class selector 2: operations and management."),
    ("AF21", 18, "Assured forwarding, class 2, low drop precedence: low-latency data."),
    ("AF22", 20, "Assured forwarding, class 2, medium drop precedence."),
    ("AF23", 22, "Assured forwarding, class 2, high drop precedence."),
    ("CS3", 24, "Class selector 3: broadcast video."),
    ("AF31", 26, "Assured forwarding, class 3, low drop precedence: multimedia streaming."),
    ("AF32", 28, "Assured forwarding, class 3, medium drop precedence."),
    ("AF33", 30, "Assured forwarding, class 3, high drop precedence."),
    ("CS4", 32, "Class selector 4: interactive applications such as games."),
    ("AF41", 34, "Assured forwarding, class 4, low drop precedence: video conferences."),
    ("AF42", 36, "Assured forwarding, class 4, medium drop precedence."),
    ("AF43", 38, "Assured forwarding, class 4, high drop precedence."),
    ("CS5", 40, "Class selector 5: signalling."),
    ("VA", 44, "Voice that was admitted (RFC 5865)."),
    ("NQB", 45, "Traffic that does not build queues."),
    ("EF", 46, "Expedited forwarding: voice (RFC 3246)."),
    ("CS6", 48, "Class selector 6: network control."),
    ("CS7", 56, "Class selector 7: reserved."),
];
