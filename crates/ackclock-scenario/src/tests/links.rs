//! Links: rates that vary, delays that change, impairments, presets, and traces in files.

use super::*;

/// Fields of a link's tables, each with three texts: the path below the bottleneck without kinds, indices and
/// `reverse_`, a value of the table, and the same table with another value of the field.
const FIELDS: &[(&str, &str, &str)] = &[
    ("rate.steps", "rate = { kind = 'steps', steps = [{ at = '0s', rate = '1Mbps' }] }", STEPS),
    (
        "rate.steps.at",
        STEPS,
        "rate = { kind = 'steps', steps = [{ at = '0s', rate = '1Mbps' }, { at = '2s', rate = '0bps' }] }",
    ),
    (
        "rate.steps.rate",
        STEPS,
        "rate = { kind = 'steps', steps = [{ at = '0s', rate = '1Mbps' }, { at = '1s', rate = '2bps' }] }",
    ),
    (
        "rate.repeat_every",
        STEPS,
        "rate = { kind = 'steps', steps = [{ at = '0s', rate = '1Mbps' }, { at = '1s', rate = '0bps' }], repeat_every = '2s' }",
    ),
    ("rate.file", "rate = { kind = 'trace', file = 'one.down' }", "rate = { kind = 'trace', file = 'two.down' }"),
    ("rate.form", SERIES, "rate = { kind = 'series', file = 'set.csv', form = 'columns' }"),
    ("rate.time", SERIES, "rate = { kind = 'series', file = 'set.csv', time = '1' }"),
    ("rate.rate", SERIES, "rate = { kind = 'series', file = 'set.csv', rate = 'up_mbps' }"),
    ("rate.unit", SERIES, "rate = { kind = 'series', file = 'set.csv', unit = 'kbit/s' }"),
    ("rate.max_rate", "rate = 'cellular'", "rate = { kind = 'cellular', max_rate = '5Mbps' }"),
    ("rate.sigma", "rate = 'cellular'", "rate = { kind = 'cellular', sigma = 100 }"),
    ("rate.outage_escape", "rate = 'cellular'", "rate = { kind = 'cellular', outage_escape = 2 }"),
    ("delay.steps", "delay = { steps = [{ at = '0s', delay = '1ms' }] }", DELAYS),
    ("delay.steps.at", DELAYS, "delay = { steps = [{ at = '0s', delay = '1ms' }, { at = '2s', delay = '2ms' }] }"),
    ("delay.steps.delay", DELAYS, "delay = { steps = [{ at = '0s', delay = '1ms' }, { at = '1s', delay = '3ms' }] }"),
    (
        "delay.repeat_every",
        DELAYS,
        "delay = { steps = [{ at = '0s', delay = '1ms' }, { at = '1s', delay = '2ms' }], repeat_every = '9s' }",
    ),
    ("jitter", "", "jitter = '5ms'"),
    ("jitter.max", "jitter = '5ms'", "jitter = { max = '6ms' }"),
    ("jitter.reorder", "jitter = '5ms'", "jitter = { max = '5ms', reorder = true }"),
    (
        "jitter.mean",
        "jitter = { kind = 'exponential', mean = '1ms' }",
        "jitter = { kind = 'exponential', mean = '2ms' }",
    ),
    (
        "jitter.sd",
        "jitter = { kind = 'normal', mean = '1ms', sd = '1ms' }",
        "jitter = { kind = 'normal', mean = '1ms', sd = '2ms' }",
    ),
    (
        "jitter.values",
        "jitter = { kind = 'empirical', values = ['1ms'] }",
        "jitter = { kind = 'empirical', values = ['1ms', '1ms'] }",
    ),
    ("duplication", "", "duplication = '1%'"),
    ("corruption", "", "corruption = '1%'"),
    ("loss.probability", "loss = '1%'", "loss = '2%'"),
    ("loss.every", "loss = { kind = 'periodic', every = 7 }", "loss = { kind = 'periodic', every = 8, first = 7 }"),
    ("loss.first", "loss = { kind = 'periodic', every = 7 }", "loss = { kind = 'periodic', every = 7, first = 8 }"),
    ("loss.p", BURSTS, "loss = { kind = 'gilbert-elliott', p = '2%', r = '10%' }"),
    ("loss.r", BURSTS, "loss = { kind = 'gilbert-elliott', p = '1%', r = '20%' }"),
    ("loss.good_loss", BURSTS, "loss = { kind = 'gilbert-elliott', p = '1%', r = '10%', good_loss = '0.1%' }"),
    ("loss.bad_loss", BURSTS, "loss = { kind = 'gilbert-elliott', p = '1%', r = '10%', bad_loss = '50%' }"),
    ("loss.packets", "loss = { kind = 'list', packets = [3, 9] }", "loss = { kind = 'list', packets = [3, 10] }"),
    (
        "loss.good_time",
        "loss = { kind = 'gilbert-elliott-time', good_time = '1s', bad_time = '20ms' }",
        "loss = { kind = 'gilbert-elliott-time', good_time = '2s', bad_time = '20ms' }",
    ),
    (
        "loss.bad_time",
        "loss = { kind = 'gilbert-elliott-time', good_time = '1s', bad_time = '20ms' }",
        "loss = { kind = 'gilbert-elliott-time', good_time = '1s', bad_time = '30ms' }",
    ),
    (
        "loss.interval",
        "loss = { kind = 'fades', interval = '9s', duration = '1s' }",
        "loss = { kind = 'fades', interval = '8s', duration = '1s' }",
    ),
    (
        "loss.duration",
        "loss = { kind = 'fades', interval = '9s', duration = '1s' }",
        "loss = { kind = 'fades', interval = '9s', duration = '2s' }",
    ),
    (
        "loss.sigma",
        "loss = { kind = 'fades', interval = '9s', duration = '1s' }",
        "loss = { kind = 'fades', interval = '9s', duration = '1s', sigma = 0.5 }",
    ),
    (
        "loss.loss",
        "loss = { kind = 'fades', interval = '9s', duration = '1s' }",
        "loss = { kind = 'fades', interval = '9s', duration = '1s', loss = '50%' }",
    ),
    (
        "loss.clear_loss",
        "loss = { kind = 'fades', interval = '9s', duration = '1s' }",
        "loss = { kind = 'fades', interval = '9s', duration = '1s', clear_loss = '1%' }",
    ),
    (
        "loss.period",
        "loss = { kind = 'interference', period = '20ms', duration = '2ms' }",
        "loss = { kind = 'interference', period = '30ms', duration = '2ms' }",
    ),
    (
        "loss.phase",
        "loss = { kind = 'interference', period = '20ms', duration = '2ms' }",
        "loss = { kind = 'interference', period = '20ms', duration = '2ms', phase = '1ms' }",
    ),
    (
        "loss.steps",
        "loss = { kind = 'steps', steps = [{ at = '0s', probability = '1%' }] }",
        "loss = { kind = 'steps', steps = [{ at = '0s', probability = '1%' }, { at = '1s', probability = '0%' }] }",
    ),
    (
        "loss.steps.at",
        "loss = { kind = 'steps', steps = [{ at = '0s', probability = '1%' }, { at = '1s', probability = '0%' }] }",
        "loss = { kind = 'steps', steps = [{ at = '0s', probability = '1%' }, { at = '2s', probability = '0%' }] }",
    ),
    (
        "loss.steps.probability",
        "loss = { kind = 'steps', steps = [{ at = '0s', probability = '1%' }] }",
        "loss = { kind = 'steps', steps = [{ at = '0s', probability = '2%' }] }",
    ),
    (
        "loss.repeat_every",
        "loss = { kind = 'steps', steps = [{ at = '0s', probability = '1%' }] }",
        "loss = { kind = 'steps', steps = [{ at = '0s', probability = '1%' }], repeat_every = '2s' }",
    ),
    ("netem", "", "netem = {}"),
    (
        "netem.limit",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B' }",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B', limit = 50 }",
    ),
    (
        "netem.delay",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B' }",
        "netem = { delay = '30ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B' }",
    ),
    (
        "netem.jitter",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B' }",
        "netem = { delay = '20ms', jitter = '6ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B' }",
    ),
    (
        "netem.delay_correlation",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B' }",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B', delay_correlation = '25%' }",
    ),
    (
        "netem.distribution",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B' }",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B', distribution = 'normal' }",
    ),
    (
        "netem.distribution.file",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B', distribution = { kind = 'table', file = 'one.dist' } }",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B', distribution = { kind = 'table', file = 'two.dist' } }",
    ),
    (
        "netem.loss",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B' }",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B', loss = '1%' }",
    ),
    (
        "netem.loss.probability",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', ecn = true, rate = '1Mbps', cell_size = '48B' }",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', ecn = true, rate = '1Mbps', cell_size = '48B', loss = '2%' }",
    ),
    (
        "netem.loss.correlation",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B' }",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B', loss = { probability = '0%', correlation = '25%' } }",
    ),
    (
        "netem.loss.p31",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B', loss = { kind = 'state', p13 = '1%' } }",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B', loss = { kind = 'state', p13 = '1%', p31 = '30%' } }",
    ),
    (
        "netem.loss.p32",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B', loss = { kind = 'state', p13 = '1%' } }",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B', loss = { kind = 'state', p13 = '1%', p32 = '30%' } }",
    ),
    (
        "netem.loss.p23",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B', loss = { kind = 'state', p13 = '1%' } }",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B', loss = { kind = 'state', p13 = '1%', p23 = '30%' } }",
    ),
    (
        "netem.loss.p14",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B', loss = { kind = 'state', p13 = '1%' } }",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B', loss = { kind = 'state', p13 = '1%', p14 = '30%' } }",
    ),
    (
        "netem.loss.p13",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B', loss = { kind = 'state', p13 = '1%' } }",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B', loss = { kind = 'state', p13 = '2%' } }",
    ),
    (
        "netem.loss.p",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B', loss = { kind = 'gemodel', p = '1%' } }",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B', loss = { kind = 'gemodel', p = '2%' } }",
    ),
    (
        "netem.loss.r",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B', loss = { kind = 'gemodel', p = '1%' } }",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B', loss = { kind = 'gemodel', p = '1%', r = '30%' } }",
    ),
    (
        "netem.loss.bad_loss",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B', loss = { kind = 'gemodel', p = '1%' } }",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B', loss = { kind = 'gemodel', p = '1%', bad_loss = '30%' } }",
    ),
    (
        "netem.loss.good_loss",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B', loss = { kind = 'gemodel', p = '1%' } }",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B', loss = { kind = 'gemodel', p = '1%', good_loss = '30%' } }",
    ),
    (
        "netem.ecn",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B' }",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B', ecn = true }",
    ),
    (
        "netem.duplicate",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B' }",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '2%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B' }",
    ),
    (
        "netem.duplicate_correlation",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B' }",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B', duplicate_correlation = '25%' }",
    ),
    (
        "netem.corrupt",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B' }",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '2%', reorder = '25%', rate = '1Mbps', cell_size = '48B' }",
    ),
    (
        "netem.corrupt_correlation",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B' }",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B', corrupt_correlation = '25%' }",
    ),
    (
        "netem.reorder",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B' }",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '30%', rate = '1Mbps', cell_size = '48B' }",
    ),
    (
        "netem.reorder_correlation",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B' }",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B', reorder_correlation = '25%' }",
    ),
    (
        "netem.gap",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B' }",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B', gap = 5 }",
    ),
    (
        "netem.rate",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B' }",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '2Mbps', cell_size = '48B' }",
    ),
    (
        "netem.packet_overhead",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B' }",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B', packet_overhead = -4 }",
    ),
    (
        "netem.cell_size",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B' }",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '53B' }",
    ),
    (
        "netem.cell_overhead",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B' }",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B', cell_overhead = 5 }",
    ),
    (
        "netem.slot",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B' }",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B', slot = '5ms' }",
    ),
    (
        "netem.slot.min",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B', slot = { min = '5ms' } }",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B', slot = { min = '6ms' } }",
    ),
    (
        "netem.slot.max",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B', slot = { min = '5ms' } }",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B', slot = { min = '5ms', max = '6ms' } }",
    ),
    (
        "netem.slot.packets",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B', slot = { min = '5ms' } }",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B', slot = { min = '5ms', packets = 3 } }",
    ),
    (
        "netem.slot.bytes",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B', slot = { min = '5ms' } }",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B', slot = { min = '5ms', bytes = '3kB' } }",
    ),
    (
        "netem.slot.delay",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B', slot = { kind = 'table', delay = '5ms', jitter = '1ms', distribution = 'pareto' } }",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B', slot = { kind = 'table', delay = '6ms', jitter = '1ms', distribution = 'pareto' } }",
    ),
    (
        "netem.slot.jitter",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B', slot = { kind = 'table', delay = '5ms', jitter = '1ms', distribution = 'pareto' } }",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B', slot = { kind = 'table', delay = '5ms', jitter = '2ms', distribution = 'pareto' } }",
    ),
    (
        "netem.slot.distribution",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B', slot = { kind = 'table', delay = '5ms', jitter = '1ms', distribution = 'pareto' } }",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B', slot = { kind = 'table', delay = '5ms', jitter = '1ms', distribution = 'paretonormal' } }",
    ),
    (
        "netem.slot.distribution.file",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B', slot = { kind = 'table', delay = '5ms', jitter = '1ms', distribution = { kind = 'table', file = 'one.dist' } } }",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B', slot = { kind = 'table', delay = '5ms', jitter = '1ms', distribution = { kind = 'table', file = 'two.dist' } } }",
    ),
    (
        "netem.seed",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B' }",
        "netem = { delay = '20ms', jitter = '5ms', duplicate = '1%', corrupt = '1%', reorder = '25%', rate = '1Mbps', cell_size = '48B', seed = 7 }",
    ),
    ("outages", "", "outages = [{ from = '1s', to = '2s' }]"),
    ("outages.from", "outages = [{ from = '1s', to = '2s' }]", "outages = [{ from = '0.5s', to = '2s' }]"),
    ("outages.to", "outages = [{ from = '1s', to = '2s' }]", "outages = [{ from = '1s', to = '3s' }]"),
    (
        "outages.packets",
        "outages = [{ from = '1s', to = '2s' }]",
        "outages = [{ from = '1s', to = '2s', packets = 'lost' }]",
    ),
];
const SERIES: &str = "rate = { kind = 'series', file = 'set.csv' }";
const STEPS: &str = "rate = { kind = 'steps', steps = [{ at = '0s', rate = '1Mbps' }, { at = '1s', rate = '0bps' }] }";
const DELAYS: &str = "delay = { steps = [{ at = '0s', delay = '1ms' }, { at = '1s', delay = '2ms' }] }";
const BURSTS: &str = "loss = { kind = 'gilbert-elliott', p = '1%', r = '10%' }";

