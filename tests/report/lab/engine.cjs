// Runs scenarios with the engine of pages, outside a page: node engine.cjs ENGINE_FOLDER WORKER REQUESTS OUT
// Each line of REQUESTS is a request in JSON; the line of OUT with its number has the tables: the bytes of all columns.
"use strict";
const { readFileSync, writeFileSync } = require("node:fs");
const { runInThisContext } = require("node:vm");

globalThis.crypto ??= require("node:crypto").webcrypto;
// The bundles of pages extend this class of browsers.
globalThis.Path2D ??= class {};
const [folder, worker, requests, out] = process.argv.slice(2);
runInThisContext(readFileSync(`${folder}/engine.js`, "utf8"));
runInThisContext(`${readFileSync(worker, "utf8")};globalThis.ackclock = ackclock`);
wasm_bindgen.initSync({ module: readFileSync(`${folder}/engine_bg.wasm`) });

const base64 = (array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength).toString("base64");

async function answer(request) {
  if (request.about) return { version: wasm_bindgen.version(), engine: wasm_bindgen.engine(), schema: wasm_bindgen.schema() };
  try {
    if (request.control !== undefined) {
      ackclock.expect(request.control, "own.js");
      runInThisContext(request.control, { filename: "own.js" });
      ackclock.registered();
    }
    const checked = ackclock.check(request.text, request.overrides);
    if (request.check) return checked;
    if (request.trace) {
      const files = ackclock.trace(request, request.trace, () => {});
      return { files: Object.fromEntries([...files].map(([name, bytes]) => [name, base64(bytes)])) };
    }
    const done = [];
    const tables = ackclock.simulate(request, (part) => done.push(part));
    const columns = ({ name, kind, values, valid, texts }) =>
      ({ name, kind, values: base64(values), valid: valid ? base64(valid) : null, texts: texts ?? null }); // prettier-ignore
    return {
      hash: checked.hash,
      done,
      digests: await ackclock.digestsOf(tables),
      tables: tables.map(({ name, rows, columns: own }) => ({ name, rows, columns: own.map(columns) })),
    };
  } catch (error) {
    return { problems: error.problems ?? null, message: String(error.message ?? error), line: error.line ?? null };
  }
}

(async () => {
  const lines = [];
  for (const line of readFileSync(requests, "utf8").split("\n").filter(Boolean)) {
    lines.push(JSON.stringify(await answer(JSON.parse(line))));
  }
  writeFileSync(out, `${lines.join("\n")}\n`);
})();
