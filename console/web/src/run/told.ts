// What pages tell about questions, drafts and times, as far as it needs no page.

import type { Value } from "../json";

/**
 * A text that somebody else wrote, where people decide by it: signs that turn around what follows (U+202D, U+202E) are shown as
 * a sign of their own, so that no input changes how the words around it read. Other marks of direction are closed at the end.
 */
export function steady(text: string): string {
  if (!/[\u202a-\u202e\u2066-\u2069]/.test(text)) return text;
  let open = "";
  let made = "";
  for (const c of text) {
    if (c === "\u202d" || c === "\u202e") made += "\ufffd";
    else {
      if (c === "\n") {
        made += open;
        open = "";
      } else if (c === "\u202a" || c === "\u202b") open = "\u202c" + open;
      else if (c >= "\u2066" && c <= "\u2068") open = "\u2069" + open;
      else if (open.startsWith(c)) open = open.slice(1);
      made += c;
    }
  }
  return made + open;
}

/** How soon something will be, in milliseconds as they are told: to the nearest minute or hour, not the one before. */
export function ahead(ms: number): number {
  const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000] as const;
  const to = (unit: number): number => Math.round(ms / unit) * unit;
  return ms >= 10 * day ? to(day) : to(hour) >= 10 * hour ? to(hour) : to(second) >= minute ? to(minute) : to(second);
}

/** What was decided and noted in a review before it was sent. */
export interface Decided {
  readonly action: string;
  readonly note: string;
}

/** Reads the draft of a review; an action that it does not offer any more is none. */
export function decided(text: string | undefined, actions: readonly string[]): Decided {
  try {
    const said = JSON.parse(text ?? "{}") as Partial<Record<keyof Decided, unknown>> | null;
    const action = typeof said?.action === "string" && actions.includes(said.action) ? said.action : "";
    return { action, note: typeof said?.note === "string" ? said.note : "" };
  } catch {
    return { action: "", note: "" };
  }
}

/** The names under which the draft of a question is kept: its form, or its decision and the form of what is edited. */
export function draftNames(question: string): { draft: string; edit: string } {
  return { draft: "draft." + question, edit: `draft.${question}.edit` };
}

/** The drafts of questions that are not among those given. */
export function staleDrafts(names: readonly string[], questions: readonly string[]): string[] {
  const kept = new Set(questions.flatMap((q) => Object.values(draftNames(q))));
  return names.filter((name) => !kept.has(name));
}

/** Who keeps a question that is not kept by the person at this page; "" for nobody else. */
export function keptBy(q: { readonly state: string; readonly claimedBy?: string; readonly claimedByName?: string }, me: string): string {
  const holder = q.claimedBy ?? "";
  if (q.state !== "claimed" || holder === "") return "";
  const mine = me.trim();
  return mine !== "" && (holder === mine || q.claimedByName === mine) ? "" : q.claimedByName ?? holder;
}

/** The questions to show: those that are open, and before them those that closed under the eyes of this page and were not answered on it. */
export function toShow<Q extends { readonly requestId: string }>(seen: readonly Q[], open: readonly Q[], done: ReadonlySet<string>): { closed: Q[]; open: readonly Q[] } {
  const now = new Set(open.map((q) => q.requestId));
  return { closed: seen.filter((q) => !now.has(q.requestId) && !done.has(q.requestId)), open };
}

/** An answer to a review in its parts: what was decided, why, and what else it has. */
export function partsOf(answer: Value | undefined): { action: string; note: string; rest: Value | undefined } {
  const action = answer instanceof Map ? answer.get("action") : undefined;
  if (!(answer instanceof Map) || typeof action !== "string") return { action: "", note: "", rest: answer };
  const rest = new Map(answer);
  rest.delete("action");
  let note = "";
  for (const name of ["note", "reason"]) {
    const said = rest.get(name);
    if (note !== "" || typeof said !== "string") continue;
    note = said;
    rest.delete(name);
  }
  return { action, note, rest: rest.size > 0 ? rest : undefined };
}
