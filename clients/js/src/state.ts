import type { Envelope } from "./envelope.js";
import { awaited, endOfWaits, replied, sent, type Awaited, type Received } from "./mail.js";
import { applyPatch, type Json, type Operation } from "./patch.js";

/** "" until the run's first event was seen. */
export type RunStatus = "" | "running" | "paused" | "completed" | "failed" | "cancelled" | "expired" | "stuck" | "blocked";

export type TaskStatus = "running" | "waiting" | "retrying" | "finished" | "failed" | "skipped";

/** One visit of a node. */
export interface Task {
  readonly id: string;
  readonly status: TaskStatus;
  /** Which try it is, from 1. */
  readonly attempt: number;
  /** Why it failed, or will be tried again. */
  readonly error?: string;
}

/** One piece of streamed text. */
export interface Segment {
  readonly opId: string;
  readonly segmentId: string;
  readonly task: string;
  /** "answer" or "reasoning"; "" where the reader came too late to know. */
  readonly channel: string;
  readonly text: string;
  /** The text is whole. */
  readonly ended: boolean;
  readonly attempt: number;
}

/** A typed value while it is made, and when it is. */
export interface Structured {
  readonly opId: string;
  readonly segmentId: string;
  readonly task: string;
  readonly dataType: string;
  readonly schemaId: string;
  readonly schemaVersion: string;
  readonly value: Json;
  /** The value is whole, and fits its schema. */
  readonly final: boolean;
}

/** An open question. */
export interface Interrupt {
  readonly requestId: string;
  readonly state: "open" | "claimed";
  readonly task?: string;
  /** "approval" where a call of a tool is to be looked at. */
  readonly kind?: string;
  /** What is asked. */
  readonly input?: unknown;
  readonly prompt?: string;
  readonly options?: readonly string[];
  /** JSON Schema of the input. */
  readonly requestSchema?: unknown;
  readonly requestSchemaId?: string;
  readonly requestSchemaVersion?: string;
  /** JSON Schema of the answer: what a form is made of. */
  readonly responseSchema?: unknown;
  readonly responseSchemaId?: string;
  readonly responseSchemaVersion?: string;
  readonly requiredRole?: string;
  /** The one person who may answer. */
  readonly assignee?: string;
  /** The role that may take the question from its assignee, or from the person who has claimed it. */
  readonly overrideRole?: string;
  /** Only who presents the resume token may answer. */
  readonly needsToken?: boolean;
  /** Whoever started the run may not answer. */
  readonly fourEyes?: boolean;
  /** Paths of nodes: who answered one of them may not answer this. */
  readonly notByNodes?: readonly string[];
  /** Microseconds since 1970, UTC. */
  readonly opened?: number;
  /** Microseconds since 1970, UTC. */
  readonly deadline?: number;
  /** What happens at the deadline: do is fail, default, route or escalate. */
  readonly atDeadline?: { readonly do: string; readonly [more: string]: unknown };
  readonly claimedBy?: string;
  /** What people are called, where that is not who they are. */
  readonly assigneeName?: string;
  readonly claimedByName?: string;
}

/** Something that a node said. */
export interface Note {
  readonly seq: number;
  readonly ts: string;
  readonly task: string;
  readonly data: Envelope["data"];
}

export interface ToolCall {
  readonly task: string;
  /** Which call of the task it is, the same after a restart; "" where the event does not say it. */
  readonly step: string;
  /** The model's own name of the call; some models begin anew with each reply. */
  readonly callId: string;
  readonly name: string;
  readonly arguments?: unknown;
  readonly status: "running" | "finished" | "failed";
  readonly result?: unknown;
  readonly error?: unknown;
}

/** Who holds a run, and why. */
export interface Hold {
  readonly by?: string;
  readonly note?: string;
  /** Of a breakpoint: the task that begins once the run is released. */
  readonly before?: string;
  /** Of a breakpoint: the task that has ended. */
  readonly after?: string;
  /** When it was held. */
  readonly since: string;
}

