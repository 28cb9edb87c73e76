/* The interface between ackclock and a transport in C or C++, version 2.
 *
 * A library exports one constant, ACKCLOCK_PLUGIN, which ACKCLOCK_TRANSPORTS defines. It points to a table for each
 * transport, an ackclock_stack. ackclock simulates the network: it passes the time and each datagram that arrives, and
 * asks for the datagrams to be sent and for the time of the next timeout.
 *
 * Units. Times are in nanoseconds of simulated time; they start at any value and never go back. Lengths are in bytes,
 * rates in bit/s. A transport reads no clock, opens no socket, starts no thread and keeps no state outside its objects.
 *
 * Randomness. A transport takes all its randomness from the seed of its setup, so that the same calls with the same
 * seeds give the same datagrams.
 *
 * Order of calls. create comes first and destroy last. Only the client's end is asked to connect, and once. After every
 * call that passes a time, ackclock calls transmit until there is no datagram, then poll until there is no event, and
 * then timeout. At the time of the timeout it calls expire.
 *
 * Threads. Objects may be created and used in any thread, and different objects in several threads at once. No object
 * is used in two threads at once.
 *
 * Ownership. Buffers and structures that a function receives belong to ackclock and are valid during the call only.
 * Tables and the texts in them belong to the library and never change.
 *
 * Errors. A function returns ACKCLOCK_OK, or another number if the transport cannot go on. ackclock then takes the text
 * of the function error, ends the connection with it, and calls only destroy. C++ exceptions may not leave a function.
 */
#ifndef ACKCLOCK_TRANSPORT_H
#define ACKCLOCK_TRANSPORT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The kind of a library of transports, and the version of this interface. */
#define ACKCLOCK_TRANSPORT_KIND 2u
#define ACKCLOCK_TRANSPORT_VERSION 2u

/* The status of a call that has been done. Every other status is an error. */
#define ACKCLOCK_OK 0

/* The time of a timeout that never comes. */
#define ACKCLOCK_NEVER UINT64_MAX
/* A number of the statistics that the transport does not know, and the stream that open could not open. */
#define ACKCLOCK_UNKNOWN UINT64_MAX
#define ACKCLOCK_NO_STREAM UINT64_MAX

/* A text in UTF-8 with its length; it needs no zero at its end. */
typedef struct ackclock_text {
    const char *start;
    size_t length;
} ackclock_text;

/* The text of a string literal. */
#define ACKCLOCK_TEXT(literal) {literal, sizeof(literal) - 1}

/* One of the names that a parameter accepts. */
typedef struct ackclock_name {
    ackclock_text name;
    ackclock_text summary;
} ackclock_name;

/* Kinds of parameters and of values. */
#define ACKCLOCK_NUMBER 0u
#define ACKCLOCK_NAME 1u

/* A parameter that scenarios may set. */
typedef struct ackclock_parameter {
    ackclock_text name;
    /* A short description with the unit. */
    ackclock_text summary;
    /* ACKCLOCK_NUMBER or ACKCLOCK_NAME; reserved is 0. */
    uint32_t kind;
    uint32_t reserved;
    /* The accepted numbers and the default of a parameter of the kind ACKCLOCK_NUMBER. All are finite. */
    double least;
    double most;
    double default_number;
    /* The accepted names of a parameter of the kind ACKCLOCK_NAME, their number, and the index of the default. */
    const ackclock_name *names;
    size_t name_count;
    size_t default_name;
} ackclock_parameter;

/* The value of a parameter: the number, or the index of the name. */
typedef struct ackclock_value {
    uint32_t kind;
    uint32_t reserved;
    double number;
    size_t name;
} ackclock_value;

/* The ends of a connection. */
#define ACKCLOCK_CLIENT 0u
#define ACKCLOCK_SERVER 1u

/* The values from which one end of a connection is created. */
typedef struct ackclock_setup {
    /* ACKCLOCK_CLIENT or ACKCLOCK_SERVER. */
    uint32_t role;
    /* The largest datagram that the path carries, without the headers of ackclock_stack.overhead. */
    uint32_t datagram;
    /* The seed of all randomness of this end. */
    uint8_t seed[32];
    /* The values of all parameters, in the order of the table. */
    const ackclock_value *values;
    size_t value_count;
    /* 1 if the transport is to write a log, else 0. */
    uint32_t log;
    uint32_t reserved;
} ackclock_setup;

/* Values of the ECN field of the IP header (RFC 3168). */
#define ACKCLOCK_NOT_ECT 0u
#define ACKCLOCK_ECT1 1u
#define ACKCLOCK_ECT0 2u
#define ACKCLOCK_CE 3u

