/* template-name: a transport for ackclock, to be changed.
 *
 * It has one stream and resends from the first lost byte (go-back-N). ACKs are cumulative, the window follows AIMD
 * (RFC 5681), and the timeout follows RFC 6298. A checksum protects each datagram. ackclock_transport.h describes the
 * functions at the end of this file.
 */
#include "ackclock_transport.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MILLISECOND 1000000ull
/* Bytes that an end stores for each direction. */
#define CAPACITY (1u << 18)
/* Length of the header: checksum, kind, nonce, sequence, acknowledgment, and limit or code. */
#define HEADER 37u
#define LEAST_TIMEOUT (200 * MILLISECOND)
#define MOST_TIMEOUT (60000 * MILLISECOND)
/* Timeouts without any answer after which an end gives up. */
#define PATIENCE 15u
#define STREAM 0u

/* Kinds of datagrams. END ends the stream after its bytes, and PROBE asks for an ACK. */
enum { HELLO, DATA, END, PROBE, CLOSE };

/* The bytes of a direction: `length` bytes from the offset `start` of the stream. */
typedef struct {
    uint64_t start;
    size_t length;
    uint8_t bytes[CAPACITY];
} ring;

struct ackclock_transport {
    /* The nonce names the connection. The server has none (0) until the client's HELLO arrives. */
    uint64_t nonce;
    uint64_t payload; /* Largest payload of a datagram. */
    int connected, over, hello_due, answer_due, probe_due, close_due;
    uint64_t code;

    /* Sender: `unsent.start` is the first byte that is not acknowledged. The end of the stream takes one number. */
    ring unsent;
    uint64_t next, highest, limit, recover;
    uint64_t window, threshold;
    int finished, delivered, short_write;
    uint32_t duplicates;
    uint64_t timed_end, timed_at; /* A datagram whose RTT is measured, if timed_end is not 0. */
    uint64_t srtt, variation, timeout, timer;
    uint32_t unanswered;

    /* Receiver. */
    ring arrived;
    int ended, end_told;

    /* Events that were not taken yet, a bit for each kind, and the reason of ACKCLOCK_CLOSED. */
    uint32_t events;
    char reason[80];
    ackclock_statistics counts;
};

static uint64_t smaller(uint64_t one, uint64_t other) { return one < other ? one : other; }
static uint64_t larger(uint64_t one, uint64_t other) { return one > other ? one : other; }

static void put(ring *to, const uint8_t *bytes, size_t length) {
    for (size_t i = 0; i < length; i++) to->bytes[(to->start + to->length + i) % CAPACITY] = bytes[i];
    to->length += length;
}

static void copy(const ring *from, uint64_t offset, uint8_t *bytes, size_t length) {
    for (size_t i = 0; i < length; i++) bytes[i] = from->bytes[(offset + i) % CAPACITY];
}

static void drop(ring *from, size_t length) {
    from->start += length;
    from->length -= length;
}

static void put_number(uint8_t *to, uint64_t number, int bytes) {
    for (int i = 0; i < bytes; i++) to[i] = (uint8_t)(number >> (8 * i));
}

static uint64_t get_number(const uint8_t *from, int bytes) {
    uint64_t number = 0;
    for (int i = 0; i < bytes; i++) number |= (uint64_t)from[i] << (8 * i);
    return number;
}

/* FNV-1a. A change of one byte always changes it. */
static uint32_t checksum(const uint8_t *bytes, size_t length) {
    uint32_t sum = 2166136261u;
    for (size_t i = 0; i < length; i++) sum = (sum ^ bytes[i]) * 16777619u;
    return sum;
}

static void tell(ackclock_transport *t, uint32_t kind) { t->events |= 1u << kind; }

/* Offsets behind the bytes that were written, and behind the end of the stream. */
static uint64_t written(const ackclock_transport *t) { return t->unsent.start + t->unsent.length; }
static uint64_t last(const ackclock_transport *t) { return written(t) + (t->finished && !t->delivered); }

/* The offset up to which congestion control and flow control allow to send. */
static uint64_t edge(const ackclock_transport *t) { return smaller(t->unsent.start + t->window, t->limit); }

/* Whether something is to be answered by the peer. */
static int waits(const ackclock_transport *t) {
    return !t->over && (t->connected ? t->unsent.start < last(t) : t->nonce != 0);
}

static void arm(ackclock_transport *t, uint64_t now) {
    if (!waits(t)) t->timer = ACKCLOCK_NEVER;
    else if (t->timer == ACKCLOCK_NEVER) t->timer = now + t->timeout;
}