/// Returns the path below the bottleneck without kinds, indices and `reverse_`.
fn plain(path: &str) -> Option<String> {
    let path = path.strip_prefix("bottleneck.")?;
    let mut plain = String::new();
    let mut inside = false;
    for c in path.strip_prefix("reverse_").unwrap_or(path).chars() {
        match c {
            '[' | '<' => inside = true,
            ']' | '>' => inside = false,
            c if !inside => plain.push(c),
            _ => {}
        }
    }
    Some(plain)
}

/// Whether the tests of this file cover a field.
pub(super) fn is_of_a_link(path: &str) -> bool {
    let Some(plain) = plain(path) else { return false };
    let elsewhere = ["loss<random>", "loss<periodic>", "loss.kind"].iter().any(|part| path.contains(part))
        && !path.contains("netem");
    let union = ["rate", "jitter", "duplication", "corruption"].iter().any(|union| plain == format!("{union}.kind"));
    let of_loss = plain.split_once('.').filter(|(table, _)| ["duplication", "corruption"].contains(table));
    let plain = of_loss.map_or(plain.clone(), |(_, field)| format!("loss.{field}"));
    let own = path == "bottleneck.preset" || path == "bottleneck.reverse_delay" || plain.ends_with(".sha256");
    (own || union || FIELDS.iter().any(|(field, ..)| *field == plain)) && !elsewhere
}

