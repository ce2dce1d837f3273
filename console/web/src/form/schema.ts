// How forms read a JSON Schema. It is the reading of the terminal's forms: console/testdata/forms.json holds the fields of
// both against each other. Nothing here decides what is valid: the server checks each answer against the whole schema.

import { encode, member, Num, type Obj, type Value } from "../json";

export const alternatives = ["oneOf", "anyOf"];

export function object(v: Value | undefined): Obj | undefined {
  return v instanceof Map ? v : undefined;
}

export function list(v: Value | undefined): Value[] | undefined {
  return Array.isArray(v) ? v : undefined;
}

export function text(v: Value | undefined): string | undefined {
  return typeof v === "string" ? v : undefined;
}

export function without(s: Obj, name: string): Obj {
  const rest = new Map(s);
  rest.delete(name);
  return rest;
}

/** The schema's type, "" for none or several; null beside it makes it optional. */
export function kindOf(s: Obj): [name: string, none: boolean] {
  const t = s.get("type");
  if (typeof t === "string") return [t, false];
  let name = "";
  let none = false;
  for (const item of list(t) ?? []) {
    if (item === "null") none = true;
    else if (name !== "") return ["", none];
    else name = text(item) ?? "";
  }
  return [name, none];
}

/** Whether a schema says more than fields can: alternatives, conditions, open objects. */
export function composed(s: Obj): boolean {
  const parts = ["anyOf", "oneOf", "allOf", "not", "patternProperties", "dependentSchemas", "prefixItems"];
  return parts.some((part) => s.has(part)) || (s.has("if") && !(onlyRequires(s.get("then")) && onlyRequires(s.get("else"))));
}

function onlyRequires(v: Value | undefined): boolean {
  return v === undefined || v === null || (v instanceof Map && [...v.keys()].every((name) => name === "required"));
}

/** A schema with what another one adds to it: properties and what is required together, else the other's. */
export function merged(s: Obj, more: Obj): Obj {
  const made = new Map(s);
  for (const [name, value] of more) {
    const had = made.get(name);
    if (name === "properties" && had instanceof Map && value instanceof Map) made.set(name, united(had, value));
    else if (name === "required" && Array.isArray(had) && Array.isArray(value)) made.set(name, [...had, ...value]);
    else made.set(name, value);
  }
  return made;
}

function united(a: Obj, b: Obj): Obj {
  const made = new Map(a);
  for (const [name, value] of b) {
    const old = made.get(name);
    made.set(name, old instanceof Map && value instanceof Map ? merged(old, value) : value);
  }
  return made;
}

export function requires(s: Obj, name: string): boolean {
  return (list(s.get("required")) ?? []).includes(name);
}

export function label(v: Value): string {
  return typeof v === "string" && v !== "" ? v : encode(v);
}

/** A bound such as minItems; -1 for none. */
export function count(s: Obj, name: string): number {
  const n = s.get(name);
  const i = n instanceof Num && /^[0-9]+$/.test(n.text) ? Number(n.text) : -1;
  return i < 1 << 20 ? i : -1;
}

/** A schema document, whose parts refer to each other. */
export class Document {
  constructor(readonly root: Obj) {}

