// Deltas of values, as journals hold them: journal/delta.go describes the format.

import { Num, type Obj, type Value } from "./json";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The value that a delta makes of another one. It throws where the delta does not fit. */
export function apply(from: Value | undefined, delta: Value): Value {
  if (!Array.isArray(delta) || delta.length === 0) throw new Error("no delta");
  const count = (v: Value | undefined): number => {
    if (!(v instanceof Num)) throw new Error("no delta: expected a number");
    return Number(v.text);
  };
  const [, a, b, c] = delta;
  switch (count(delta[0])) {
    case 0:
      return a!;
    case 1: {
      const made: Obj = new Map(from instanceof Map ? from : []);
      if (a instanceof Map) for (const [name, change] of a) made.set(name, apply(made.get(name), change));
      if (Array.isArray(b)) for (const name of b) made.delete(name as string);
      return made;
    }
    case 2:
      return [...(from as Value[]).slice(0, count(a)), ...(b as Value[])];
    case 3: {
      const made = (from as Value[]).slice(0, count(b));
      for (const [at, change] of a as Obj) made[Number(at)] = apply(made[Number(at)], change);
      return [...made, ...(c as Value[])];
    }
    case 4:
      return decoder.decode(encoder.encode(from as string).slice(0, count(a))) + (b as string);
  }
  throw new Error("no delta: unknown kind");
}
