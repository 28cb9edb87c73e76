// Tables of a run: columns as typed arrays, as they leave the engine and cross between threads.

export type Kind = "int" | "float" | "text" | "bool";

export interface Column {
  readonly name: string;
  readonly kind: Kind;
  /** Places in `texts` for a text, -1 for an empty cell. */
  readonly values: BigInt64Array | Float64Array | Uint8Array | Int32Array;
  /** 0 for each empty cell; absent where no cell is empty. */
  readonly valid?: Uint8Array;
  readonly texts?: readonly string[];
}

export interface Table {
  readonly name: string;
  readonly rows: number;
  readonly columns: readonly Column[];
}

export type Tables = readonly Table[];

export function tableOf(tables: Tables, name: string): Table | undefined {
  return tables.find((one) => one.name === name);
}

export function columnOf(table: Table, name: string): Column | undefined {
  return table.columns.find((one) => one.name === name);
}

/** The numbers of a column, NaN where a cell is empty. A text is the place among the column's texts. */
export function numbersOf(table: Table, name: string): Float64Array {
  const column = columnOf(table, name);
  if (column === undefined) return new Float64Array(table.rows).fill(NaN);
  const found = column.kind === "int" ? Float64Array.from(column.values as BigInt64Array, Number) : Float64Array.from(column.values as Float64Array);
  column.valid?.forEach((valid, at) => {
    if (!valid) found[at] = NaN;
  });
  return found;
}

/** The cell of a column as text; empty for an empty cell. */
export function cellOf(column: Column, row: number): string {
  if (column.valid && !column.valid[row]) return "";
  const value = column.values[row];
  if (column.kind === "text") return column.texts![Number(value)];
  if (column.kind === "bool") return value ? "true" : "false";
  return String(value);
}

/** A table as CSV. */
export function csvOf(table: Table): string {
  const quoted = (text: string): string => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const lines = [table.columns.map((column) => quoted(column.name)).join(",")];
  for (let row = 0; row < table.rows; row++) lines.push(table.columns.map((column) => quoted(cellOf(column, row))).join(","));
  return `${lines.join("\n")}\n`;
}