static void end(ackclock_transport *t, const char *reason, uint64_t number) {
    t->over = 1;
    t->timer = ACKCLOCK_NEVER;
    snprintf(t->reason, sizeof t->reason, reason, (unsigned long long)number);
    tell(t, ACKCLOCK_CLOSED);
}

static void measure(ackclock_transport *t, uint64_t sample) {
    uint64_t distance = sample > t->srtt ? sample - t->srtt : t->srtt - sample;
    if (t->srtt == 0) {
        t->srtt = sample;
        t->variation = sample / 2;
    } else {
        t->variation = (3 * t->variation + distance) / 4;
        t->srtt = (7 * t->srtt + sample) / 8;
    }
    t->counts.latest_rtt = sample;
    t->counts.min_rtt = smaller(t->counts.min_rtt, sample);
}

static void reduce(ackclock_transport *t, uint64_t window) {
    t->threshold = larger(t->window / 2, 2 * t->payload);
    t->window = window ? window : t->threshold;
    t->recover = t->highest;
    t->next = t->unsent.start;
    t->timed_end = 0;
    t->duplicates = 0;
    t->counts.lost++;
    t->counts.reductions++;
}

static void on_ack(ackclock_transport *t, uint64_t now, uint64_t ack, int pure) {
    uint64_t una = t->unsent.start, bytes;
    if (ack > last(t) || ack < una || t->delivered) return;
    if (ack == una) {
        /* Three duplicates mean a loss, unless they follow the resent window of the last one. */
        if (pure && t->next > una && una >= t->recover && ++t->duplicates == 3) reduce(t, 0);
        return;
    }
    if (t->timed_end && ack >= t->timed_end) {
        measure(t, now - t->timed_at);
        t->timed_end = 0;
    }
    if (ack > written(t)) {
        t->delivered = 1;
        tell(t, ACKCLOCK_DELIVERED);
    }
    bytes = smaller(ack - una, t->unsent.length);
    drop(&t->unsent, bytes);
    t->next = larger(t->next, ack);
    t->window += t->window < t->threshold ? bytes : t->payload * bytes / t->window;
    t->duplicates = 0;
    t->timeout = t->srtt ? larger(t->srtt + 4 * t->variation, LEAST_TIMEOUT) : 5 * LEAST_TIMEOUT;
    t->timer = now + t->timeout;
    if (t->short_write && t->unsent.length < CAPACITY / 2) {
        t->short_write = 0;
        tell(t, ACKCLOCK_WRITABLE);
    }
}

static void on_data(ackclock_transport *t, uint8_t kind, uint64_t seq, const uint8_t *bytes, size_t length) {
    uint64_t expected = t->arrived.start + t->arrived.length;
    if (length > 0 || kind == END || kind == PROBE) t->answer_due = 1;
    if (t->ended || seq != expected || length > CAPACITY - t->arrived.length) return;
    if (length > 0) {
        put(&t->arrived, bytes, length);
        tell(t, ACKCLOCK_READABLE);
    }
    if (kind == END) t->ended = 1;
}

static void tell_end(ackclock_transport *t) {
    if (t->ended && t->arrived.length == 0 && !t->end_told) {
        t->end_told = 1;
        tell(t, ACKCLOCK_PEER_FINISHED);
    }
}

/* Writes a datagram with `length` bytes of the stream from the offset `seq` on, and returns its length. */
static size_t compose(ackclock_transport *t, int kind, uint64_t seq, size_t length, uint8_t *out) {
    uint64_t ack = t->arrived.start + t->arrived.length + (uint64_t)t->ended;
    out[4] = (uint8_t)kind;
    put_number(out + 5, t->nonce, 8);
    put_number(out + 13, seq, 8);
    put_number(out + 21, ack, 8);
    put_number(out + 29, kind == CLOSE ? t->code : ack + CAPACITY - t->arrived.length, 8);
    copy(&t->unsent, seq, out + HEADER, length);
    put_number(out, checksum(out + 4, HEADER - 4 + length), 4);
    return HEADER + length;
}

/* ---- The functions of the table. ---- */

