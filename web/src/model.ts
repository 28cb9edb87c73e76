// Figures as data: the contract between what makes figures (a report, `ackclock serve`) and what draws them.

/** Whole numbers as differences: base64 of zigzag varints, of which the sum up to a place times `unit` is its value. */
export interface Packed {
  readonly deltas: string;
  readonly unit: number;
}

export type Values = readonly (number | null)[];
export type Column = Values | Packed;

export type Kind = "line" | "step" | "points" | "interval" | "band" | "bars" | "marks" | "spans";

/** A colour on a light and on a dark page. */
export interface Colour {
  readonly colour: string;
  readonly dark: string;
}

export interface Series extends Colour {
  readonly label: string;
  readonly kind: Kind;
  /** As matplotlib names it. */
  readonly marker: string;
  readonly x: Column;
  readonly y: Column;
  readonly low?: Column;
  readonly high?: Column;
  /** Ends of `spans`, which begin at `x`. */
  readonly to?: Column;
  /** Lane of each mark or span. */
  readonly lane?: Column;
  readonly dash?: readonly number[];
  readonly faint?: boolean;
  readonly filled?: boolean;
}

export interface Figure {
  readonly title: string;
  readonly x_label: string;
  readonly y_label: string;
  readonly series: readonly Series[];
  readonly from_zero?: boolean;
  readonly x_log?: boolean;
  readonly tall?: number;
  readonly x_range?: readonly [number, number];
  /** A value of y that the whole figure has room for, such as the highest of a figure beside it. */
  readonly y_top?: number;
  /** Names of the values 0, 1, 2 and so on of y. */
  readonly y_names?: readonly string[];
  /** Rows of marks above the lines, such as one for each flow. */
  readonly lanes?: readonly (Colour & { readonly label: string })[];
  readonly note?: string;
}

/** A series whose columns are numbers. */
export interface Line extends Series {
  readonly x: number[];
  readonly y: (number | null)[];
  readonly low?: (number | null)[];
  readonly high?: (number | null)[];
  readonly to?: (number | null)[];
  readonly lane?: (number | null)[];
}

export interface Drawable extends Figure {
  readonly series: readonly Line[];
}

export function unpacked(column: Column): (number | null)[] {
  if (!("deltas" in column)) return [...column];
  const bytes = atob(column.deltas);
  const values: number[] = [];
  let sum = 0;
  for (let at = 0; at < bytes.length; ) {
    let number = 0;
    let weight = 1;
    for (;;) {
      const byte = bytes.charCodeAt(at++);
      number += (byte & 127) * weight;
      if (byte < 128) break;
      weight *= 128;
    }
    sum += number % 2 ? -(number + 1) / 2 : number / 2;
    // Division by a whole number rounds once, as the decimal text of the value would.
    values.push(column.unit < 1 ? sum / Math.round(1 / column.unit) : sum * column.unit);
  }
  return values;
}

export function drawable(figure: Figure): Drawable {
  const scaled = (x: number): number => (figure.x_log ? Math.log10(x) : x);
  const optional = (column: Column | undefined): (number | null)[] | undefined => column && unpacked(column);
  return {
    ...figure,
    series: figure.series.map((series) => ({
      ...series,
      x: unpacked(series.x).map((x) => scaled(x as number)),
      y: unpacked(series.y),
      low: optional(series.low),
      high: optional(series.high),
      to: optional(series.to),
      lane: optional(series.lane),
    })),
  };
}
