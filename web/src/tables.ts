// Tables of a page as CSV and as LaTeX: the rows that are shown, as filters leave them.

export interface Cells {
  readonly head: string[];
  readonly rows: string[][];
  /** Whether a column holds numbers. */
  readonly numeric: boolean[];
}

/** A cell as it is written; `data-value` of a cell has more digits than its text, and no separators. */
function textOf(cell: HTMLTableCellElement): string {
  return cell.dataset.value ?? (cell.textContent ?? "").replace(/\s+/g, " ").trim();
}

/** The table without the cells that only the page needs, which have `data-unsaved`. */
export function cellsOf(table: HTMLTableElement): Cells {
  const shown = [...table.rows].filter((row) => !row.hidden);
  const lines = shown.map((row) => [...row.cells].filter((cell) => cell.dataset.unsaved === undefined));
  const headed = lines.length > 0 && lines[0].every((cell) => cell.tagName === "TH");
  const head = headed ? lines[0].map(textOf) : [];
  const body = headed ? lines.slice(1) : lines;
  const columns = Math.max(head.length, ...body.map((row) => row.length));
  const isNumber = (cell: HTMLTableCellElement | undefined): boolean => cell?.classList.contains("number") ?? false;
  const numeric = Array.from({ length: columns }, (_, at) => body.length > 0 && body.every((row) => isNumber(row[at])));
  const rows = body.map((row) =>
    row.map((cell, at) => {
      const text = textOf(cell);
      if (!numeric[at]) return text;
      return text === "-" ? "" : text.replaceAll(",", "");
    }),
  );
  return { head, rows, numeric };
}

/** CSV of RFC 4180. */
export function csvOf({ head, rows }: Cells): string {
  const field = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return [...(head.length ? [head] : []), ...rows].map((row) => `${row.map(field).join(",")}\r\n`).join("");
}

const SPECIAL: Record<string, string> = {
  "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "<": "\\textless{}",
  ">": "\\textgreater{}", "\u2212": "$-$", "\u00b1": "$\\pm$", "\u00d7": "$\\times$", "\u2264": "$\\leq$",
  "\u2265": "$\\geq$", "\u2192": "$\\rightarrow$", "\u00b5": "$\\mu$", "\u03bc": "$\\mu$",
}; // prettier-ignore

export function latexText(text: string): string {
  return text.replace(/[\\~^<>\u2212\u00b1\u00d7\u2264\u2265\u2192\u00b5\u03bc#$%&_{}]/g, (one) => SPECIAL[one] ?? `\\${one}`);
}

/** A tabular with the rules of the package booktabs. */
export function latexOf({ head, rows, numeric }: Cells): string {
  const line = (row: string[]): string => `${row.map(latexText).join(" & ")} \\\\\n`;
  return (
    "% needs \\usepackage{booktabs}\n" +
    `\\begin{tabular}{${numeric.map((is) => (is ? "r" : "l")).join("")}}\n\\toprule\n` +
    (head.length ? `${line(head)}\\midrule\n` : "") +
    `${rows.map(line).join("")}\\bottomrule\n\\end{tabular}\n`
  );
}
