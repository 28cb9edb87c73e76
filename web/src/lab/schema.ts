// What the JSON Schema of scenarios says about a path.

export interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

function forms(schema: Schema): Schema[] {
  return [schema, ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap(forms)];
}

/** The schemas that hold at a path such as `flows[0].app`. */
export function at(schema: Schema, path: string): Schema[] {
  let found = [schema];
  for (const step of path.split(/\.|\[/).filter(Boolean)) {
    const all = found.flatMap(forms);
    found = step.endsWith("]") ? all.flatMap((one) => one.items ?? []) : all.flatMap((one) => one.properties?.[step] ?? []);
  }
  return found.flatMap(forms);
}

export interface Choice {
  readonly name: string;
  readonly about: string;
}

function unique(choices: Choice[]): Choice[] {
  return [...new Map(choices.map((one) => [one.name, one])).values()];
}

/** The keys that a table can have. */
export function keysAt(schema: Schema, path: string): Choice[] {
  const all = at(schema, path).flatMap((one) => Object.entries(one.properties ?? {}));
  return unique(all.map(([name, own]) => ({ name, about: own.description ?? "" })));
}

/** The values that a key can have, as they are written in TOML. */
export function valuesAt(schema: Schema, path: string): Choice[] {
  return unique(
    at(schema, path).flatMap((one): Choice[] => {
      const about = one.description ?? "";
      if (one.type === "boolean") return ["true", "false"].map((name) => ({ name, about }));
      const values = one.const !== undefined ? [one.const] : (one.enum ?? []);
      return values.map((value) => ({ name: JSON.stringify(value), about }));
    }),
  );
}
