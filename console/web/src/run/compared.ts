// Two points of runs beside each other, as GET /api/runs/{run}/diff has them; it knows no page.

import { member, type Value } from "../json";

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
