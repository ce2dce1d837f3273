// The fields of an answer, made from its JSON Schema, and the answer made from their entries.

import { encode, JSONError, Num, parse, pretty, same, type Obj, type Value } from "../json";
import { composed, count, Document, kindOf, label, list, object, plainly, requires, text, without, type Problem } from "./schema";

export type Kind =
  | "text" | "prose" | "flag" | "choice" | "many" | "integer" | "number" | "list" | "items" | "variant" | "json";

export interface Option {
  readonly label: string;
  readonly value: Value;
}

/** What is filled in: a text, the indexes of options, or the entries of forms. Of a flag, 0 is yes and 1 is no. */
export interface Entry {
  readonly text?: string;
  readonly choices?: readonly number[];
  readonly forms?: readonly (readonly Entry[])[];
}

/** One thing to fill in. */
export interface Field {
  /** Where it is in the answer; empty when it is the answer. */
  path: string[];
  title: string;
  /** The titles of the objects it is in, and its own. */
  titles: string[];
  help: string;
  kind: Kind;
  required: boolean;
  /** Required, and null where it is left empty. */
  null: boolean;
  options: Option[];
  /** What is filled in at first: the schema's default. */
  start: Entry;
  /** Of a variant one form for each option, of items that of an item. They are made when they are needed. */
  forms: (() => Form)[];
  /** Items: members of an object, each with its name. */
  named: boolean;
  /** List: what is on a line. */
  items: Kind;
  /** Items: how few and how many there may be; -1 is without bound. */
  bound: [number, number];
  /** The empty text is a text, also where it may be left out. */
  empty: boolean;
  /** The field's part of the schema. */
  schema: Obj;
  /** Whether a value is checked by that part. */
  checked: boolean;
}

/** Why an entry is no value: at a field, and maybe at a field of a form within it. */
export class Misfit extends Error {
  constructor(readonly problem: Problem, readonly path: readonly string[] = []) {
    super(problem.key);
  }
}

const longText = 120; // from how many characters on a text gets several lines
const deepest = 8; // how many forms may lie in each other before what is in them is written as JSON
const mostFields = 200; // what is beyond is written as JSON

export class Form {
  constructor(readonly fields: Field[], readonly object: boolean) {}

  starts(): Entry[] {
    return this.fields.map((f) => f.start);
  }

  /** Builds the answer, one entry for each field; undefined where nothing was filled in that may be left out. */
  answer(entries: readonly Entry[]): Value {
    if (!this.object) {
      const v = valueOf(this.fields[0]!, entries[0] ?? {});
      if (v === undefined && this.fields[0]!.required) throw new Misfit({ key: "form.missing" });
      return v ?? null;
    }
    const answer: Obj = new Map();
    this.fields.forEach((field, i) => {
      let v: Value | undefined;
      try {
        v = valueOf(field, entries[i] ?? {});
      } catch (error) {
        if (error instanceof Misfit) throw new Misfit(error.problem, [...field.path, ...error.path]);
        throw error;
      }
      if (v !== undefined) put(answer, field.path, v);
    });
    return answer;
  }

  /** The entries of a form that has a value. */
  load(v: Value): Entry[] {
    return this.fields.map((f) => {
      const at = get(v, f.path);
      return at === undefined || at === null ? {} : entryOf(f, at);
    });
  }
}

/** Reads the schema of an answer and the options to choose from. Neither of them: any text. */
export function formOf(schema: Value | undefined, options: readonly string[] = []): Form {
  const single = (kind: Kind): Field => ({ ...blank(new Map()), kind, required: true });
  if (options.length > 0) return new Form([{ ...single("choice"), options: options.map((o) => ({ label: o, value: o })) }], false);
  if (schema === undefined || schema === null) return new Form([single("prose")], false);
  const root = object(schema) ?? new Map<string, Value>();
  const form = new Reader(new Document(root), ["#"], 0).form(root);
  const first = form.fields[0];
  if (!form.object && first?.kind === "text") first.kind = "prose";
  return form;
}

