import { last } from "./state.js";
function text(value) {
    return typeof value === "string" ? value : "";
}
/** Pairs the oldest message of a name with the call that has waited longest for it. No event says so: it follows from their order. */
function paired(state, goesOn) {
    for (const m of state.received) {
        const call = m.takenBy || m.refused !== undefined ? undefined : state.awaited.find((c) => c.name === m.name && (c.due === undefined || Date.parse(m.ts) * 1000 <= c.due));
        if (!call)
            continue;
        state = goesOn({
            ...state,
            awaited: state.awaited.filter((c) => c !== call),
            received: state.received.map((other) => (other.seq === m.seq ? { ...m, takenBy: call } : other)),
        }, call.task);
    }
    return state;
}
/** The state without calls that wait no more. */
export function endOfWaits(state, ended) {
    return state.awaited.some(ended) ? { ...state, awaited: state.awaited.filter((c) => !ended(c)) } : state;
}
export function sent(state, e, goesOn) {
    const id = text(e.data["id"]);
    if (id !== "" && Object.hasOwn(state.receivedIds, id))
        return state;
    const { value } = e.data;
    const message = {
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
export function awaited(state, e, goesOn) {
    const { due } = e.data;
    const call = {
        opId: e.opId ?? "", task: e.task ?? "", name: text(e.data["name"]), seq: e.seq, ...(typeof due === "number" ? { due } : {}),
    };
    return paired({ ...state, awaited: [...state.awaited, call] }, goesOn);
}
/** The answer to a message. A call whose message was refused because it does not fit waits again, in its place. */
export function replied(state, e, goesOn) {
    const meant = state.received.find((m) => m.seq === e.data["message"]);
    if (!meant)
        return state;
    const { error, value } = e.data;
    const answered = { ...meant, ...(typeof error === "string" ? { refused: error } : { reply: value }) };
    const call = e.data["refused"] === true ? meant.takenBy : undefined;
    const { [call ? meant.id : ""]: _, ...receivedIds } = state.receivedIds; // a sender may correct what did not fit
    return paired({
        ...state,
        receivedIds,
        received: state.received.map((m) => (m === meant ? answered : m)),
        awaited: call ? [...state.awaited, call].sort((a, b) => a.seq - b.seq) : state.awaited,
    }, goesOn);
}