static int32_t t_create(uint64_t now, const ackclock_setup *setup, ackclock_transport **transport, char *message,
                        size_t capacity) {
    ackclock_transport *t;
    (void)now;
    if (setup->datagram < HEADER + 100) {
        snprintf(message, capacity, "datagrams of %u bytes are too small; accepted: at least %u",
                 (unsigned)setup->datagram, HEADER + 100);
        return 1;
    }
    t = calloc(1, sizeof *t);
    if (!t) {
        snprintf(message, capacity, "out of memory");
        return 1;
    }
    if (setup->role == ACKCLOCK_CLIENT) t->nonce = get_number(setup->seed, 8) | 1;
    t->payload = setup->datagram - HEADER;
    t->window = (uint64_t)(setup->values[0].number * (double)t->payload);
    t->threshold = UINT64_MAX;
    t->timeout = 5 * LEAST_TIMEOUT;
    t->timer = ACKCLOCK_NEVER;
    t->counts.min_rtt = t->counts.latest_rtt = ACKCLOCK_UNKNOWN;
    *transport = t;
    return ACKCLOCK_OK;
}

static void t_destroy(ackclock_transport *t) { free(t); }

static ackclock_text t_error(const ackclock_transport *t) {
    ackclock_text none = ACKCLOCK_TEXT("");
    (void)t;
    return none;
}

static int32_t t_connect(ackclock_transport *t, uint64_t now) {
    t->hello_due = 1;
    arm(t, now);
    return ACKCLOCK_OK;
}

static int32_t t_receive(ackclock_transport *t, uint64_t now, uint32_t ecn, const uint8_t *datagram, size_t length) {
    uint64_t nonce, field;
    uint8_t kind;
    (void)ecn;
    if (length < HEADER || get_number(datagram, 4) != checksum(datagram + 4, length - 4)) return ACKCLOCK_OK;
    kind = datagram[4];
    nonce = get_number(datagram + 5, 8);
    field = get_number(datagram + 29, 8);
    if (t->nonce == 0 && kind == HELLO && !t->over) t->nonce = nonce;
    if (nonce != t->nonce) return ACKCLOCK_OK;
    t->unanswered = 0;
    if (t->over) {
        t->close_due = kind != CLOSE;
    } else if (kind == CLOSE) {
        end(t, "the peer closed the connection with code %llu", field);
    } else {
        int moved = field > t->limit;
        if (!t->connected) {
            t->connected = 1;
            t->timer = ACKCLOCK_NEVER;
            tell(t, ACKCLOCK_CONNECTED);
        }
        t->limit = larger(t->limit, field);
        if (kind == HELLO) t->answer_due = 1;
        else {
            on_ack(t, now, get_number(datagram + 21, 8), length == HEADER && !moved);
            on_data(t, kind, get_number(datagram + 13, 8), datagram + HEADER, length - HEADER);
            tell_end(t);
        }
        arm(t, now);
    }
    return ACKCLOCK_OK;
}

static int32_t t_transmit(ackclock_transport *t, uint64_t now, uint8_t *buffer, size_t capacity, size_t *length,
                          ackclock_transmit *transmit) {
    (void)capacity; /* It is the datagram of the setup, and payloads fit. */
    if (t->close_due) {
        t->close_due = 0;
        *length = compose(t, CLOSE, 0, 0, buffer);
    } else if (t->over) {
        return ACKCLOCK_OK;
    } else if (t->hello_due) {
        t->hello_due = 0;
        *length = compose(t, HELLO, 0, 0, buffer);
    } else if (t->connected && t->next < last(t) && t->next < edge(t)) {
        uint64_t left = written(t) - smaller(t->next, written(t));
        uint64_t bytes = smaller(smaller(left, edge(t) - t->next), t->payload);
        int ends = t->finished && bytes == left;
        *length = compose(t, ends ? END : DATA, t->next, bytes, buffer);
        transmit->payload = (uint32_t)bytes;
        transmit->retransmission = t->next < t->highest && bytes > 0;
        t->counts.retransmitted += transmit->retransmission;
        t->next += bytes + (uint64_t)ends;
        if (t->next > t->highest && !t->timed_end && !transmit->retransmission) {
            t->timed_end = t->next;
            t->timed_at = now;
        }
        t->highest = larger(t->highest, t->next);
        t->answer_due = 0;
        arm(t, now);
    } else if (t->probe_due || t->answer_due) {
        *length = compose(t, t->probe_due ? PROBE : DATA, t->next, 0, buffer);
        t->probe_due = t->answer_due = 0;
    }
    return ACKCLOCK_OK;
}

static uint64_t t_timeout(const ackclock_transport *t) { return t->timer; }

static int32_t t_expire(ackclock_transport *t, uint64_t now) {
    if (t->timer > now) return ACKCLOCK_OK;
    t->timeout = smaller(2 * t->timeout, MOST_TIMEOUT);
    t->timer = ACKCLOCK_NEVER;
    if (++t->unanswered > PATIENCE) {
        end(t, "no answer after %llu timeouts", PATIENCE);
        return ACKCLOCK_OK;
    }
    if (!t->connected) {
        t->hello_due = 1;
    } else if (t->limit <= t->unsent.start) {
        t->probe_due = 1; /* The peer's window is closed. */
    } else {
        reduce(t, t->payload);
        t->counts.timeouts++;
    }
    arm(t, now);
    return ACKCLOCK_OK;
}