fn files(path: &str) -> Result<Vec<u8>, String> {
    match path {
        "one.down" | "copies/one.down" => Ok(b"0\n1\n1\n4\n".to_vec()),
        "two.down" => Ok(b"0\n1\n2\n4\n".to_vec()),
        "one.dist" => Ok(b"# one\n-5 0 5\n".to_vec()),
        "two.dist" => Ok(b"-6 0 6\n".to_vec()),
        "set.csv" => Ok(b"time,down_mbps,up_mbps\n0,8,1\n2,9,1\n".to_vec()),
        "empty.down" => Ok(Vec::new()),
        "text.down" => Ok(b"1\n2\nthree\n".to_vec()),
        "instant.down" => Ok(b"0\n0\n".to_vec()),
        _ => Err("no such file".to_owned()),
    }
}

/// Reads the base scenario with other keys of the bottleneck; the given keys replace those of the base.
fn read(keys: &str) -> Result<Scenario, ScenarioError> {
    let own = |key: &str| keys.lines().any(|line| line.starts_with(&format!("{key} =")));
    let rest: String = [("rate", "'1Mbps'"), ("delay", "'200ms'"), ("queue", "'50 packets'")]
        .iter()
        .filter(|(key, _)| !own(key) && !own("preset"))
        .map(|(key, value)| format!("{key} = {value}\n"))
        .collect();
    let text = format!("duration = '60s'\n[bottleneck]\n{keys}\n{rest}[[flows]]\napp = 'bulk'\n");
    Scenario::from_toml_with(&text, &[], Outside { files: &files, ..Outside::NOTHING })
}

