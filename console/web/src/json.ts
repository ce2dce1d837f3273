// JSON as people wrote it: members keep their order, and numbers their digits. JSON.parse keeps neither.

/** A number as it was written: 84.90 stays 84.90, and 9007199254740993 stays itself. */
export class Num {
  constructor(readonly text: string) {}
}

export type Obj = Map<string, Value>;
export type Value = string | boolean | null | Num | Value[] | Obj;

const token = /[\t\n\r ]*(?:([{}[\]:,])|("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)|(true|false|null))/y;

/** Where a text is no JSON. */
export class JSONError extends Error {
  constructor(readonly at: number) {
    super(`no JSON at character ${at + 1}`);
  }
}

const deepest = 5000;

/** Reads one JSON value. */
export function parse(text: string): Value {
  let at = 0;
  const next = (): RegExpExecArray => {
    token.lastIndex = at;
    const found = token.exec(text);
    if (!found) throw new JSONError(at);
    at = token.lastIndex;
    return found;
  };
  const expect = (...marks: string[]): string => {
    const before = at;
    const mark = next()[1];
    if (mark === undefined || !marks.includes(mark)) throw new JSONError(before);
    return mark;
  };
  const value = (t: RegExpExecArray, depth: number): Value => {
    if (depth > deepest) throw new JSONError(at);
    if (t[2] !== undefined) return JSON.parse(t[2]) as string;
    if (t[3] !== undefined) return new Num(t[3]);
    if (t[4] !== undefined) return t[4] === "null" ? null : t[4] === "true";
    if (t[1] === "[") {
      const list: Value[] = [];
      let item = next();
      if (item[1] === "]") return list;
      for (;;) {
        list.push(value(item, depth + 1));
        if (expect(",", "]") === "]") return list;
        item = next();
      }
    }
    if (t[1] === "{") {
      const object: Obj = new Map();
      let name = next();
      if (name[1] === "}") return object;
      for (;;) {
        if (name[2] === undefined) throw new JSONError(at);
        expect(":");
        object.set(JSON.parse(name[2]) as string, value(next(), depth + 1));
        if (expect(",", "}") === "}") return object;
        name = next();
      }
    }
    throw new JSONError(at);
  };
  const read = value(next(), 0);
  if (text.slice(at).trim() !== "") throw new JSONError(at);
  return read;
}

/** Writes a value, on one line or with an indent. */
export function encode(v: Value, indent = "", now = "\n"): string {
  if (v instanceof Num) return v.text;
  const inner = indent && now + indent;
  const end = indent && now;
  if (Array.isArray(v)) {
    return v.length === 0 ? "[]" : "[" + v.map((item) => inner + encode(item, indent, inner)).join(",") + end + "]";
  }
  if (v instanceof Map) {
    const colon = indent ? ": " : ":";
    return v.size === 0 ? "{}" : "{" + [...v].map(([name, item]) => inner + JSON.stringify(name) + colon + encode(item, indent, inner)).join(",") + end + "}";
  }
  return JSON.stringify(v);
}

export function pretty(v: Value): string {
  return encode(v, "  ");
}

/** The member of an object; undefined where there is none, or no object. */
export function member(v: Value | undefined, name: string): Value | undefined {
  return v instanceof Map ? v.get(name) : undefined;
}

/** Whether two values are equal, in whatever order their members are. Numbers are equal when their texts are. */
export function same(a: Value | undefined, b: Value | undefined): boolean {
  if (a instanceof Num && b instanceof Num) return a.text === b.text;
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, i) => same(item, b[i]));
  if (a instanceof Map && b instanceof Map) {
    return a.size === b.size && [...a].every(([name, item]) => b.has(name) && same(item, b.get(name)));
  }
  return a === b;
}
