// Two points of runs beside each other, as GET /api/runs/{run}/diff has them, and forks, which differ from their runs on purpose.

import { at, membersOf, newKey, request, stopMembers, type Stops } from "../api";
import { member, parse, type Value } from "../json";

export interface Side {
  readonly run: string;
  readonly seq: number;
  readonly plan: string;
  readonly status: string;
  readonly error?: string;
  readonly fork?: { readonly run: string; readonly seq: number };
}

/** A place in a value where two differ; undefined where a side has no such place. */
export interface Change {
  readonly path: string;
  readonly old: Value | undefined;
  readonly new: Value | undefined;
}

export interface TaskSide {
  readonly state: string;
  readonly attempts: number;
  readonly route?: string;
  readonly error?: string;
}

export interface AnswerSide {
  readonly state: string;
  readonly answer: Value | undefined;
  readonly by?: string;
}

export interface Difference {
  readonly a: Side;
  readonly b: Side;
  /** The seq up to which both agree, but for times and ids. */
  readonly common: number;
  readonly answers: readonly { readonly task: string; readonly prompt?: string; readonly a?: AnswerSide; readonly b?: AnswerSide }[];
  readonly tasks: readonly { readonly task: string; readonly a?: TaskSide; readonly b?: TaskSide; readonly output: readonly Change[] }[];
  readonly state: readonly Change[];
  readonly output: readonly Change[];
}

const list = (v: Value | undefined): readonly Value[] => (Array.isArray(v) ? v : []);
const changes = (v: Value | undefined): Change[] => list(v).map((c) => ({ path: String(member(c, "path")), old: member(c, "old"), new: member(c, "new") }));

/** A difference, with the digits of its values as they were written. */
export function differenceOf(said: unknown, exact: Value | undefined): Difference {
  const d = said as Difference;
  const answer = (one: AnswerSide | undefined, v: Value | undefined, side: string): { [side: string]: AnswerSide } => (one ? { [side]: { ...one, answer: member(member(v, side), "answer") } } : {});
  const tasks = list(member(exact, "tasks"));
  const answers = list(member(exact, "answers"));
  return {
    ...d, state: changes(member(exact, "state")), output: changes(member(exact, "output")),
    tasks: (d.tasks ?? []).map((x, i) => ({ ...x, output: changes(member(tasks[i], "output")) })),
    answers: (d.answers ?? []).map((x, i) => ({ ...x, ...answer(x.a, answers[i], "a"), ...answer(x.b, answers[i], "b") })),
  };
}

/** Whether nothing differs but times, ids and who worked on it. */
export function isSame(d: Difference): boolean {
  return d.a.status === d.b.status && (d.a.error ?? "") === (d.b.error ?? "") && d.answers.length + d.tasks.length + d.state.length + d.output.length === 0;
}

/** Compares two points; 0 is the end of a run. */
export async function compare(a: string, aAt: number, b: string, bAt: number, signal?: AbortSignal): Promise<Difference> {
  const query = new URLSearchParams({ with: b, ...(aAt > 0 ? { at: String(aAt) } : {}), ...(bAt > 0 ? { withAt: String(bAt) } : {}) });
  const { text, body } = await request(`${at("runs", a, "diff")}?${query}`, signal ? { signal } : {});
  return differenceOf(body, parse(text));
}

/** Where a fork leaves its run, and what differs from there on. */
export interface Forking {
  readonly at: number;
  /** New values by their paths, as JSON. */
  readonly set: ReadonlyMap<string, string>;
  readonly stops: Stops;
  readonly by: string;
}

function forkBody(f: Forking, more: Readonly<Record<string, unknown>>): string {
  const set = [...f.set].map(([path, json]) => `${JSON.stringify(path)}:${json}`).join(",");
  return `{"at":${f.at}${set ? `,"set":{${set}}` : ""}${membersOf({ ...stopMembers(f.stops), ...(f.by ? { by: f.by } : {}), ...more })}}`;
}

async function forked(run: string, body: string, key: string): Promise<{ text: string; body: unknown }> {
  return request(at("runs", run, "fork"), { method: "POST", body, headers: { "Content-Type": "application/json", ...(key ? { "Idempotency-Key": key } : {}) } });
}

/** What a fork would change; nothing is stored. */
export async function tryFork(run: string, f: Forking): Promise<Difference> {
  const { text, body } = await forked(run, forkBody(f, { dryRun: true }), "");
  return differenceOf((body as { difference: unknown }).difference, member(parse(text), "difference"));
}

/** Forks a run, and returns the id of the fork. */
export async function fork(run: string, f: Forking, key = newKey()): Promise<string> {
  return ((await forked(run, forkBody(f, {}), key)).body as { run: string }).run;
}
