/** A value of JSON. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** An operation of RFC 6902, or append, which adds text to the end of a text. */
export type Operation =
  | { readonly op: "add" | "replace" | "test" | "append"; readonly path: string; readonly value: Json }
  | { readonly op: "remove"; readonly path: string }
  | { readonly op: "move" | "copy"; readonly from: string; readonly path: string };

/**
 * The value with the patch applied; undefined stands for no value, which only an add at the path "" can change. What the
 * patch does not touch is shared with the value that was given, which stays as it is. A patch that does not fit throws,
 * and nothing of it is applied.
 */
export function applyPatch(value: Json | undefined, patch: readonly Operation[]): Json | undefined {
  let result = value;
  for (const operation of patch) result = apply(result, operation);
  return result;
}

function apply(value: Json | undefined, o: Operation): Json | undefined {
  switch (o.op) {
    case "add":
      return change(value, o.path, () => o.value, true);
    case "remove":
      return change(value, o.path, () => undefined, false);
    case "replace":
      return change(value, o.path, () => o.value, false);
    case "append":
      return change(value, o.path, (old) => {
        if (typeof old !== "string" || typeof o.value !== "string") throw misfit(o.path, "expected a text to append a text to");
        return old + o.value;
      }, false);
    case "copy":
      return change(value, o.path, () => find(value, o.from), true);
    case "move": {
      if (o.path === o.from) return value;
      if (o.path.startsWith(o.from + "/")) throw misfit(o.path, `it lies within ${o.from}, which is moved`);
      const moved = find(value, o.from);
      return change(change(value, o.from, () => undefined, false), o.path, () => moved, true);
    }
    case "test":
      if (!same(find(value, o.path), o.value)) throw misfit(o.path, "it is another value than the patch expects");
      return value;
    default:
      throw misfit("", `unknown operation ${JSON.stringify((o as { op: unknown }).op)}`);
  }
}

function misfit(path: string, why: string): Error {
  return new Error(`the patch does not fit at ${JSON.stringify(path)}: ${why}`);
}

function tokens(path: string): string[] {
  if (path === "") return [];
  if (!path.startsWith("/")) throw misfit(path, "a path begins with a slash");
  return path.slice(1).split("/").map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function find(value: Json | undefined, path: string): Json {
  let at = value;
  for (const token of tokens(path)) at = member(at, token, path);
  if (at === undefined) throw misfit(path, "there is nothing");
  return at;
}

/** A member of an object or a list; undefined where it has none. */
function member(value: Json | undefined, token: string, path: string): Json | undefined {
  if (isList(value)) return value[index(token, value.length - 1, path)];
  if (isObject(value)) return Object.hasOwn(value, token) ? value[token] : undefined;
  throw misfit(path, `there is no member ${JSON.stringify(token)} in what is neither an object nor a list`);
}

function index(token: string, most: number, path: string): number {
  if (!/^(0|[1-9][0-9]*)$/.test(token)) throw misfit(path, `${JSON.stringify(token)} is no index`);
  if (Number(token) > most) throw misfit(path, `index ${token} is beyond the end of the list`);
  return Number(token);
}

type Change = (old: Json | undefined) => Json | undefined;

/** The value with what is at the path changed; undefined removes it. Add means that it need not be there. */
function change(value: Json | undefined, path: string, to: Change, add: boolean): Json | undefined {
  return changeAt(value, tokens(path), 0, path, to, add);
}

function changeAt(value: Json | undefined, way: string[], depth: number, path: string, to: Change, add: boolean): Json | undefined {
  if (depth === way.length) {
    if (value === undefined && !add) throw misfit(path, "there is nothing");
    return to(value);
  }
  const token = way[depth]!;
  const last = depth === way.length - 1;
  if (isList(value)) return changeList(value, way, depth, path, to, add);
  if (!isObject(value)) throw misfit(path, `there is no member ${JSON.stringify(token)} in what is neither an object nor a list`);
  const old = Object.hasOwn(value, token) ? value[token] : undefined;
  if (old === undefined && !last) throw misfit(path, `there is no member ${JSON.stringify(token)}`);
  const changed = changeAt(old, way, depth + 1, path, to, add);
  if (changed !== undefined) return { ...value, [token]: changed };
  const { [token]: _, ...rest } = value;
  return rest;
}

function changeList(value: readonly Json[], way: string[], depth: number, path: string, to: Change, add: boolean): Json {
  const token = way[depth]!;
  if (add && depth === way.length - 1) {
    const at = token === "-" ? value.length : index(token, value.length, path);
    const item = to(undefined);
    return [...value.slice(0, at), ...(item === undefined ? [] : [item]), ...value.slice(at)];
  }
  const at = index(token, value.length - 1, path);
  const changed = changeAt(value[at], way, depth + 1, path, to, add);
  return changed === undefined ? value.toSpliced(at, 1) : value.with(at, changed);
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

function isObject(value: Json | undefined): value is { readonly [name: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function same(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (isList(a) && isList(b)) return a.length === b.length && a.every((item, i) => same(item, b[i]));
  if (isObject(a) && isObject(b)) {
    const names = Object.keys(a);
    return names.length === Object.keys(b).length && names.every((name) => Object.hasOwn(b, name) && same(a[name], b[name]));
  }
  return false;
}
