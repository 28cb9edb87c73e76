// The engine as wasm-bindgen presents it: the contract of crates/ackclock-wasm. Its script defines one global name.

export interface Cells {
  readonly values: BigInt64Array | Float64Array | Uint8Array | Int32Array;
  readonly valid?: Uint8Array;
  readonly texts?: readonly string[];
}

/** Bytes that belong to the end of a file. */
export type Part = readonly [file: string, bytes: Uint8Array];

interface Results {
  tables(): string;
  column(table: string, column: string): Cells;
  take_traces(): readonly Part[];
  free(): void;
}

/** The failure of a rule of the reader's congestion control, which ends a run. */
export interface Failure {
  readonly algorithm: string;
  readonly flow: string;
  readonly time_s?: number;
  readonly callback: string;
  readonly error: unknown;
}

export interface Simulation {
  step(events: number): boolean;
  done(): number;
  take_traces(): readonly Part[];
  /** The simulation cannot be used after this call. */
  finish(): Results;
  free(): void;
}

type Range = readonly [name: string, least: number, most: number];

export interface Engine {
  initSync(given: { module: WebAssembly.Module | BufferSource }): unknown;
  version(): string;
  engine(): string;
  schema(): string;
  check(text: string, overrides: string): string;
  register(
    name: string,
    text: string,
    parameters: readonly Range[],
    overridden: readonly string[],
    make: (given: readonly (readonly [string, number])[]) => object,
  ): void;
  Failure: abstract new () => Failure;
  Simulation: {
    new (text: string, overrides: string, seed?: bigint): Simulation;
    traced(text: string, overrides: string, seed: bigint, captures: readonly string[], qlog: boolean): Simulation;
  };
}

declare const wasm_bindgen: Engine | undefined;

/** The engine of this thread; its script has to be loaded. */
export function engine(): Engine {
  if (typeof wasm_bindgen === "undefined") throw new Error("the script of the engine is not loaded");
  return wasm_bindgen;
}