/** What a user interface shows of a run. It is never changed in place; what an event does not touch stays the same object. */
export interface State {
  readonly run: string;
  /** The last stored event that is in it: where to go on reading. */
  readonly seq: number;
  readonly status: RunStatus;
  /** Why the run ended without success. */
  readonly error?: string;
  /** Why nothing begins in the run until it is released; absent where it is not held. */
  readonly hold?: Hold;
  /** In the order in which they began, by id. */
  readonly tasks: Readonly<Record<string, Task>>;
  /** In the order in which they began. */
  readonly segments: readonly Segment[];
  /** In the order in which they began. */
  readonly structured: readonly Structured[];
  /** Those that are open, in the order in which they were asked. */
  readonly interrupts: readonly Interrupt[];
  /** Calls that wait for a message, the one that has waited longest first. */
  readonly awaited: readonly Awaited[];
  /** Messages that came from outside: those that no call has taken, and the last others, at most limit. */
  readonly received: readonly Received[];
  /** Ids of all messages that came: a second one with an id has no effect. */
  readonly receivedIds: Readonly<Record<string, true>>;
  /** What nodes said; the last ones, at most limit. */
  readonly messages: readonly Note[];
  /** The last ones, at most limit. */
  readonly statuses: readonly Note[];
  /** The last ones, at most limit. */
  readonly diagnostics: readonly Note[];
  /** The last ones, at most limit. */
  readonly tools: readonly ToolCall[];
  readonly limit: number;
}

/** The state before the first event. Lists of what was said keep the last 200 entries, or limit. */
export function initial({ limit = 200 }: { limit?: number } = {}): State {
  return {
    run: "", seq: 0, status: "", tasks: {}, segments: [], structured: [], interrupts: [],
    awaited: [], received: [], receivedIds: {}, messages: [], statuses: [], diagnostics: [], tools: [], limit,
  };
}

/** The state after an event. A stored event that is in it already changes nothing. */
export function reduce(state: State, e: Envelope): State {
  if (e.sub === 0) {
    if (e.seq <= state.seq) return state;
    state = { ...state, seq: e.seq, run: e.run };
  }
  const change = changes[e.type];
  return change ? change(state, e) : state;
}

type Reducer = (state: State, e: Envelope) => State;

const changes: Readonly<Record<string, Reducer | undefined>> = Object.assign(Object.create(null), {
  "run.started": runs("running"),
  "run.paused": runs("paused"),
  "run.blocked": runs("blocked"),
  "run.held": (state, e) => ({ ...state, hold: { ...e.data, since: e.ts } }),
  "run.released": released,
  "run.resumed": (state, e) => runs("running")(e.data["reason"] === "fork" ? released(state) : state, e),
  "run.finished": runFinished,
  "node.started": tasks("running"),
  "node.suspended": tasks("waiting"),
  "node.retrying": over("retrying"),
  "node.finished": over("finished"),
  "node.cached": tasks("finished"),
  "node.failed": over("failed"),
  "node.skipped": tasks("skipped"),
  "timer.fired": (state, e) => taskGoesOn(endOfWaits(state, (c) => c.opId === e.opId), e),
  "message.sent": (state, e) => sent(state, e, goesOn),
  "message.awaited": (state, e) => awaited(state, e, goesOn),
  "message.replied": (state, e) => replied(state, e, goesOn),
  "text.start": textStart,
  "text.delta": textDelta,
  "text.end": textEnd,
  "structured-data": structured,
  "structured-data.invalidated": invalidated,
  "interrupt": interruptOpened,
  "interrupt.updated": interruptUpdated,
  "interrupt.resolved": interruptResolved,
  "message": notes("messages"),
  "status": notes("statuses"),
  "diagnostic": notes("diagnostics"),
  "tool.call": toolCall,
  "tool.result": toolResult,
} satisfies Record<string, Reducer>);

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function attemptOf(e: Envelope): number {
  return typeof e.data["attempt"] === "number" ? e.data["attempt"] : 1;
}

function runs(status: RunStatus): Reducer {
  return (state) => {
    const { error: _, ...rest } = state;
    return { ...rest, status };
  };
}

