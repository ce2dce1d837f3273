// Changes many runs by one request, whose answer tells of each as it is done.

import { Refusal, request, type Problem } from "../api";
import { authorization } from "../login";

export type Verb = "hold" | "release" | "retry" | "cancel";

/** Which runs, as POST /api/runs/bulk takes them. */
export interface Selection {
  readonly status?: readonly string[];
  readonly plan?: readonly string[];
  readonly kind?: readonly string[];
  readonly run?: readonly string[];
  readonly label?: Readonly<Record<string, string>>;
  readonly prefix?: string;
}

/** What came of one run. */
export interface Changed {
  readonly run: string;
  readonly plan: string;
  readonly status: string;
  readonly error?: { readonly detail?: string; readonly title?: string; readonly problems?: readonly Problem[] };
}

export interface Total {
  readonly done: number;
  readonly refused: number;
  readonly more: boolean;
}

/** How many runs are changed at once. */
export const mostAtOnce = 1000;

/** Runs with these statuses can be changed so. */
export const statusesOf: Readonly<Record<Verb, readonly string[]>> = {
  hold: ["running", "paused", "blocked"], release: ["running", "paused", "blocked"], cancel: ["running", "paused", "blocked"], retry: ["failed", "expired", "blocked"],
};

/** What is sent: those of the selection to which it can be done; undefined where none can be. */
export function selected(verb: Verb, s: Selection): Selection | undefined {
  const status = (s.status ?? statusesOf[verb]).filter((x) => statusesOf[verb].includes(x));
  return status.length === 0 || s.run?.length === 0 ? undefined : { ...s, status };
}

/** Does it, and calls told with each run. */
export async function change(verb: Verb, filter: Selection, given: { dryRun?: boolean; reason?: string; by?: string }, told: (one: Changed) => void, signal: AbortSignal): Promise<Total> {
  const body = JSON.stringify({ do: verb, filter, limit: mostAtOnce, ...given });
  const init = { method: "POST", body, signal, headers: { "Content-Type": "application/json", ...authorization() }, cache: "no-store" } as const;
  let total: Total | undefined;
  try {
    const response = await fetch("/api/runs/bulk", init);
    if (!response.ok || !response.body) { // as every other refusal is told, which asks anew who is there
      const said = (await response.json().catch(() => ({}))) as { detail?: string; code?: string };
      if (response.status === 401) await request("/api/me");
      throw new Refusal(said.detail ?? `status ${response.status}`, response.status, said.code ?? "internal");
    }
    const decoder = new TextDecoder();
    let rest = "";
    for (const reader = response.body.getReader(); ; ) {
      const piece = await reader.read();
      const lines = (rest + decoder.decode(piece.value, { stream: !piece.done })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of piece.done ? [...lines, rest] : lines) {
        if (line === "") continue;
        const one = JSON.parse(line) as Changed | (Total & { total: true });
        if ("total" in one) total = one;
        else told(one);
      }
      if (piece.done) break;
    }
  } catch (error) {
    if (error instanceof Refusal || signal.aborted) throw error;
  }
  if (!total) throw new Refusal("", 0, "unreachable");
  return total;
}