  /** Follows references within the document. */
  resolve(s: Obj): Obj {
    for (let i = 0; i < 16; i++) {
      const ref = text(s.get("$ref"));
      if (ref === undefined || !ref.startsWith("#")) return s;
      let at: Value | undefined = this.root;
      for (const part of ref.slice(1).replace(/^\//, "").split("/")) {
        if (part === "") continue;
        if (!(at instanceof Map)) return new Map();
        at = at.get(part.replace(/~1/g, "/").replace(/~0/g, "~"));
      }
      if (!(at instanceof Map)) return new Map();
      const next: Obj = new Map(at);
      for (const [name, value] of s) if (name !== "$ref" && !next.has(name)) next.set(name, value);
      s = next;
    }
    return new Map();
  }

  /** Follows references, puts the parts of allOf together, and takes the null out of "this or null". */
  simple(s: Obj): [simple: Obj, none: boolean] {
    let none = false;
    for (let i = 0; i < 16; i++) {
      s = this.resolve(s);
      const all = list(s.get("allOf"));
      if (all) {
        s = without(s, "allOf");
        for (const part of all) if (part instanceof Map) s = merged(s, this.resolve(part));
        continue;
      }
      const only = this.orNull(s);
      if (!only) break;
      s = only[0];
      none ||= only[1];
    }
    return [s, none];
  }

  /** The one alternative that there is beside null; undefined where there are others. */
  private orNull(s: Obj): [only: Obj, none: boolean] | undefined {
    for (const of of alternatives) {
      const all = list(s.get(of));
      if (!all) continue;
      let none = false;
      const rest: Obj[] = [];
      for (const v of all) {
        const branch = object(v) ?? new Map();
        if (this.resolve(branch).get("type") === "null") none = true;
        else rest.push(branch);
      }
      if (rest.length === 1) return [merged(without(s, of), rest[0]!), none];
    }
    return undefined;
  }

  /** The alternatives of a schema, each with what stands beside them; none where there is one only. */
  branches(s: Obj): Obj[] {
    for (const of of alternatives) {
      const all = list(s.get(of));
      if (!all) continue;
      const base = without(without(without(without(s, of), "default"), "title"), "description");
      return all.every((v) => v instanceof Map) ? all.map((v) => merged(base, this.resolve(v as Obj))) : [];
    }
    const types = (list(s.get("type")) ?? []).filter((t) => t !== "null");
    if (types.length < 2 || s.has("enum") || s.has("const")) return [];
    return types.map((t) => merged(without(s, "default"), new Map([["type", t]])));
  }

  /** The members of an object schema that can be filled in one by one. */
  properties(s: Obj): Obj {
    const [name] = kindOf(s);
    const p = object(s.get("properties"));
    if (composed(s) || (name !== "object" && (name !== "" || !p))) return new Map();
    return p ?? new Map();
  }

  /** What an alternative is called: its title, what tells it apart, or its type. */
  called(s: Obj, i: number): string {
    const title = text(s.get("title"));
    if (title !== undefined) return title;
    const [simple] = this.simple(s);
    const properties = this.properties(simple);
    for (const v of properties.values()) {
      const fixed = v instanceof Map ? this.resolve(v).get("const") : undefined;
      if (fixed !== undefined) return label(fixed);
    }
    const fixed = simple.get("const");
    if (fixed !== undefined) return label(fixed);
    const [name] = kindOf(simple);
    if (name === "object" || name === "") {
      return properties.size > 0 ? [...properties.keys()].join(", ") : "form " + String.fromCharCode(65 + (i % 26));
    }
    return typeWords[name] ?? "";
  }

  /** A value of the schema's shape, to be filled in. */
  shape(s: Obj, depth = 0): Value {
    [s] = this.simple(s);
    const given = s.get("default");
    if (given !== undefined && given !== null) return given;
    if (s.has("const")) return s.get("const")!;
    const values = list(s.get("enum"));
    if (values && values.length > 0) return values[0]!;
    for (const of of alternatives) {
      const first = list(s.get(of))?.[0];
      if (first instanceof Map && depth < 8) return this.shape(first, depth + 1);
    }
    const [name] = kindOf(s);
    const properties = object(s.get("properties"));
    if (properties && depth < 8) {
      return new Map([...properties].map(([n, p]) => [n, this.shape(object(p) ?? new Map(), depth + 1)]));
    }
    switch (name) {
      case "object":
        return new Map();
      case "array": {
        const items = object(s.get("items"));
        const n = s.get("minItems");
        return n === undefined || (n instanceof Num && n.text === "0") || !items || depth >= 8 ? [] : [this.shape(items, depth + 1)];
      }
      case "string":
        return "";
      case "boolean":
        return false;
      case "integer":
      case "number":
        return new Num("0");
    }
    return null;
  }
}

const typeWords: Record<string, string> = {
  string: "a text", integer: "a whole number", number: "a number", boolean: "yes or no", array: "a list", null: "nothing",
};

/** What is plainly wrong with a value of a field, by the keywords that people see: bounds, lengths, patterns. "" for nothing. */
export function plainly(s: Obj, v: Value): Problem | undefined {
  const number = (name: string): number | undefined => {
    const n = s.get(name);
    return n instanceof Num ? Number(n.text) : undefined;
  };
  const least = (key: string, name: string, found: number): Problem | undefined => {
    const n = number(name);
    return n !== undefined && found < n ? { key, n: String(n) } : undefined;
  };
  const most = (key: string, name: string, found: number): Problem | undefined => {
    const n = number(name);
    return n !== undefined && found > n ? { key, n: String(n) } : undefined;
  };
  if (v instanceof Num) {
    const found = Number(v.text);
    const above = number("exclusiveMinimum");
    const below = number("exclusiveMaximum");
    if (above !== undefined && found <= above) return { key: "form.above", n: String(above) };
    if (below !== undefined && found >= below) return { key: "form.below", n: String(below) };
    return least("form.least", "minimum", found) ?? most("form.most", "maximum", found);
  }
  if (typeof v === "string") {
    const length = [...v].length;
    const no = least("form.longer", "minLength", length) ?? most("form.shorter", "maxLength", length);
    if (no) return no;
    const pattern = text(s.get("pattern"));
    if (pattern !== undefined && !fits(pattern, v)) return { key: "form.pattern", n: text(list(s.get("examples"))?.[0]) ?? pattern };
    return undefined;
  }
  if (Array.isArray(v)) return least("form.more", "minItems", v.length) ?? most("form.fewer", "maxItems", v.length);
  if (v instanceof Map) return least("form.more", "minProperties", v.size) ?? most("form.fewer", "maxProperties", v.size);
  return undefined;
}

/** Whether a text matches; also where the pattern is none that this browser reads: the server decides. */
function fits(pattern: string, v: string): boolean {
  try {
    return new RegExp(pattern, "u").test(v);
  } catch {
    return true;
  }
}

export interface Problem {
  /** Of the catalogue of texts. */
  readonly key: string;
  /** What its {n} stands for. */
  readonly n?: string;
}

export { member };