fn sound(keys: &str) -> Scenario {
    read(keys).unwrap_or_else(|error| panic!("{keys}: {error}"))
}

#[test]
fn every_field_moves_the_hash_in_both_directions_and_reads_back() {
    for (field, before, after) in FIELDS {
        for direction in ["", "reverse_"] {
            let own = |keys: &str| if keys.is_empty() { String::new() } else { format!("{direction}{keys}") };
            let (before, after) = (sound(&own(before)), sound(&own(after)));
            assert_ne!(before.hash(), after.hash(), "{direction}{field}");
            let text = after.to_json().to_string();
            let outside = Outside { files: &files, ..Outside::NOTHING };
            assert_eq!(Scenario::from_json_with(&text, &[], outside), Ok(after), "{direction}{field}");
        }
    }
    let rows = reference();
    let paths = rows.as_array().expect("a list").iter().map(|row| row["path"].as_str().expect("a path"));
    let untested = |path: &&str| {
        let Some(plain) = plain(path) else { return false };
        let in_forms = CHANGES.iter().any(|(path, _)| super::links::plain(path).as_ref() == Some(&plain));
        let policed = super::policers::is_of_a_policer(path);
        !in_forms && !policed && !is_of_a_link(path) && !path.contains("queue<") && !plain.ends_with("kind")
    };
    assert_eq!(paths.filter(untested).collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn a_varying_rate_counts_with_its_mean() {
    let limit = |keys: &str| sound(&format!("{keys}\nqueue = '1bdp'")).queue_limit();
    // 2 Mbit/s for 15 s of 60 s and zero otherwise: 0.5 Mbit/s * 0.4 s.
    let once = "rate = { kind = 'steps', steps = [{ at = '0s', rate = '2Mbps' }, { at = '15s', rate = '0bps' }] }";
    assert_eq!(limit(once), QueueLimit::Bytes(25_000));
    let again = "rate = { kind = 'steps', steps = [{ at = '0s', rate = '2Mbps' }, { at = '1s', rate = '1Mbps' }], repeat_every = '2s' }";
    assert_eq!(limit(again), QueueLimit::Bytes(75_000));
    // Four delivery opportunities of 12,000 bits in 4 ms.
    assert_eq!(limit("rate = { kind = 'trace', file = 'one.down' }"), QueueLimit::Bytes(600_000));
    let scenario = sound("rate = 'cellular'\nreverse_rate = '2Mbps'");
    assert!((4_000_000..4_200_000).contains(&scenario.rate().bits()), "{:?}", scenario.rate());
    assert_eq!(scenario.reverse_rate().bits(), 2_000_000);
    let netem = sound("netem = { delay = '20ms' }\nreverse_netem = { delay = '30ms' }");
    assert_eq!(netem.base_rtt(&netem.flows[0]), 450_000_000, "the delays of the link and of its netem");
    let delays = sound(&format!("{DELAYS}\nreverse_delay = '30ms'"));
    assert_eq!(delays.base_rtt(&delays.flows[0]), 31_000_000, "the delays at the start");
}

#[test]
fn a_trace_is_what_is_in_it_wherever_it_lies() {
    let trace = |file: &str| sound(&format!("rate = {{ kind = 'trace', file = '{file}' }}"));
    assert_eq!(trace("one.down").hash(), trace("copies/one.down").hash());
    let canonical = trace("one.down").to_json();
    assert!(canonical.pointer("/bottleneck/rate/sha256").and_then(Json::as_str).is_some_and(|text| text.len() == 64));
    let text = canonical.to_string().replace("one.down", "two.down");
    let error =
        Scenario::from_json_with(&text, &[], Outside { files: &files, ..Outside::NOTHING }).expect_err("another");
    assert!(error.to_string().contains("bottleneck.rate.sha256: "), "{error}");
    assert!(error.to_string().contains("is not that of \"two.down\""), "{error}");
}

#[test]
fn what_cannot_be_is_one_clear_message() {
    let trace =
        "accepted: the path, from the scenario's folder, of a delivery trace such as \"Verizon-LTE-short.down\"";
    let lines =
        "accepted: in each line a whole number of milliseconds, none below the one above it, the last above zero";
    let steps = |steps: &str| format!("rate = {{ kind = 'steps', {steps} }}");
    for (keys, expected) in [
        ("rate = { kind = 'trace' }".to_owned(), format!("rate.file: missing; {trace}")),
        (
            "rate = { kind = 'cellular', max_rate = '1Tbps' }".to_owned(),
            "rate.max_rate: \"1Tbps\" is more than 100Gbps; accepted: a rate from \"1bps\" to \"100Gbps\" (units: bps, kbps, Mbps, Gbps, Tbps)".to_owned(),
        ),
        (
            "rate = { kind = 'trace', file = 'none.down' }".to_owned(),
            format!("rate.file: \"none.down\" cannot be read: no such file; {trace}"),
        ),
        (
            "rate = { kind = 'trace', file = 'empty.down' }".to_owned(),
            format!(
                "rate.file: \"empty.down\" is not a delivery trace: the trace is empty; write one whole number of milliseconds per line; {lines}"
            ),
        ),
        (
            "rate = { kind = 'trace', file = 'text.down' }".to_owned(),
            format!(
                "rate.file: \"text.down\" is not a delivery trace: line 3: \"three\" is not a whole number of milliseconds; {lines}"
            ),
        ),
        (
            "rate = { kind = 'trace', file = 'instant.down' }".to_owned(),
            format!(
                "rate.file: \"instant.down\" is not a delivery trace: line 2: the trace ends at 0 ms; its last line must be above 0; {lines}"
            ),
        ),
        (
            steps("steps = [{ at = '1s', rate = '1Mbps' }]"),
            "rate.steps[0].at: \"1s\" is not the start; accepted: \"0s\" for the first step".to_owned(),
        ),
        (
            steps(
                "steps = [{ at = '0s', rate = '1Mbps' }, { at = '3s', rate = '0bps' }, { at = '2s', rate = '1Mbps' }]",
            ),
            "rate.steps[2].at: \"2s\" is not after the step before it; accepted: more than \"3s\"".to_owned(),
        ),
        (
            steps("steps = [{ at = '0s', rate = '0bps' }]"),
            "rate.steps: are zero throughout; accepted: at least one rate above zero".to_owned(),
        ),
        (
            steps("steps = [{ at = '0s', rate = '1bps' }, { at = '3s', rate = '2bps' }], repeat_every = '3s'"),
            "rate.repeat_every: \"3s\" is not after the last step; accepted: more than \"3s\"".to_owned(),
        ),
        (
            "delay = { steps = [{ at = '0s', delay = '9ms' }, { at = '0s', delay = '8ms' }] }".to_owned(),
            "delay.steps[1].at: \"0s\" is not after the step before it; accepted: more than \"0s\"".to_owned(),
        ),
        (
            "outages = [{ from = '3s', to = '2s' }]".to_owned(),
            "outages[0].to: \"2s\" is not after its beginning; accepted: more than \"3s\"".to_owned(),
        ),
        (
            "reverse_outages = [{ from = '1s', to = '4s' }, { from = '3s', to = '5s' }]".to_owned(),
            "reverse_outages[1].from: \"3s\" is before the end of the outage before it; accepted: at least \"4s\""
                .to_owned(),
        ),
        (
            "loss = { kind = 'list', packets = [4, 4] }".to_owned(),
            "loss.packets[1]: 4 repeats 4 before it; accepted: ascending order, each once".to_owned(),
        ),
        (
            "loss = { kind = 'steps', steps = [{ at = '1s', probability = '1%' }] }".to_owned(),
            "loss.steps[0].at: \"1s\" is not the start; accepted: \"0s\" for the first step".to_owned(),
        ),
        (
            "corruption = { kind = 'interference', period = '5ms', duration = '6ms' }".to_owned(),
            "corruption.duration: \"6ms\" is more than the period, so that the bursts overlap; accepted: at most \"5ms\"".to_owned(),
        ),
        (
            "netem = { distribution = 'normal' }".to_owned(),
            "netem.distribution: \"normal\" has no effect without jitter; accepted: a jitter above zero beside it".to_owned(),
        ),
        (
            "reverse_netem = { reorder = '25%' }".to_owned(),
            "reverse_netem.reorder: \"25%\" has no effect without delay; accepted: a delay above zero beside it".to_owned(),
        ),
        (
            "netem = { rate = '1Mbps', cell_size = '48B', cell_overhead = -48 }".to_owned(),
            "netem.cell_overhead: -48 leaves nothing of a cell; accepted: more than -48".to_owned(),
        ),
        (
            "netem = { slot = { min = '5ms', max = '4ms' } }".to_owned(),
            "netem.slot.max: \"4ms\" is less than min; accepted: at least \"5ms\"".to_owned(),
        ),
        (
            "netem = { slot = '0us' }".to_owned(),
            "netem.slot: \"0us\" has no time from slot to slot; accepted: a min or a max above zero".to_owned(),
        ),
        (
            "netem = { rate = '1Mbps', packet_overhead = 1.5 }".to_owned(),
            "netem.packet_overhead: 1.5 is not a whole number; accepted: a whole number of bytes from -65535 to 65535".to_owned(),
        ),
        (
            "netem = { jitter = '1ms', distribution = { kind = 'table', file = 'text.down' } }".to_owned(),
            "netem.distribution.file: \"text.down\" is not a delay table of iproute2: line 3: \"three\" is not a whole number from -32768 to 32767; \
             accepted: whole numbers from -32768 to 32767 with white space between them, at most 16384; # begins a comment".to_owned(),
        ),
    ] {
        let error = read(&keys).expect_err(&keys);
        assert_eq!(error.problems.len(), 1, "{error}");
        let problem = &error.problems[0];
        assert_eq!(format!("{}: {}", problem.path, problem.message), format!("bottleneck.{expected}"));
        assert_eq!(problem.line, Some(3), "{error}");
    }
}

#[test]
fn a_preset_holds_where_the_scenario_is_silent() {
    for preset in PRESETS {
        assert!(!preset.source.is_empty() && preset.summary.ends_with('.'), "{}", preset.name);
        let scenario = sound(&format!("preset = '{}'", preset.name));
        assert_eq!(Scenario::from_json(&scenario.to_json().to_string(), &[]), Ok(scenario));
    }
    let satellite = "preset = 'satellite'";
    let scenario = sound(satellite);
    assert_eq!((scenario.rate().bits(), scenario.reverse_rate().bits()), (40_000_000, 4_000_000));
    assert_eq!(scenario.base_rtt(&scenario.flows[0]), 600_000_000);
    let spelt = "rate = '40Mbps'\nreverse_rate = '4Mbps'\ndelay = '300ms'\nqueue = '1bdp'";
    assert_eq!(scenario.hash(), sound(spelt).hash(), "a name changes nothing");
    let own = sound("preset = 'edge'\nrate = '200kbps'\nqueue = '9 packets'");
    assert_eq!(
        (own.rate().bits(), own.reverse_rate().bits(), own.bottleneck.delay.first()),
        (200_000, 200_000, 250_000_000)
    );
    assert_eq!(own.queue_limit(), QueueLimit::Packets(9));
    assert_eq!(sound("preset = 'edge'").queue_limit(), QueueLimit::Packets(7));
    let overridden = set(&[("bottleneck.preset", "satellite"), ("bottleneck.reverse_rate", "1Mbps")]);
    assert_eq!(Scenario::from_toml(BASE, &overridden).expect("a scenario").reverse_rate().bits(), 1_000_000);

    let error = read("preset = 'satelite'").expect_err("no such preset").to_string();
    assert!(error.contains("bottleneck.preset: \"satelite\" is not a known preset; accepted: edge, hspa"), "{error}");
    assert!(error.contains("did you mean \"satellite\"?"), "{error}");
    let error =
        Scenario::from_toml("duration = '1s'\n[bottleneck]\n[[flows]]\napp = 'bulk'", &[]).expect_err("no rate");
    assert!(error.to_string().contains("bottleneck.rate: missing; accepted: a rate above zero"), "{error}");
}