function blank(schema: Obj): Field {
  return {
    path: [], title: "", titles: [], help: "", kind: "text", required: false, null: false, options: [], start: {}, forms: [], named: false,
    items: "text", bound: [-1, -1], empty: false, schema, checked: false,
  };
}

interface Place {
  readonly path: string[];
  readonly titles: string[];
  readonly required: boolean;
  /** Within something that may be left out. */
  readonly optional: boolean;
  /** Null may stand there. */
  readonly null: boolean;
}

const top: Place = { path: [], titles: [], required: true, optional: false, null: false };

class Reader {
  private made = 0;

  /** The references in open lead to the objects whose fields are being read; deep is in how many forms this one lies. */
  constructor(private readonly doc: Document, private readonly open: string[], private readonly deep: number) {}

  form(schema: Obj): Form {
    const [s, isNull] = this.doc.simple(schema);
    const [, none] = kindOf(s);
    if (this.deep > deepest) return new Form([this.text(without(s, "default"), top)], false);
    if (this.doc.properties(s).size === 0) return new Form([this.field(s, { ...top, null: isNull })], false);
    if (isNull || none) return new Form([this.whole(s, { ...top, null: true })], false);
    const fields = this.object(s, { ...top, required: false });
    return fields ? new Form(fields, true) : new Form([this.text(s, top)], false);
  }

  /** The fields of an object that may have a default; none where they cannot hold it. */
  private object(s: Obj, at: Place): Field[] | undefined {
    const fields = this.fields(s, at);
    const given = object(s.get("default"));
    if (!given) return fields;
    const start: Obj = new Map();
    if (at.path.length > 0) put(start, at.path, given);
    else for (const [name, v] of given) start.set(name, v);
    const form = new Form(fields, true);
    form.load(start).forEach((entry, i) => {
      fields[i]!.start = entry;
      fields[i]!.empty = get(start, fields[i]!.path) === "";
    });
    try {
      return same(form.answer(form.starts()), start) ? fields : undefined;
    } catch {
      return undefined;
    }
  }

  /** A field of what no form can hold: its JSON. */
  private text(s: Obj, at: Place): Field {
    this.made++;
    const f = { ...blank(s), path: at.path, required: at.required, titles: at.titles, title: at.titles.join("."), help: text(s.get("description")) ?? "" };
    f.kind = "json";
    begin(f, s);
    return f;
  }

  /** The fields of an object, and of the objects in it: those that are required first. */
  private fields(s: Obj, at: Place): Field[] {
    const first: Field[] = [];
    const rest: Field[] = [];
    for (const [name, part] of this.doc.properties(s)) {
      const given = object(part) ?? new Map<string, Value>();
      const ref = text(given.get("$ref")) ?? "";
      const [p, isNull] = this.doc.simple(given);
      const required = requires(s, name) && !at.optional;
      const inner: Place = {
        path: [...at.path, name], titles: [...at.titles, text(p.get("title")) ?? name], required, optional: !required,
        null: isNull || kindOf(p)[1],
      };
      const again = ref !== "" && this.open.includes(ref);
      let made: Field[];
      if (this.doc.properties(p).size === 0 || this.made > mostFields) {
        made = [this.field(p, { ...inner, null: isNull || kindOf(p)[1] })];
      } else if (inner.null || again) {
        made = [this.whole(p, inner)];
      } else {
        this.open.push(ref);
        made = this.object(p, inner) ?? [this.text(p, inner)];
        this.open.pop();
      }
      (required ? first : rest).push(...made);
    }
    return [...first, ...rest];
  }

