// The digests of tables, as a pack of ackclock states them: SHA-256 over the names of the columns and all cells.

import { joined } from "./bytes";
import type { Column, Table, Tables } from "./tables";

const encoder = new TextEncoder();

/** A text as Python's json.dumps writes it: everything beyond ASCII is escaped. */
function ascii(text: string): string {
  return JSON.stringify(text).replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function bytesOf(column: Column): Uint8Array {
  const { values, valid } = column;
  if (column.kind === "text") {
    const texts = column.texts!.map(ascii);
    return encoder.encode(`[${Array.from(values as Int32Array, (place) => (place < 0 ? "null" : texts[place])).join(", ")}]`);
  }
  // Whole numbers with empty cells are floats, and an empty cell is NaN. Typed arrays of all machines that run browsers are little-endian.
  if (column.kind === "float" || (column.kind === "int" && valid)) {
    const floats = Float64Array.from(values as ArrayLike<number | bigint>, (value, at) => (valid && !valid[at] ? NaN : Number(value)));
    const bits = new BigInt64Array(floats.buffer);
    floats.forEach((value, at) => {
      if (Number.isNaN(value)) bits[at] = 0x7ff8000000000000n;
    });
    return new Uint8Array(floats.buffer);
  }
  if (column.kind === "bool" && valid) {
    const words = Array.from(values as Uint8Array, (value, at) => (valid[at] ? `"${value ? "True" : "False"}"` : "null"));
    return encoder.encode(`[${words.join(", ")}]`);
  }
  const whole = BigInt64Array.from(values as ArrayLike<bigint | number>, BigInt);
  return new Uint8Array(whole.buffer);
}

async function digestOf(table: Table): Promise<string> {
  const parts: Uint8Array[] = [];
  const columns = table.columns.filter((column) => column.name !== "run");
  for (const column of columns.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    parts.push(encoder.encode(`${column.name}\0${table.rows}\0`), bytesOf(column));
  }
  const digest = await crypto.subtle.digest("SHA-256", joined(parts));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The digest of each table; none where the page's address allows no cryptography, which is so on http but for this machine. */
export async function digestsOf(tables: Tables): Promise<Record<string, string> | null> {
  if (!globalThis.crypto?.subtle) return null;
  return Object.fromEntries(await Promise.all(tables.map(async (one) => [one.name, await digestOf(one)] as const)));
}
