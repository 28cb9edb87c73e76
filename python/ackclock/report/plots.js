"use strict";
// Draws the plots of a page. `ackclock.plot(element, figure, sync)` draws one and gives the uPlot.
const ackclock = (() => {
  const variable = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const night = matchMedia("(prefers-color-scheme: dark)");
  const colourOf = (series) => (night.matches ? series.dark : series.colour);
  const plots = new Set();

  // Series keep their own x: where another series has a point and this one has none, hovering shows the value that
  // holds there (steps; none in a gap) or the nearest one (everything else).
  const nearest = (u, index, at, isStep) => {
    const x = u.data[0];
    const y = u.data[index];
    const known = (value) => (isStep ? value !== undefined : value != null);
    if (index === 0 || known(y[at])) return at;
    let left = at;
    let right = at;
    while (left >= 0 && !known(y[left])) left--;
    while (right < y.length && !known(y[right])) right++;
    if (left < 0 && right >= y.length) return at;
    if (right >= y.length || (isStep && left >= 0)) return left;
    if (left < 0) return right;
    return x[at] - x[left] <= x[right] - x[at] ? left : right;
  };

  const clipped = (u, draw) => {
    const { ctx, bbox } = u;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    draw(ctx, devicePixelRatio);
    ctx.restore();
  };

  const eachShown = (u, figure, kinds, draw) =>
    figure.series.forEach((series, index) => {
      if (kinds.includes(series.kind) && u.series[index + 1].show) draw(series);
    });

  const drawBands = (u, figure) =>
    clipped(u, (ctx) =>
      eachShown(u, figure, ["band"], (series) => {
        const ends = series.x.map((x, at) => [x, series.low[at], series.high[at]]).filter((end) => end[1] != null);
        ctx.fillStyle = colourOf(series);
        ctx.globalAlpha = 0.18;
        ctx.beginPath();
        for (const [x, low] of ends) ctx.lineTo(u.valToPos(x, "x", true), u.valToPos(low, "y", true));
        for (const [x, , high] of ends.reverse()) ctx.lineTo(u.valToPos(x, "x", true), u.valToPos(high, "y", true));
        ctx.fill();
      }),
    );

  const drawIntervals = (u, figure) =>
    clipped(u, (ctx, pixels) =>
      eachShown(u, figure, ["interval"], (series) => {
        ctx.lineWidth = 2 * pixels;
        ctx.strokeStyle = colourOf(series);
        ctx.beginPath();
        series.x.forEach((value, at) => {
          if (series.low[at] == null || series.high[at] == null) return;
          const x = u.valToPos(value, "x", true);
          const low = u.valToPos(series.low[at], "y", true);
          const high = u.valToPos(series.high[at], "y", true);
          for (const [fromX, fromY, toX, toY] of [
            [x, low, x, high],
            [x - 4 * pixels, low, x + 4 * pixels, low],
            [x - 4 * pixels, high, x + 4 * pixels, high],
          ]) {
            ctx.moveTo(fromX, fromY);
            ctx.lineTo(toX, toY);
          }
        });
        ctx.stroke();
      }),
    );

  const drawBars = (u, figure) =>
    clipped(u, (ctx, pixels) =>
      eachShown(u, figure, ["bars"], (series) => {
        ctx.lineWidth = pixels;
        ctx.strokeStyle = colourOf(series);
        ctx.beginPath();
        series.x.forEach((value, at) => {
          const x = u.valToPos(value, "x", true);
          ctx.moveTo(x, u.valToPos(series.low[at], "y", true));
          ctx.lineTo(x, u.valToPos(series.high[at], "y", true));
        });
        ctx.stroke();
      }),
    );

  // Markers as matplotlib names them: corners around the middle, or the number of corners of a polygon and its turn.
  const polygon = (corners, turn, inner = 1) =>
    Array.from({ length: corners }, (_, at) => {
      const angle = turn + (2 * Math.PI * at) / corners;
      const radius = at % 2 ? inner : 1;
      return [radius * Math.sin(angle), -radius * Math.cos(angle)];
    });
  const cross = [[-0.4, -1], [0.4, -1], [0.4, -0.4], [1, -0.4], [1, 0.4], [0.4, 0.4], [0.4, 1], [-0.4, 1], [-0.4, 0.4],
    [-1, 0.4], [-1, -0.4], [-0.4, -0.4]]; // prettier-ignore
  const MARKERS = {
    o: polygon(16, 0),
    "^": polygon(3, 0),
    ">": polygon(3, Math.PI / 2),
    v: polygon(3, Math.PI),
    "<": polygon(3, -Math.PI / 2),
    s: polygon(4, Math.PI / 4),
    D: polygon(4, 0),
    d: polygon(4, 0).map(([x, y]) => [0.6 * x, y]),
    p: polygon(5, 0),
    h: polygon(6, 0),
    "*": polygon(10, 0, 0.4),
    P: cross,
    X: cross.map(([x, y]) => [0.7 * (x - y), 0.7 * (x + y)]),
  };

  const drawMarkers = (u, figure) =>
    clipped(u, (ctx, pixels) =>
      eachShown(u, figure, ["band", "points", "interval"], (series) => {
        const size = (series.faint ? 1.5 : series.marker === "*" ? 6.5 : 4.5) * pixels;
        ctx.fillStyle = colourOf(series);
        series.x.forEach((value, at) => {
          if (series.y[at] == null) return;
          const x = u.valToPos(value, "x", true);
          const y = u.valToPos(series.y[at], "y", true);
          ctx.beginPath();
          for (const [right, down] of MARKERS[series.marker]) ctx.lineTo(x + size * right, y + size * down);
          ctx.fill();
        });
      }),
    );

  const yRange = (figure) => {
    const all = figure.series.flatMap((series) => [...(series.low ?? []), ...(series.high ?? [])]);
    const ends = all.filter((end) => end != null);
    return (u, low, high) => {
      if (low == null) return [0, 1];
      for (const end of ends) {
        low = Math.min(low, end);
        high = Math.max(high, end);
      }
      if (figure.from_zero) {
        low = Math.min(low, 0);
        high = Math.max(high, 0);
      }
      const pad = 0.05 * (high - low || Math.abs(high) || 1);
      return [figure.from_zero && low === 0 ? 0 : low - pad, figure.from_zero && high === 0 && low < 0 ? 0 : high + pad];
    };
  };

  // The whole range, with room for marks at its ends, or what was zoomed to: uPlot asks again whenever it draws, and
  // gives what it has been told before.
  const xRange = (figure) => {
    const marked = figure.series.some((series) => series.kind in { interval: 0, points: 0, band: 0 });
    // Panels that share a range share it to the pixel.
    const pad = marked && figure.x_range === undefined ? 0.02 : 0;
    return (u, low, high) => {
      const all = u.data[0];
      if (low == null) return [0, 1];
      if (low !== all[0] || high !== all[all.length - 1]) return [low, high];
      const [from, to] = figure.x_range ?? [low, high];
      return [from - pad * (to - from || 1), to + pad * (to - from || 1)];
    };
  };

  const written = new Intl.NumberFormat("en", { maximumSignificantDigits: 12 }).format;
  // A value holds until the next; null begins a gap, and undefined is where only other series have a point. uPlot's own
  // steps leave out what holds up to a gap.
  const steps = (u, index, first, last) => {
    const [x, y] = [u.data[0], u.data[index]];
    const stroke = new Path2D();
    const fill = new Path2D();
    const floor = u.valToPos(0, "y", true);
    let held = null;
    let right = 0;
    for (let at = first; at <= last; at++) {
      if (y[at] === undefined) continue;
      right = u.valToPos(x[at], "x", true);
      const level = y[at] === null ? null : u.valToPos(y[at], "y", true);
      if (held !== null) {
        stroke.lineTo(right, held);
        fill.lineTo(right, held);
      }
      if (level !== null) {
        if (held === null) {
          stroke.moveTo(right, level);
          fill.moveTo(right, floor);
        } else stroke.lineTo(right, level);
        fill.lineTo(right, level);
      } else if (held !== null) fill.lineTo(right, floor);
      held = level;
    }
    if (held !== null) fill.lineTo(right, floor);
    return { stroke, fill: u.series[index].fill ? fill : null };
  };

  const number = (digits) => (u, value) => (value == null ? "-" : String(Number(value.toPrecision(digits))));

  // The frame of a line's mark in the legend is drawn as the line is.
  const frameOf = ({ dash, faint }) => ({
    width: faint ? 1 : 2,
    dash: dash === undefined ? "solid" : dash[0] < 4 ? "dotted" : "dashed",
  });

  const seriesOptions = (series) => {
    const options = {
      label: series.label,
      stroke: () => colourOf(series),
      alpha: series.faint ? 0.45 : 1,
      width: series.faint || series.filled ? 1 : 2,
      spanGaps: true,
      dash: series.dash,
      value: number(5),
      points: { show: false },
    };
    if (series.filled) options.fill = () => `${colourOf(series)}30`;
    if (series.kind === "points" || series.kind === "bars") options.paths = () => null;
    if (series.kind === "step") options.paths = steps;
    return options;
  };

  const axis = (label, extra) => ({
    label,
    stroke: () => variable("--ink"),
    values: (u, splits) => splits.map((value) => (value == null ? "" : written(value))),
    grid: { stroke: () => variable("--line"), width: 1 },
    ticks: { stroke: () => variable("--line"), width: 1 },
    ...extra,
  });

  // Where a logarithm is drawn, marks are at the numbers themselves, as far as they have room.
  const logarithmic = (places) => ({
    splits: (u) => {
      let last = -Infinity;
      return places.map(Math.log10).filter((place) => {
        const x = u.valToPos(place, "x");
        if (x - last < 36) return false;
        last = x;
        return true;
      });
    },
    values: (u, splits) => splits.map((place) => String(Number((10 ** place).toPrecision(4)))),
  });

  const size = (element, tall) => {
    const width = Math.max(240, element.clientWidth);
    return { width, height: Math.round(Math.min(400, Math.max(240, 0.5 * width)) * (tall ?? 1)) };
  };

  const plot = (element, given, sync) => {
    let figure = given;
    if (given.x_log) {
      const series = given.series.map((one) => ({ ...one, x: one.x.map((x) => Math.log10(x)) }));
      figure = { ...given, series };
    }
    const frame = (index) => frameOf(figure.series[index - 1]);
    const held = [false, ...figure.series.map((series) => series.kind === "step")];
    const places = given.x_log ? [...new Set(given.series.flatMap((series) => series.x))].sort((a, b) => a - b) : [];
    const scale = figure.x_log ? (value) => 10 ** value : (value) => value;
    const drawn = new uPlot(
      {
        ...size(element, figure.tall),
        scales: { x: { time: false, range: xRange(figure) }, y: { range: yRange(figure) } },
        axes: [axis(figure.x_label, figure.x_log ? logarithmic(places) : {}), axis(figure.y_label, { size: 64 })],
        series: [
          { label: figure.x_label, value: (u, value) => (value == null ? "-" : number(6)(u, scale(value))) },
          ...figure.series.map(seriesOptions),
        ],
        cursor: {
          dataIdx: (u, index, at) => nearest(u, index, at, held[index]),
          points: { size: 7 },
          ...(sync === undefined ? {} : { sync: { key: sync, scales: ["x", null] } }),
        },
        legend: { markers: { width: (u, index) => frame(index).width, dash: (u, index) => frame(index).dash } },
        hooks: {
          drawAxes: [(u) => drawBands(u, figure)],
          draw: [(u) => drawBars(u, figure), (u) => drawIntervals(u, figure), (u) => drawMarkers(u, figure)],
        },
      },
      uPlot.join(figure.series.map((series) => [series.x, series.y])),
      element,
    );
    const observer = new ResizeObserver(() => {
      const wanted = size(element, figure.tall);
      if (element.clientWidth && wanted.width !== drawn.width) drawn.setSize(wanted);
    });
    observer.observe(element);
    plots.add(drawn);
    return {
      remove: () => {
        observer.disconnect();
        plots.delete(drawn);
        drawn.destroy();
      },
    };
  };

  night.addEventListener("change", () => plots.forEach((drawn) => drawn.redraw()));
  return { plot, colourOf };
})();