  private field(schema: Obj, at: Place): Field {
    this.made++;
    const [s, none] = this.doc.simple(schema);
    const [name, isNull] = kindOf(s);
    const nothing = isNull || none || at.null;
    const f: Field = {
      ...blank(s), path: at.path, required: at.required && !nothing, null: at.required && nothing, titles: at.titles, title: at.titles.join("."),
      help: text(s.get("description")) ?? "", checked: true,
    };
    const title = text(s.get("title"));
    if (title !== undefined && at.titles.length < 2) f.title = title;
    const branches = this.doc.branches(s);
    const values = list(s.get("enum"));
    if (branches.length > 0) {
      f.kind = "variant";
      f.options = branches.map((b, i) => ({ label: this.doc.called(b, i), value: null }));
      f.forms = branches.map((b) => this.later(b));
    } else if (composed(s)) f.kind = "json";
    else if (s.has("const")) [f.kind, f.options] = ["choice", optionsOf([s.get("const")!])];
    else if (values) [f.kind, f.options] = ["choice", optionsOf(values)];
    else this.plain(f, s, name);
    if (f.kind === "json" || f.kind === "choice" || f.kind === "flag") f.checked = false;
    begin(f, s);
    if (f.kind === "json" && !f.start.text && f.required) f.start = { text: pretty(this.doc.shape(s)) };
    return f;
  }

  /** A field by its type. */
  private plain(f: Field, s: Obj, name: string): void {
    switch (name) {
      case "string": {
        const most = s.get("maxLength");
        f.kind = s.has("contentMediaType") || (most instanceof Num && Number(most.text) > longText) ? "prose" : "text";
        return;
      }
      case "boolean":
        if (f.required) f.kind = "flag";
        else [f.kind, f.options] = ["choice", [{ label: "yes", value: true }, { label: "no", value: false }]];
        return;
      case "integer":
      case "number":
        f.kind = name;
        return;
      case "array":
        this.list(f, s);
        return;
      case "object":
        this.members(f, s);
        return;
    }
    f.kind = "json";
  }

  private list(f: Field, s: Obj): void {
    const [items, isNull] = this.doc.simple(object(s.get("items")) ?? new Map());
    const values = list(items.get("enum"));
    const [name] = kindOf(items);
    if (composed(s)) f.kind = "json";
    else if (values && !isNull) [f.kind, f.options] = ["many", optionsOf(values)];
    else if (isNull || this.doc.branches(items).length > 0) this.items(f, s);
    else if (name === "string") f.kind = "list";
    else if (name === "integer" || name === "number") [f.kind, f.items] = ["list", name];
    else if (items.size === 0) f.kind = "json";
    else this.items(f, s);
  }

  /** A field of a list, with a form for each item. */
  private items(f: Field, s: Obj): void {
    f.kind = "items";
    f.forms = [this.later(object(s.get("items")) ?? new Map())];
    f.bound = [count(s, "minItems"), count(s, "maxItems")];
  }

  /** A field of an object whose members may have any name. */
  private members(f: Field, s: Obj): void {
    const values = object(s.get("additionalProperties"));
    if (!values || s.has("propertyNames") || s.has("patternProperties")) {
      f.kind = "json";
      return;
    }
    const name: Obj = new Map([["type", "string"]]);
    const one: Obj = new Map<string, Value>([
      ["type", "object"], ["required", ["name", "value"]], ["properties", new Map<string, Value>([["name", name], ["value", values]])],
    ]);
    f.kind = "items";
    f.named = true;
    f.forms = [this.later(one)];
    f.bound = [count(s, "minProperties"), count(s, "maxProperties")];
  }

  /** A field of an object that is filled in, or left out, as a whole. */
  private whole(s: Obj, at: Place): Field {
    this.made++;
    const types = list(s.get("type"));
    const inner = without(s, "default");
    if (types) inner.set("type", types.filter((t) => t !== "null"));
    const f: Field = {
      ...blank(s), path: at.path, titles: at.titles, title: at.titles.join("."), kind: "variant", required: at.required && !at.null,
      null: at.required && at.null, options: [{ label: "fill in", value: null }], forms: [this.later(inner)],
      help: text(s.get("description")) ?? "",
    };
    begin(f, s);
    return f;
  }

  /** Makes a form when it is needed: schemas may refer to themselves. */
  private later(s: Obj): () => Form {
    let made: Form | undefined;
    return () => (made ??= new Reader(this.doc, this.open.slice(0, 1), this.deep + 1).form(s));
  }
}

function optionsOf(values: Value[]): Option[] {
  return values.map((v) => ({ label: label(v), value: v }));
}