/* A datagram that a transport sends. ackclock sets all fields to 0 before the call. */
typedef struct ackclock_transmit {
    /* The ECN field of its IP header. */
    uint32_t ecn;
    /* Bytes of streams in it; at most its length. */
    uint32_t payload;
    /* 1 if all its stream bytes were sent before, else 0. */
    uint32_t retransmission;
    uint32_t reserved;
} ackclock_transmit;

/* Kinds of events. */
#define ACKCLOCK_NONE 0u          /* There is no event. */
#define ACKCLOCK_CONNECTED 1u     /* The connection is established. */
#define ACKCLOCK_OPENED 2u        /* The peer has opened the stream. */
#define ACKCLOCK_READABLE 3u      /* Bytes have arrived; ackclock reads until read returns none. */
#define ACKCLOCK_WRITABLE 4u      /* A stream that could not take all bytes can take some. */
#define ACKCLOCK_PEER_FINISHED 5u /* The peer has ended the stream, and all its bytes have been read. */
#define ACKCLOCK_DELIVERED 6u     /* The peer has acknowledged all bytes of a finished stream, and its end. */
#define ACKCLOCK_CLOSED 7u        /* The connection has ended. */
/* The peer has opened a unidirectional stream. These events come in the order in which the peer opened the streams: a
 * stream of which nothing has arrived is reported before a later one. */
#define ACKCLOCK_OPENED_UNIDIRECTIONAL 8u
/* The peer has abandoned the stream with a code. ACKCLOCK_PEER_FINISHED does not follow. */
#define ACKCLOCK_RESET 9u

/* An event of a connection. ackclock sets all fields to 0 before the call. */
typedef struct ackclock_event {
    uint32_t kind;
    uint32_t reserved;
    /* The stream of an event of a stream. */
    uint64_t stream;
    /* The reason of ACKCLOCK_CLOSED if it is an error, else an empty text. It is valid until the next call for this
     * object. */
    ackclock_text reason;
    /* The code of ACKCLOCK_RESET. */
    uint64_t code;
} ackclock_event;

/* State and counts of an end as a sender. ackclock sets each number that may be unknown to ACKCLOCK_UNKNOWN, and all
 * others to 0, before the call. Counts never fall. */
typedef struct ackclock_statistics {
    /* Congestion window, slow start threshold, and bytes sent that are neither acknowledged nor deemed lost. */
    uint64_t window;
    uint64_t threshold;
    uint64_t in_flight;
    /* Smoothed RTT, mean deviation of the RTT, latest and smallest RTT sample. */
    uint64_t srtt;
    uint64_t rtt_variation;
    uint64_t latest_rtt;
    uint64_t min_rtt;
    /* Rates in bit/s. */
    uint64_t pacing_rate;
    uint64_t delivery_rate;
    /* Datagrams deemed lost, datagrams with stream bytes that were sent before, expiries of the retransmission timer,
     * and reductions of the window because of congestion. These are always known. */
    uint64_t lost;
    uint64_t retransmitted;
    uint64_t timeouts;
    uint64_t reductions;
    /* State of the congestion control, such as "slow start": a constant of the library, or an empty text. */
    ackclock_text state;
} ackclock_statistics;

/* One end of a connection, which only the library looks into. */
typedef struct ackclock_transport ackclock_transport;