function released(state: State): State {
  const { hold: _, ...rest } = state;
  return rest;
}

function runFinished(state: State, e: Envelope): State {
  const error = text(e.data["error"]);
  return { ...released(state), status: text(e.data["status"]) as RunStatus, ...(error === "" ? {} : { error }) };
}

function withTask(state: State, id: string, status: TaskStatus, attempt: number, error: string): State {
  const task: Task = { id, status, attempt, ...(error === "" ? {} : { error }) };
  return { ...state, tasks: { ...state.tasks, [id]: task } };
}

function tasks(status: TaskStatus): Reducer {
  return (state, e) => (e.task === undefined ? state : withTask(state, e.task, status, attemptOf(e), text(e.data["error"])));
}

/** An attempt of a task is over, and with it its waits for messages. */
function over(status: TaskStatus): Reducer {
  return (state, e) => tasks(status)(endOfWaits(state, (c) => c.task === e.task), e);
}

/** What a task waited for has come. */
function taskGoesOn(state: State, e: Envelope): State {
  return e.task === undefined ? state : goesOn(state, e.task);
}

function goesOn(state: State, id: string): State {
  const task = state.tasks[id];
  if (!task || (task.status !== "waiting" && task.status !== "retrying")) return state;
  return withTask(state, task.id, "running", task.attempt, "");
}

/** Replaces the item that is meant, or appends it. */
function put<T>(list: readonly T[], meant: (item: T) => boolean, item: T): readonly T[] {
  const at = list.findLastIndex(meant);
  return at < 0 ? [...list, item] : list.with(at, item);
}

/** A list with its last entries alone. */
export function last<T>(list: readonly T[], limit: number): readonly T[] {
  return list.length > limit ? list.slice(list.length - limit) : list;
}

function places(e: Envelope): { opId: string; segmentId: string; task: string } {
  return { opId: e.opId ?? "", segmentId: text(e.data["segmentId"]), task: e.task ?? "" };
}

interface Place {
  readonly opId: string;
  readonly segmentId: string;
}

function isAt(place: Place): (item: Place) => boolean {
  return (item) => item.segmentId === place.segmentId && item.opId === place.opId;
}

function withSegment(state: State, segment: Segment): State {
  return { ...state, segments: put(state.segments, isAt(segment), segment) };
}

function textStart(state: State, e: Envelope): State {
  return withSegment(state, { ...places(e), channel: text(e.data["channel"]), text: "", ended: false, attempt: attemptOf(e) });
}

function textDelta(state: State, e: Envelope): State {
  const place = places(e);
  const attempt = attemptOf(e);
  const segment = state.segments.findLast(isAt(place));
  if (segment && (segment.attempt > attempt || (segment.ended && segment.attempt === attempt))) return state; // from before
  const goesOn = segment?.attempt === attempt && e.data["soFar"] !== true;
  const before = goesOn ? segment.text : "";
  return withSegment(state, {
    ...place, channel: segment?.channel ?? "", text: before + text(e.data["text"]), ended: false, attempt,
  });
}

function textEnd(state: State, e: Envelope): State {
  const place = places(e);
  const shown = state.segments.findLast(isAt(place))?.text ?? "";
  const whole = e.data["returned"] === true ? shown : text(e.data["text"]); // returned: it is in the outcome of the task
  return withSegment(state, { ...place, channel: text(e.data["channel"]), text: whole, ended: true, attempt: attemptOf(e) });
}

function structured(state: State, e: Envelope): State {
  const place = places(e);
  const old = state.structured.findLast(isAt(place));
  let value: Json | undefined;
  if (e.data["mode"] === "patch") {
    try {
      value = applyPatch(old?.value, (e.data["patch"] ?? []) as readonly Operation[]);
    } catch {
      value = undefined; // the reader came too late for what it patches: the next snapshot or final has it all
    }
  } else {
    value = e.data["data"] as Json | undefined;
  }
  if (value === undefined) return without(state, (item) => item === old && !item.final);
  return {
    ...state,
    structured: put(state.structured, isAt(place), {
      ...place,
      dataType: text(e.data["dataType"]) || (old?.dataType ?? ""),
      schemaId: text(e.data["schemaId"]) || (old?.schemaId ?? ""),
      schemaVersion: text(e.data["schemaVersion"]) || (old?.schemaVersion ?? ""),
      value,
      final: e.data["mode"] === "final",
    }),
  };
}