/** Fills in the schema's default. */
function begin(f: Field, s: Obj): void {
  const v = s.get("default");
  if (v === undefined || v === null) return;
  switch (f.kind) {
    case "flag":
      if (typeof v === "boolean") f.start = { choices: [v ? 0 : 1] };
      break;
    case "choice":
    case "many": {
      const wanted = (Array.isArray(v) && f.kind === "many" ? v : [v]).map(label);
      f.start = { choices: f.options.flatMap((o, i) => (wanted.includes(o.label) ? [i] : [])) };
      break;
    }
    case "json":
      f.start = { text: pretty(v) };
      break;
    case "items":
    case "variant":
      f.start = entryOf(f, v);
      break;
    case "list":
      if (Array.isArray(v)) f.start = { text: v.map(label).join("\n") };
      break;
    default: {
      const given = typeof v === "string" ? v : label(v);
      f.start = { text: given };
      if (f.kind === "text" && given.includes("\n")) f.kind = "prose";
    }
  }
  if (["items", "variant", "many", "list"].includes(f.kind) && !means(f, f.start, v)) {
    f.kind = "json";
    f.start = { text: pretty(v) };
    f.checked = false;
  }
}

/** What is filled in where the field has a value. */
export function entryOf(f: Field, v: Value): Entry {
  switch (f.kind) {
    case "items": {
      const values = v instanceof Map && f.named
        ? [...v].map(([name, value]) => new Map<string, Value>([["name", name], ["value", value]]))
        : list(v) ?? [];
      return { forms: values.map((item) => f.forms[0]!().load(item)) };
    }
    case "variant":
      for (const [i, form] of f.forms.entries()) {
        try {
          const entries = form().load(v);
          if (same(form().answer(entries), v)) return { choices: [i], forms: [entries] };
        } catch {
          // it is another one
        }
      }
      return {};
    default: {
      const filled = { ...f, start: {} };
      begin(filled, new Map([["default", v]]));
      return filled.start;
    }
  }
}

/** Whether an entry stands for a value, and nothing of the value is lost. */
function means(f: Field, e: Entry, v: Value): boolean {
  try {
    const got = rawValue({ ...f, required: true }, e);
    return got !== undefined && same(got, v);
  } catch {
    return false;
  }
}

/** Reads what was filled in. An optional field that was left empty is undefined. */
export function valueOf(f: Field, e: Entry): Value | undefined {
  const v = rawValue(f, e);
  if (v === undefined) return f.null ? null : undefined;
  const no = f.checked ? plainly(f.schema, v) : undefined;
  if (no) throw new Misfit(no);
  return v;
}

function rawValue(f: Field, e: Entry): Value | undefined {
  const chosen = e.choices?.[0];
  const given = e.text ?? "";
  switch (f.kind) {
    case "flag":
      return chosen === undefined ? missing(f) : chosen === 0;
    case "choice":
      return chosen === undefined || !f.options[chosen] ? missing(f) : f.options[chosen].value;
    case "many": {
      const many = (e.choices ?? []).map((i) => f.options[i]!.value);
      return f.required || many.length > 0 ? many : undefined;
    }
    case "text":
    case "prose":
      if (given !== "") return given;
      if (f.path.length === 0) return missing(f);
      return f.required || f.empty ? "" : undefined; // in an object the empty text is a text
    case "items":
      return listed(f, e);
    case "variant":
      if (chosen === undefined || !f.forms[chosen] || !e.forms?.[0]) return missing(f);
      return f.forms[chosen]().answer(e.forms[0]);
    case "list": {
      const lines = given.split("\n").map((line) => line.trim()).filter((line) => line !== "");
      const values = lines.map((line) => rawValue({ ...blank(new Map()), kind: f.items, required: true }, { text: line })!);
      return f.required || values.length > 0 ? values : undefined;
    }
    case "json":
      return given.trim() === "" ? missing(f) : readJSON(given);
    default:
      return given.trim() === "" ? missing(f) : readNumber(f.kind, given.trim());
  }
}

