// Congestion controls of the reader: what their program uses, as in Python, and how the engine is told of them.

import { engine, type Failure } from "./module";
import { type Schema, valuesAt } from "./schema";

/** The event and the state for which a rule is asked: windows in segments, times in seconds. */
export interface Situation {
  readonly now: number;
  readonly mss: number;
  readonly cwnd: number;
  readonly ssthresh: number;
  readonly initial_window: number;
  readonly acked: number;
  readonly flight_size: number;
  readonly pipe: number;
  readonly rtt?: number;
  readonly srtt?: number;
  readonly min_rtt?: number;
  readonly cause?: "loss" | "ecn" | "timeout" | "delay";
  readonly abe: boolean;
  readonly idle: number;
}

/** A congestion control as five rules about its window. Each rule is Reno's unless a class has one of its own. */
export class WindowRules {
  seed(_seed: number): void {}

  start(flow: Situation): number {
    return flow.cwnd;
  }

  increase(_flow: Situation): number {
    return 1;
  }

  reduction(flow: Situation): number {
    return flow.abe && flow.cause === "ecn" ? 0.8 : 0.5;
  }

  timeout(flow: Situation): number {
    return this.reduction(flow);
  }

  idle(_flow: Situation): number {
    return 1;
  }

  state_name(): string | null {
    return null;
  }
}

const RULES = Object.getOwnPropertyNames(WindowRules.prototype).filter((name) => name !== "constructor");

class Parameter {
  constructor(
    readonly value: number,
    readonly least: number,
    readonly most: number,
  ) {}
}

/** A number that scenarios can set, as the value of a field of the class. */
export function parameter(value: number, least: number, most: number, _summary = ""): number {
  if (!(least <= value && value <= most)) throw new Error(`the default must be from ${least} to ${most}, not ${value}`);
  return new Parameter(value, least, most) as unknown as number;
}

/** A mistake in the program of the reader. */
export class ControlError extends Error {
  constructor(
    message: string,
    readonly line: number | null,
  ) {
    super(message);
  }
}

/** The program that is loaded: its text, and its address in traces of errors. */
let program = { text: "", address: "" };
let names: string[] = [];

/** Prepares for the program, which the caller executes next. */
export function expect(text: string, address: string): void {
  program = { text, address };
  names = [];
  Math.random = () => {
    throw new Error("a rule draws from the seed that seed() is given, so that a run can be repeated");
  };
}

/** The names that the program has registered. */
export function registered(): readonly string[] {
  if (!names.length) throw new ControlError('the program registers nothing: accepted: ackclock.congestion_control("name", class extends ackclock.WindowRules { … })', 1);
  return names;
}

/** Letters that differ between two words, counted as insertions, removals and replacements. */
function distance(one: string, two: string): number {
  let row = Array.from({ length: two.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= two.length; j++) next.push(Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + Number(one[i - 1] !== two[j - 1])));
    row = next;
  }
  return row[two.length];
}

function checked(name: string, made: unknown): asserts made is new () => WindowRules {
  if (!/^[a-z][a-z0-9._-]*$/.test(name)) throw new Error(`"${name}" is no name; accepted: lower-case letters, digits and hyphens, a letter first`);
  const catalogue = valuesAt(JSON.parse(engine().schema()) as Schema, "flows[0].cc").map((one) => one.name);
  if (catalogue.includes(JSON.stringify(name)) || names.includes(name)) throw new Error(`${name} is the name of another congestion control; give yours a name of its own`);
  if (typeof made !== "function" || !(made.prototype instanceof WindowRules)) throw new Error(`${name} has to be a class that extends ackclock.WindowRules`);
  const own = Object.getOwnPropertyNames(made.prototype).filter((one) => one !== "constructor" && !RULES.includes(one));
  for (const one of own) {
    const meant = RULES.find((rule) => distance(one.toLowerCase(), rule) <= 2);
    if (meant) throw new Error(`${one} is no rule; did you mean ${meant}? There are ${RULES.join(", ")}`);
  }
}

/** Registers a class under a name, which scenarios use like a name of the catalogue. */
export function congestion_control(name: string, made: new () => WindowRules): void {
  checked(name, made);
  const fields = (object: WindowRules): [string, Parameter][] =>
    Object.entries(object).flatMap(([field, value]): [string, Parameter][] => (value instanceof Parameter ? [[field, value]] : []));
  const ranges = fields(new made()).map(([field, { least, most }]) => [field, least, most] as const);
  const overridden = RULES.filter((rule) => made.prototype[rule as keyof WindowRules] !== WindowRules.prototype[rule as keyof WindowRules]);
  engine().register(name, program.text, ranges, overridden, (given) => {
    const object = new made();
    const values = new Map(given);
    for (const [field, { value }] of fields(object)) Object.assign(object, { [field]: values.get(field) ?? value });
    return object;
  });
  names.push(name);
}

/** The line of the program that an error came from. */
function lineOf(error: unknown): number | null {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  const at = stack.indexOf(`${program.address}:`);
  const found = at < 0 ? null : /^\d+/.exec(stack.slice(at + program.address.length + 1));
  return found && Number(found[0]);
}

/** The line that a rule begins at. */
function lineOfRule(rule: string): number | null {
  const at = program.text.split("\n").findIndex((line) => new RegExp(`^\\s*${rule}\\s*\\(`).test(line));
  return at < 0 ? null : at + 1;
}

/** The failure of a rule in words, as in Python. */
export function failed({ algorithm, flow, time_s, callback, error }: Failure): ControlError {
  const at = time_s === undefined ? "" : ` at ${Number(time_s.toPrecision(9))} s`;
  const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return new ControlError(`${algorithm} of flow ${flow}${at}, in ${callback}: ${what}`, lineOf(error) ?? lineOfRule(callback));
}