/* A kind of transport. All functions are required, except take_log, open_unidirectional, prioritize and reset. */
typedef struct ackclock_stack {
    /* The name in scenarios, in lower-case letters, digits and hyphens. */
    ackclock_text name;
    /* A short description. */
    ackclock_text summary;
    /* A text that identifies the source code, such as a version. */
    ackclock_text source;
    const ackclock_parameter *parameters;
    size_t parameter_count;
    /* Bytes of the headers below a datagram: 28 for IPv4 and UDP. */
    uint32_t overhead;
    uint32_t reserved;

    /* Creates an end and stores it in *transport. A status other than ACKCLOCK_OK means that the values do not go
     * together; the function then writes the reason with a zero at its end into message, of capacity bytes. */
    int32_t (*create)(uint64_t now, const ackclock_setup *setup, ackclock_transport **transport, char *message,
                      size_t capacity);
    /* Frees an end. */
    void (*destroy)(ackclock_transport *transport);
    /* Returns the text of the last error of an end. It is valid until the next call for this object. */
    ackclock_text (*error)(const ackclock_transport *transport);

    /* Opens the connection. */
    int32_t (*connect)(ackclock_transport *transport, uint64_t now);
    /* Takes a datagram that arrives. Datagrams may be lost, duplicated, reordered, damaged and marked on the way. */
    int32_t (*receive)(ackclock_transport *transport, uint64_t now, uint32_t ecn, const uint8_t *datagram,
                       size_t length);
    /* Writes the next datagram that is to leave now into buffer and its length into *length, which is 0 before the
     * call and stays 0 if there is no datagram. The capacity is ackclock_setup.datagram. */
    int32_t (*transmit)(ackclock_transport *transport, uint64_t now, uint8_t *buffer, size_t capacity, size_t *length,
                        ackclock_transmit *transmit);
    /* Returns the time of the next call of expire, or ACKCLOCK_NEVER. */
    uint64_t (*timeout)(const ackclock_transport *transport);
    /* Handles all timers that are due. Afterwards, and once all datagrams are sent, no timer may be due at now. */
    int32_t (*expire)(ackclock_transport *transport, uint64_t now);
    /* Opens a stream and writes its number into *stream, which is ACKCLOCK_NO_STREAM before the call and stays so if
     * no stream can be opened yet. A transport with a single stream gives the number of that stream at both ends. */
    int32_t (*open)(ackclock_transport *transport, uint64_t now, uint64_t *stream);
    /* Appends bytes to a stream and writes into *taken how many of them were taken. If not all were,
     * ACKCLOCK_WRITABLE has to follow once more can be taken. */
    int32_t (*write)(ackclock_transport *transport, uint64_t now, uint64_t stream, const uint8_t *bytes,
                     size_t length, size_t *taken);
    /* Ends a stream in the direction from this end, after the bytes that were written. */
    int32_t (*finish)(ackclock_transport *transport, uint64_t now, uint64_t stream);
    /* Moves bytes that have arrived in order into buffer, and writes their number into *count. */
    int32_t (*read)(ackclock_transport *transport, uint64_t now, uint64_t stream, uint8_t *buffer, size_t capacity,
                    size_t *count);
    /* Closes the connection at once, with a code for the peer. */
    int32_t (*close)(ackclock_transport *transport, uint64_t now, uint64_t code);
    /* Writes the next event into *event, whose kind stays ACKCLOCK_NONE if there is none. */
    int32_t (*poll)(ackclock_transport *transport, ackclock_event *event);
    /* Writes the state and the counts of this end into *statistics. */
    int32_t (*statistics)(const ackclock_transport *transport, ackclock_statistics *statistics);
    /* Moves bytes of the log into buffer and writes their number into *count. ackclock calls the function until it
     * moves none. NULL if the transport writes no log. */
    int32_t (*take_log)(ackclock_transport *transport, uint8_t *buffer, size_t capacity, size_t *count);
    /* Opens a stream that carries bytes from this end alone, like open. NULL if the transport has no such streams. A
     * scenario that needs this function, or one of those below, is refused if the function is NULL. */
    int32_t (*open_unidirectional)(ackclock_transport *transport, uint64_t now, uint64_t *stream);
    /* Sets the priority of a stream in the direction from this end, which is 0 at first. Bytes of the stream with the
     * highest number leave first, as far as congestion control and flow control allow to send. Streams with equal
     * numbers share what they may send. NULL if the transport has no priorities. */
    int32_t (*prioritize)(ackclock_transport *transport, uint64_t now, uint64_t stream, int32_t priority);
    /* Abandons a stream in the direction from this end, with a code for the peer (RESET_STREAM, RFC 9000, section 19.4).
     * Bytes that have not been delivered are neither sent nor retransmitted. A stream whose bytes and end have been
     * acknowledged stays delivered. NULL if the transport has no resets. */
    int32_t (*reset)(ackclock_transport *transport, uint64_t now, uint64_t stream, uint64_t code);
} ackclock_stack;

/* The start of every library for ackclock. */
typedef struct ackclock_header {
    char magic[8];
    uint32_t kind;
    uint32_t version;
    const void *entries;
    size_t count;
} ackclock_header;

#if defined(_WIN32)
#define ACKCLOCK_VISIBLE __declspec(dllexport)
#elif defined(__GNUC__)
#define ACKCLOCK_VISIBLE __attribute__((visibility("default")))
#else
#define ACKCLOCK_VISIBLE
#endif

#ifdef __cplusplus
}
#define ACKCLOCK_EXPORT extern "C" ACKCLOCK_VISIBLE
#else
#define ACKCLOCK_EXPORT ACKCLOCK_VISIBLE
#endif

/* Exports an array of ackclock_stack, once in a library and outside all functions. */
#define ACKCLOCK_TRANSPORTS(stacks)                                                                                 \
    ACKCLOCK_EXPORT const ackclock_header ACKCLOCK_PLUGIN = {{'a', 'c', 'k', 'c', 'l', 'o', 'c', 'k'},              \
                                                             ACKCLOCK_TRANSPORT_KIND,                               \
                                                             ACKCLOCK_TRANSPORT_VERSION,                            \
                                                             stacks,                                                \
                                                             sizeof(stacks) / sizeof((stacks)[0])}

#endif