function readJSON(given: string): Value {
  try {
    return parse(given);
  } catch (error) {
    throw error instanceof JSONError ? new Misfit({ key: "form.json", n: String(error.at + 1) }) : error;
  }
}

function readNumber(kind: Kind, given: string): Value {
  let v: Value;
  try {
    v = parse(given);
  } catch {
    v = null;
  }
  if (!(v instanceof Num)) throw new Misfit({ key: kind === "integer" ? "form.integer" : "form.number", n: given });
  if (kind === "integer" && (v.text.length > 40 || !whole(v.text))) throw new Misfit({ key: "form.integer", n: given });
  return v;
}

/** Whether a number is whole, however it is written: 1.50e1 is. */
function whole(given: string): boolean {
  const [, fraction = "", exponent = "0"] = /^-?[0-9]+(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/.exec(given) ?? [];
  const digits = given.replace(/[eE].*/, "").replace(/[-.]/g, "");
  const zeros = /0*$/.exec(digits)![0].length;
  return /^0*$/.test(digits) || fraction.length - Number(exponent) <= zeros;
}

function listed(f: Field, e: Entry): Value | undefined {
  const values: Value[] = [];
  const members: Obj = new Map();
  for (const [i, entries] of (e.forms ?? []).entries()) {
    let item: Value;
    try {
      item = f.forms[0]!().answer(entries);
    } catch (error) {
      if (error instanceof Misfit) throw new Misfit(error.problem, [String(i), ...error.path]);
      throw error;
    }
    if (f.named && item instanceof Map) members.set(text(item.get("name")) ?? "", item.get("value") ?? null);
    else values.push(item);
  }
  if (f.named) return f.required || members.size > 0 ? members : undefined;
  return f.required || values.length > 0 ? values : undefined;
}

function missing(f: Field): undefined {
  if (!f.required) return undefined;
  throw new Misfit({ key: f.kind === "flag" || f.kind === "choice" || f.kind === "variant" ? "form.choose" : "form.missing" });
}

function put(o: Obj, path: readonly string[], v: Value): void {
  const [name, ...rest] = path;
  if (rest.length > 0) {
    const inner: Obj = new Map(object(o.get(name!)) ?? []);
    put(inner, rest, v);
    v = inner;
  }
  o.set(name!, v);
}

function get(v: Value | undefined, path: readonly string[]): Value | undefined {
  for (const name of path) v = object(v)?.get(name);
  return v;
}

/** Everything that is wrong with what was filled in, by the place in the answer. */
export function problemsOf(form: Form, entries: readonly Entry[], at: readonly string[] = []): Map<string, Problem> {
  const found = new Map<string, Problem>();
  form.fields.forEach((f, i) => {
    const e = entries[i] ?? {};
    const here = [...at, ...f.path];
    const inner = f.kind === "items" ? (e.forms ?? []).map((part, n) => problemsOf(f.forms[0]!(), part, [...here, String(n)]))
      : f.kind === "variant" && e.forms?.[0] ? [problemsOf(f.forms[e.choices![0]!]!(), e.forms[0], here)] : [];
    for (const part of inner) for (const [place, problem] of part) found.set(place, problem);
    if (inner.some((part) => part.size > 0)) return;
    try {
      if (valueOf(f, e) === undefined && !form.object && f.required) throw new Misfit({ key: "form.missing" });
    } catch (error) {
      if (!(error instanceof Misfit)) throw error;
      found.set([...here, ...error.path].join("/"), error.problem);
    }
  });
  return found;
}

/** Whether there is nothing to choose: the member of an object that tells it from others. */
export function fixed(f: Field): boolean {
  return f.kind === "choice" && f.required && f.options.length === 1 && f.path.length > 0;
}

export function summary(f: Field, entries: readonly Entry[]): string {
  try {
    const v = f.forms[0]!().answer(entries);
    return v instanceof Map ? [...v.values()].map((x) => (x instanceof Map || Array.isArray(x) ? encode(x) : label(x))).join(" · ") : label(v);
  } catch {
    return "";
  }
}
