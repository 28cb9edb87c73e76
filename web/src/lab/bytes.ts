// Bytes of files.

import { zipSync } from "fflate";

/** Parts in their order as one array. */
export function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, one) => sum + one.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** The earliest time that a ZIP archive can state: the same files give the same bytes. */
const NEVER = new Date(1980, 0, 1);

/** Files by their names, as a ZIP archive. */
export function archive(files: ReadonlyMap<string, Uint8Array>): Uint8Array<ArrayBuffer> {
  return new Uint8Array(zipSync(Object.fromEntries(files), { mtime: NEVER }));
}
