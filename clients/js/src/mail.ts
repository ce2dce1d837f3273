import type { Envelope } from "./envelope.js";
import { last, type State } from "./state.js";

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

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Pairs the oldest message of a name with the call that has waited longest for it. No event says so: it follows from their order. */
function paired(state: State, goesOn: GoesOn): State {
  for (const m of state.received) {
    const call = m.takenBy || m.refused !== undefined ? undefined : state.awaited.find((c) => c.name === m.name && (c.due === undefined || Date.parse(m.ts) * 1000 <= c.due));
    if (!call) continue;
    state = goesOn({
      ...state,
      awaited: state.awaited.filter((c) => c !== call),
      received: state.received.map((other) => (other.seq === m.seq ? { ...m, takenBy: call } : other)),
    }, call.task);
  }
  return state;
}

/** The state without calls that wait no more. */
export function endOfWaits(state: State, ended: (c: Awaited) => boolean): State {
  return state.awaited.some(ended) ? { ...state, awaited: state.awaited.filter((c) => !ended(c)) } : state;
}

export function sent(state: State, e: Envelope, goesOn: GoesOn): State {
  const id = text(e.data["id"]);
  if (id !== "" && Object.hasOwn(state.receivedIds, id)) return state;
  const { value } = e.data;
  const message: Received = {
    seq: e.seq, ts: e.ts, name: text(e.data["name"]), id, by: text(e.data["by"]), ...(value === undefined ? {} : { value }),
  };
  const next = paired({
    ...state,
    received: [...state.received, message],
    receivedIds: id === "" ? state.receivedIds : Object.assign(Object.create(null), state.receivedIds, { [id]: true }),
  }, goesOn);
  const done = new Set(last(next.received.filter((m) => m.takenBy), state.limit));
  return { ...next, received: next.received.filter((m) => !m.takenBy || done.has(m)) };
}

export function awaited(state: State, e: Envelope, goesOn: GoesOn): State {
  const { due } = e.data;
  const call: Awaited = {
    opId: e.opId ?? "", task: e.task ?? "", name: text(e.data["name"]), seq: e.seq, ...(typeof due === "number" ? { due } : {}),
  };
  return paired({ ...state, awaited: [...state.awaited, call] }, goesOn);
}

/** The answer to a message. A call whose message was refused because it does not fit waits again, in its place. */
export function replied(state: State, e: Envelope, goesOn: GoesOn): State {
  const meant = state.received.find((m) => m.seq === e.data["message"]);
  if (!meant) return state;
  const { error, value } = e.data;
  const answered: Received = { ...meant, ...(typeof error === "string" ? { refused: error } : { reply: value }) };
  const call = e.data["refused"] === true ? meant.takenBy : undefined;
  const { [call ? meant.id : ""]: _, ...receivedIds } = state.receivedIds; // a sender may correct what did not fit
  return paired({
    ...state,
    receivedIds,
    received: state.received.map((m) => (m === meant ? answered : m)),
    awaited: call ? [...state.awaited, call].sort((a, b) => a.seq - b.seq) : state.awaited,
  }, goesOn);
}
