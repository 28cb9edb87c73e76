// Means with intervals: Student's t, as the reports of ackclock compute them.

/** The logarithm of the gamma function, by Lanczos' series with seven terms. */
function logGamma(x: number): number {
  const terms = [
    0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059, 12.507343278686905,
    -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
  ]; // prettier-ignore
  const [y, t] = [x - 1, x + 6.5];
  const sum = terms.reduce((total, term, at) => (at ? total + term / (y + at) : term), 0);
  return 0.5 * Math.log(2 * Math.PI) + (y + 0.5) * Math.log(t) - t + Math.log(sum);
}

/** The regularised incomplete beta function, by its continued fraction (Lentz). */
function beta(x: number, a: number, b: number): number {
  if (x <= 0 || x >= 1) return x <= 0 ? 0 : 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - beta(1 - x, b, a);
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x)) / a;
  let [f, c, d] = [1, 1, 0];
  for (let at = 0; at < 500; at++) {
    const m = at >> 1;
    const even = at % 2 === 0;
    const term = !at ? 1 : even ? (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m)) : (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / (1 + term * d || 1e-300);
    c = 1 + term / c || 1e-300;
    f *= c * d;
    if (at && Math.abs(1 - c * d) < 1e-14) break;
  }
  return front * (f - 1);
}

/** The t beyond which 2.5 % of Student's distribution lie on each side. */
export function studentT(freedom: number): number {
  let [low, high] = [0, 1e4];
  for (let step = 0; step < 100; step++) {
    const t = (low + high) / 2;
    const tail = beta(freedom / (freedom + t * t), freedom / 2, 0.5) / 2;
    if (tail > 0.025) low = t;
    else high = t;
  }
  return (low + high) / 2;
}

export interface Estimate {
  readonly mean: number;
  /** Half of the 95 % interval; NaN of fewer than two values. */
  readonly half: number;
  readonly count: number;
}

/** The mean of the values that are numbers. */
export function estimate(values: readonly number[]): Estimate {
  const known = values.filter((value) => Number.isFinite(value));
  const count = known.length;
  const mean = known.reduce((sum, value) => sum + value, 0) / count;
  if (count < 2) return { mean, half: NaN, count };
  const variance = known.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (count - 1);
  // Equal values differ from their mean by rounding alone.
  const half = known.every((value) => value === known[0]) ? 0 : studentT(count - 1) * Math.sqrt(variance / count);
  return { mean: half ? mean : known[0], half, count };
}