/** Drops drafts. */
function without(state: State, meant: (item: Structured) => boolean): State {
  return state.structured.some(meant) ? { ...state, structured: state.structured.filter((item) => !meant(item)) } : state;
}

/** Drops what was shown of a segment, a call or a task that is made anew, and keeps what is whole. */
function invalidated(state: State, e: Envelope): State {
  const { opId, segmentId, task } = places(e);
  const meant = (item: { opId: string; segmentId: string; task: string }): boolean =>
    opId === "" && segmentId === "" ? item.task === task
      : (opId === "" || item.opId === opId) && (segmentId === "" || item.segmentId === segmentId);
  const dropped = (item: Segment): boolean => !item.ended && meant(item);
  if (state.segments.some(dropped)) {
    state = { ...state, segments: state.segments.filter((item) => !dropped(item)) };
  }
  return without(state, (item) => !item.final && meant(item));
}

function isAsked(id: unknown): (q: Interrupt) => boolean {
  return (q) => q.requestId === id;
}

function interruptOpened(state: State, e: Envelope): State {
  const asked = { ...e.data, requestId: text(e.data["requestId"]), state: "open" } as Interrupt;
  return { ...state, interrupts: put(state.interrupts, isAsked(asked.requestId), asked) };
}

function interruptUpdated(state: State, e: Envelope): State {
  const { requestId, do: what, by, byName, note: _n, override: _o, ...more } = e.data as Record<string, string | undefined>;
  const q = state.interrupts.find(isAsked(requestId));
  if (!q || what === "token") return state;
  const { claimedBy: _, claimedByName: _c, ...open } = q;
  let updated: Interrupt = { ...open, state: "open" };
  if (what === "claim") updated = { ...open, state: "claimed", claimedBy: by ?? "", ...(byName ? { claimedByName: byName } : {}) };
  if (what === "escalate" || what === "reassign") {
    const { requiredRole: _r, assignee: _p, assigneeName: _pn, deadline: _d, atDeadline: _a, ...asked } = updated; // the new ones, also where there are none
    updated = { ...asked, ...more };
  }
  return { ...state, interrupts: put(state.interrupts, isAsked(requestId), updated) };
}

function interruptResolved(state: State, e: Envelope): State {
  const open = state.interrupts.filter((q) => q.requestId !== e.data["requestId"]);
  return taskGoesOn({ ...state, interrupts: open }, e);
}

function notes(list: "messages" | "statuses" | "diagnostics"): Reducer {
  return (state, e) => {
    const note: Note = { seq: e.seq, ts: e.ts, task: e.task ?? "", data: e.data };
    return { ...state, [list]: last([...state[list], note], state.limit) };
  };
}

function begun(e: Envelope): ToolCall {
  return {
    task: e.task ?? "", step: text(e.data["step"]), callId: text(e.data["callId"]), name: text(e.data["name"]), status: "running",
  };
}

function isCall(c: ToolCall): (call: ToolCall) => boolean {
  return (call) => call.task === c.task && call.step === c.step && (c.step !== "" || call.callId === c.callId);
}

function withCall(state: State, call: ToolCall): State {
  return { ...state, tools: last(put(state.tools, isCall(call), call), state.limit) };
}

function toolCall(state: State, e: Envelope): State {
  return withCall(state, { ...begun(e), arguments: e.data["arguments"] });
}

function toolResult(state: State, e: Envelope): State {
  const call = begun(e);
  const { result, error } = e.data;
  return withCall(state, {
    ...(state.tools.findLast(isCall(call)) ?? call),
    status: error === undefined ? "finished" : "failed",
    ...(error === undefined ? { result } : { error }),
  });
}
