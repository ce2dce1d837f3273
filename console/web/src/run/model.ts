// A run as its journal tells it: how its tasks stand at any entry, and when they worked and waited.

import type { Envelope } from "../../../../clients/js/src/envelope";
import type { Value } from "../json";

export * from "./told";

/** A stored event; its values are as they were written. */
export interface Entry extends Envelope {
  /** In milliseconds since 1970. */
  readonly at: number;
  /** The data, with the digits and the order of the journal. */
  readonly exact: ReadonlyMap<string, Value>;
}

export type BarKind = "work" | "wait" | "retry";

export interface Bar {
  readonly kind: BarKind;
  readonly from: number;
  /** Undefined while it lasts. */
  to: number | undefined;
  /** How it ended: finished, failed, …; "" for none. */
  end: string;
}

export interface Task {
  readonly id: string;
  /** running, waiting, retrying, finished, failed, skipped, cancelled */
  status: string;
  attempt: number;
  error: string;
  /** Who answered its question last. */
  by: string;
  /** The task, or the task and its step, that this one undoes; "" for none (law F10). */
  undoes: string;
  /** The task that has undone this one, or a step of it; "" for none. */
  undoneBy: string;
  readonly bars: Bar[];
}

/** Why nothing begins in a run. */
export interface Held {
  readonly by: string;
  readonly note: string;
  /** At a breakpoint: the task that begins next, or the one that has ended; "" for none. */
  readonly before: string;
  readonly after: string;
  readonly since: number;
}

/** How a run stands at an entry. */
export interface Standing {
  status: string;
  error: string;
  code: string;
  /** The task that the run failed of. */
  failed: string;
  /** Who ended it. */
  by: string;
  /** Why nothing begins in it; undefined while it is not held. */
  hold: Held | undefined;
  /** How it will end, once what it has done is undone; undefined while it is not undone (law F10). */
  undoing: { readonly status: string; readonly error: string } | undefined;
  /** Whether an undo has begun, after which it is not retried. */
  undone: boolean;
  readonly tasks: ReadonlyMap<string, Task>;
  readonly begun: number;
  readonly ended: number | undefined;
}

const ongoing = new Set(["running", "waiting", "retrying"]);

const text = (v: unknown): string => (typeof v === "string" ? v : "");

/** When what is shown ends: with the run, at the entry that is looked at, or now. */
export function endOf(entries: readonly Entry[], at: number, s: Standing, now: number): number {
  if (s.ended !== undefined) return s.ended;
  const last = entries[(at || entries.length) - 1]?.at ?? now;
  return at > 0 ? last : Math.max(now, last);
}

