import type { Envelope } from "./envelope.js";
import { type Awaited, type Received } from "./mail.js";
import { type Json } from "./patch.js";
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
    readonly atDeadline?: {
        readonly do: string;
        readonly [more: string]: unknown;
    };
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
export declare function initial({ limit }?: {
    limit?: number;
}): State;
/** The state after an event. A stored event that is in it already changes nothing. */
export declare function reduce(state: State, e: Envelope): State;
/** A list with its last entries alone. */
export declare function last<T>(list: readonly T[], limit: number): readonly T[];
