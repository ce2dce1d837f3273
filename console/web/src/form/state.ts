// A form while it is filled in: its entries, what is wrong with them, and the draft that survives.

import { useSignal, type Signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { Problem } from "../api";
import { encode, type Value } from "../json";
import { tx } from "../i18n";
import { store, stored } from "../storage";
import { formOf, Misfit, problemsOf, type Entry, type Form } from "./model";
import type { Wrong } from "./view";

export interface Filling {
  readonly form: Form;
  readonly entries: Signal<readonly Entry[]>;
  readonly wrong: Signal<Wrong>;
  readonly set: (entries: Entry[]) => void;
  /** The answer as JSON; undefined where something is wrong, which is then shown. */
  readonly answer: () => string | undefined;
  /** Shows what the server found; returns what belongs to no field. */
  readonly refused: (problems: readonly Problem[]) => string[];
}

/** A form of a schema. With a draft's name, what was filled in comes back after a reload. */
export function useFilling(schema: Value | undefined, options: readonly string[] | undefined, draft = ""): Filling {
  const key = schema === undefined ? "" : encode(schema);
  const form = useMemo(() => formOf(schema, options), [key, options?.join("\n"), draft]);
  const entries = useSignal<readonly Entry[]>([]);
  const wrong = useSignal<Wrong>(new Map());
  useMemo(() => {
    entries.value = drafted(draft, form) ?? form.starts();
    wrong.value = new Map();
  }, [form]);
  return {
    form, entries, wrong,
    set(next) {
      entries.value = next;
      if (wrong.value.size > 0) wrong.value = new Map();
      if (draft) store(draft, JSON.stringify(next));
    },
    answer() {
      try {
        const v = form.answer(entries.value);
        wrong.value = new Map();
        return encode(v);
      } catch (error) {
        if (!(error instanceof Misfit)) throw error;
        wrong.value = new Map([...problemsOf(form, entries.value)].map(([place, p]) => [place, tx(p.key, p.key, { n: p.n ?? "" })]));
        return undefined;
      }
    },
    refused(problems) {
      const places = new Map<string, string>();
      const rest: string[] = [];
      for (const p of problems) {
        const path = p.path.replace(/^\//, "").split("/").map((part) => part.replace(/~1/g, "/").replace(/~0/g, "~"));
        const at = place(form, path, p.path === "" ? "" : path.join("/"));
        if (at === undefined) rest.push(p.path ? `${p.path}: ${p.message}` : p.message);
        else places.set(at, p.message);
      }
      wrong.value = places;
      return rest;
    },
  };
}

/** The field at a place, or the one that the place lies in. */
function place(form: Form, path: readonly string[], whole: string): string | undefined {
  if (!form.object) return form.fields[0]!.kind === "items" ? whole : "";
  const field = form.fields.find((f) => f.path.every((name, i) => path[i] === name));
  if (!field) return undefined;
  return field.kind === "items" || field.kind === "variant" ? whole : field.path.join("/");
}

function drafted(name: string, form: Form): readonly Entry[] | undefined {
  const text = name && stored(name);
  if (!text) return undefined;
  try {
    const entries = JSON.parse(text) as unknown;
    return Array.isArray(entries) && entries.length === form.fields.length ? (entries as Entry[]) : undefined;
  } catch {
    return undefined;
  }
}