/** Folds the first entries of a journal. */
export function standing(entries: readonly Entry[], upTo = entries.length): Standing {
  const tasks = new Map<string, Task>();
  const s = { status: "running", error: "", code: "", failed: "", by: "", hold: undefined as Held | undefined, undoing: undefined as Standing["undoing"], undone: false, tasks, begun: entries[0]?.at ?? 0, ended: undefined as number | undefined };
  const taskOf = (e: Entry): Task | undefined => {
    if (!e.task) return undefined;
    let task = tasks.get(e.task);
    if (!task) tasks.set(e.task, (task = { id: e.task, status: "running", attempt: 1, error: "", by: "", undoes: "", undoneBy: "", bars: [] }));
    return task;
  };
  for (let i = 0; i < upTo; i++) {
    const e = entries[i]!;
    const attempt = e.data["attempt"];
    switch (e.type) {
      case "run.started":
      case "run.resumed":
        s.status = "running";
        s.error = s.code = s.failed = s.by = "";
        s.ended = undefined;
        break;
      case "run.held":
        s.hold = { by: text(e.data["by"]), note: text(e.data["note"]), before: text(e.data["before"]), after: text(e.data["after"]), since: e.at };
        break;
      case "run.released":
        s.hold = undefined;
        break;
      case "run.paused":
        s.status = "paused";
        break;
      case "run.blocked":
        s.status = "blocked";
        s.error = text(e.data["error"]);
        s.code = text(e.data["code"]);
        s.failed = e.task ?? "";
        break;
      case "run.undoing":
        s.undoing ??= { status: text(e.data["status"]), error: text(e.data["reason"]) || text(e.data["error"]) };
        break;
      case "run.finished":
        s.undoing = undefined;
        s.status = text(e.data["status"]);
        // of a run that was cancelled, the error only repeats that it was
        s.error = text(e.data[s.status === "cancelled" ? "reason" : "error"]) || (s.status === "cancelled" ? "" : text(e.data["reason"]));
        s.code = text(e.data["code"]);
        s.failed = text(e.data["task"]) || e.task || "";
        s.by = text(e.data["by"]);
        s.ended = e.at;
        s.hold = undefined;
        for (const task of tasks.values()) {
          close(task, e.at, "");
          if (s.status !== "completed" && ongoing.has(task.status)) task.status = "cancelled";
        }
        break;
      case "node.started":
        if (!e.task) break;
        open(taskOf(e)!, "work", e.at, "running");
        if (text(e.data["undo"]) !== "") {
          s.undone = true;
          taskOf(e)!.undoes = text(e.data["undo"]);
        }
        break;
      case "node.suspended": {
        const task = taskOf(e);
        if (task && task.bars.at(-1)?.kind !== "wait") open(task, "wait", e.at, "waiting");
        break;
      }
      case "node.retrying": {
        const task = taskOf(e);
        if (!task) break;
        close(task, e.at, "failed");
        task.error = text(e.data["error"]);
        open(task, "retry", e.at, "retrying"); // the next attempt begins with node.started
        break;
      }
      case "node.finished":
      case "node.cached":
      case "node.failed":
      case "node.skipped": {
        const task = taskOf(e);
        if (!task) break;
        task.status = e.type === "node.cached" ? "finished" : e.type.slice("node.".length);
        task.error = text(e.data["error"]);
        close(task, e.at, task.status);
        if (task.undoes !== "" && task.status === "finished") {
          const of = [...tasks.keys()].filter((id) => task.undoes === id || task.undoes.startsWith(id + "/")).sort((a, b) => b.length - a.length)[0];
          if (of !== undefined) tasks.get(of)!.undoneBy = task.id;
        }
        break;
      }
      case "interrupt.resolved":
      case "timer.fired":
      case "message.replied": {
        const task = taskOf(e);
        if (task && e.type === "interrupt.resolved") task.by = text(e.data["by"]);
        if (task && (task.status === "waiting" || task.bars.at(-1)?.kind === "wait")) open(task, "work", e.at, "running");
        break;
      }
    }
    if (typeof attempt === "number" && e.task) tasks.get(e.task)!.attempt = attempt;
  }
  return s;
}

function close(task: Task, at: number, end: string): void {
  const last = task.bars.at(-1);
  if (last && last.to === undefined) {
    last.to = Math.max(last.from, at);
    last.end = end;
  }
}

function open(task: Task, kind: BarKind, at: number, status: string): void {
  close(task, at, "");
  task.status = status;
  task.bars.push({ kind, from: at, to: undefined, end: "" });
}

const looks: Readonly<Record<string, string>> = {
  running: "running", waiting: "waiting", retrying: "running", finished: "done", failed: "failed", skipped: "skipped", cancelled: "skipped",
};

/** The looks of the drawing's nodes: of a node that ran several times, how its last task stands. */
export function looksOf(s: Standing): Map<string, string> {
  const made = new Map<string, string>();
  for (const task of s.tasks.values()) {
    const path = task.id.replace(/#\d+/g, "");
    made.set(path, looks[task.status] ?? "");
    const inner = path.split("/");
    for (let i = 1; i < inner.length; i++) {
      const outer = inner.slice(0, i).join("/");
      if (!made.has(outer)) made.set(outer, "running");
    }
  }
  if (s.ended !== undefined && s.status !== "completed") {
    for (const [path, look] of made) if (look === "running" || look === "waiting") made.set(path, "skipped");
  }
  return made;
}

/** A scale that keeps the order of moments and shows short work beside long waits: an interval is as wide as its logarithm. */
export function scale(moments: readonly number[]): (at: number) => number {
  const sorted = [...new Set(moments)].sort((a, b) => a - b);
  const places: number[] = [];
  let width = 0;
  sorted.forEach((m, i) => {
    if (i > 0) width += Math.log1p((m - sorted[i - 1]!) / 20) + 0.05;
    places.push(width);
  });
  return (at) => {
    if (width === 0) return 0;
    let low = 0;
    let high = sorted.length - 1;
    while (low < high) {
      const mid = (low + high + 1) >> 1;
      if (sorted[mid]! <= at) low = mid;
      else high = mid - 1;
    }
    const rest = at - sorted[low]!;
    return Math.min(1, Math.max(0, (places[low]! + (rest > 0 ? Math.log1p(rest / 20) : 0)) / width));
  };
}
