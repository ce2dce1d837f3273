import type { Envelope } from "./envelope.js";
import { type State } from "./state.js";
/** A call that waits for a message. */
export interface Awaited {
    readonly opId: string;
    readonly task: string;
    /** Of the messages that it takes. */
    readonly name: string;
    /** Until when it waits: microseconds since 1970, UTC. */
    readonly due?: number;
    /** The event that says so; of two calls the one with the lower number takes first. */
    readonly seq: number;
}
/** A message that came from outside. */
export interface Received {
    readonly seq: number;
    readonly ts: string;
    readonly name: string;
    /** Its sender's; "" for none. */
    readonly id: string;
    /** Who sent it; "" for nobody named. */
    readonly by: string;
    readonly value?: unknown;
    /** The call that has taken it. */
    readonly takenBy?: Awaited;
    /** How the node answered it. */
    readonly reply?: unknown;
    /** Why it was refused. */
    readonly refused?: string;
}
/** What a task that waited does next. */
type GoesOn = (state: State, task: string) => State;
/** The state without calls that wait no more. */
export declare function endOfWaits(state: State, ended: (c: Awaited) => boolean): State;
export declare function sent(state: State, e: Envelope, goesOn: GoesOn): State;
export declare function awaited(state: State, e: Envelope, goesOn: GoesOn): State;
/** The answer to a message. A call whose message was refused because it does not fit waits again, in its place. */
export declare function replied(state: State, e: Envelope, goesOn: GoesOn): State;
export {};