static int32_t t_open(ackclock_transport *t, uint64_t now, uint64_t *stream) {
    (void)now;
    if (t->connected) *stream = STREAM;
    return ACKCLOCK_OK;
}

static int32_t t_write(ackclock_transport *t, uint64_t now, uint64_t stream, const uint8_t *bytes, size_t length,
                       size_t *taken) {
    if (stream != STREAM || t->finished || t->over) return ACKCLOCK_OK;
    *taken = (size_t)smaller(length, CAPACITY - t->unsent.length);
    put(&t->unsent, bytes, *taken);
    t->short_write = *taken < length;
    arm(t, now);
    return ACKCLOCK_OK;
}

static int32_t t_finish(ackclock_transport *t, uint64_t now, uint64_t stream) {
    if (stream == STREAM) t->finished = 1;
    arm(t, now);
    return ACKCLOCK_OK;
}

static int32_t t_read(ackclock_transport *t, uint64_t now, uint64_t stream, uint8_t *buffer, size_t capacity,
                      size_t *count) {
    int small = t->arrived.length > CAPACITY / 2;
    (void)now;
    if (stream != STREAM) return ACKCLOCK_OK;
    *count = (size_t)smaller(capacity, t->arrived.length);
    copy(&t->arrived, t->arrived.start, buffer, *count);
    drop(&t->arrived, *count);
    /* The peer learns that the window has opened. */
    if (small && t->arrived.length <= CAPACITY / 2) t->answer_due = 1;
    tell_end(t);
    return ACKCLOCK_OK;
}

static int32_t t_close(ackclock_transport *t, uint64_t now, uint64_t code) {
    (void)now;
    t->code = code;
    t->close_due = t->connected && !t->over;
    t->over = 1;
    t->timer = ACKCLOCK_NEVER;
    return ACKCLOCK_OK;
}

static int32_t t_poll(ackclock_transport *t, ackclock_event *event) {
    uint32_t kind = ACKCLOCK_CONNECTED;
    while (kind <= ACKCLOCK_CLOSED && !(t->events >> kind & 1)) kind++;
    if (kind > ACKCLOCK_CLOSED) return ACKCLOCK_OK;
    t->events &= ~(1u << kind);
    event->kind = kind;
    event->stream = STREAM;
    if (kind == ACKCLOCK_CLOSED) {
        event->reason.start = t->reason;
        event->reason.length = strlen(t->reason);
    }
    return ACKCLOCK_OK;
}

static int32_t t_statistics(const ackclock_transport *t, ackclock_statistics *statistics) {
    static const ackclock_text slow_start = ACKCLOCK_TEXT("slow start");
    static const ackclock_text avoidance = ACKCLOCK_TEXT("congestion avoidance");
    statistics->window = t->window;
    if (t->threshold != UINT64_MAX) statistics->threshold = t->threshold;
    statistics->in_flight = smaller(t->next, written(t)) - smaller(t->unsent.start, t->next);
    if (t->srtt) {
        statistics->srtt = t->srtt;
        statistics->rtt_variation = t->variation;
        statistics->latest_rtt = t->counts.latest_rtt;
        statistics->min_rtt = t->counts.min_rtt;
    }
    statistics->lost = t->counts.lost;
    statistics->retransmitted = t->counts.retransmitted;
    statistics->timeouts = t->counts.timeouts;
    statistics->reductions = t->counts.reductions;
    statistics->state = t->window < t->threshold ? slow_start : avoidance;
    return ACKCLOCK_OK;
}

static const ackclock_parameter parameters[] = {
    {ACKCLOCK_TEXT("initial-window"), ACKCLOCK_TEXT("first window, in datagrams"), ACKCLOCK_NUMBER, 0, 1, 100, 10,
     NULL, 0, 0},
};

static const ackclock_stack stacks[] = {
    {ACKCLOCK_TEXT("template-name"), ACKCLOCK_TEXT("go-back-N with AIMD"), ACKCLOCK_TEXT("0.1.0"), parameters, 1, 28, 0,
     t_create, t_destroy, t_error, t_connect, t_receive, t_transmit, t_timeout, t_expire, t_open, t_write, t_finish,
     t_read, t_close, t_poll, t_statistics, NULL, NULL, NULL, NULL},
};

ACKCLOCK_TRANSPORTS(stacks);
