"use strict";
(() => {
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const plots = [];

  // Series keep their own x: where another series has a point and this one has none, hovering shows the value that
  // holds there (steps) or the nearest one (everything else).
  const nearest = (u, index, at, isStep) => {
    const x = u.data[0];
    const y = u.data[index];
    if (index === 0 || y[at] != null) return at;
    let left = at;
    let right = at;
    while (left >= 0 && y[left] == null) left--;
    while (right < y.length && y[right] == null) right++;
    if (left < 0 && right >= y.length) return at;
    if (right >= y.length || (isStep && left >= 0)) return left;
    if (left < 0) return right;
    return x[at] - x[left] <= x[right] - x[at] ? left : right;
  };

  const drawIntervals = (u, figure) => {
    const { ctx, bbox } = u;
    const pixels = devicePixelRatio;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.lineWidth = 2 * pixels;
    figure.series.forEach((series, index) => {
      if (series.kind !== "interval" || !u.series[index + 1].show) return;
      ctx.strokeStyle = series.colour;
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
    });
    ctx.restore();
  };

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
      return [figure.from_zero && low === 0 ? 0 : low - pad, figure.from_zero && high === 0 ? 0 : high + pad];
    };
  };

  // Marks at the ends would be cut in half.
  const xRange = (figure) => (u, low, high) => {
    const marked = figure.series.some((series) => series.kind === "interval" || series.kind === "points");
    const pad = marked ? 0.02 * (high - low || 1) : 0;
    return [low - pad, high + pad];
  };

  const seriesOptions = (series) => {
    const pointsOnly = series.kind === "points";
    const options = {
      label: series.label,
      stroke: series.colour,
      width: 2,
      spanGaps: true,
      dash: series.dashed ? [6, 4] : undefined,
      value: (u, value) => (value == null ? "-" : String(Number(value.toPrecision(5)))),
      points: pointsOnly || series.kind === "interval" ? { show: true, size: 6, fill: series.colour, width: 0 } : { show: false },
    };
    if (pointsOnly) options.paths = () => null;
    if (series.kind === "step") options.paths = uPlot.paths.stepped({ align: 1 });
    return options;
  };

  const axis = (label, extra) => ({
    label,
    stroke: () => colour("--ink"),
    grid: { stroke: () => colour("--line"), width: 1 },
    ticks: { stroke: () => colour("--line"), width: 1 },
    ...extra,
  });

  const size = (element) => {
    const width = Math.max(260, element.clientWidth);
    return { width, height: Math.round(Math.min(400, Math.max(240, 0.5 * width))) };
  };

  for (const source of document.querySelectorAll("script[data-plot]")) {
    const element = document.getElementById(source.dataset.plot);
    const figure = JSON.parse(source.textContent);
    const steps = [false, ...figure.series.map((series) => series.kind === "step")];
    const data = uPlot.join(figure.series.map((series) => [series.x, series.y]));
    const plot = new uPlot(
      {
        ...size(element),
        scales: { x: { time: false, range: xRange(figure) }, y: { range: yRange(figure) } },
        axes: [axis(figure.x_label), axis(figure.y_label, { size: 64 })],
        series: [
          { label: figure.x_label, value: (u, value) => (value == null ? "-" : String(Number(value.toPrecision(6)))) },
          ...figure.series.map(seriesOptions),
        ],
        cursor: { dataIdx: (u, index, at) => nearest(u, index, at, steps[index]), points: { size: 7 } },
        hooks: { draw: [(u) => drawIntervals(u, figure)] },
      },
      data,
      element,
    );
    plots.push(plot);
    new ResizeObserver(() => {
      const wanted = size(element);
      if (wanted.width !== plot.width) plot.setSize(wanted);
    }).observe(element);
  }

  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => plots.forEach((plot) => plot.redraw()));
})();
