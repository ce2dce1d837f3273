import { awaited, endOfWaits, replied, sent } from "./mail.js";
import { applyPatch } from "./patch.js";
/** The state before the first event. Lists of what was said keep the last 200 entries, or limit. */
export function initial({ limit = 200 } = {}) {
    return {
        run: "", seq: 0, status: "", tasks: {}, segments: [], structured: [], interrupts: [],
        awaited: [], received: [], receivedIds: {}, messages: [], statuses: [], diagnostics: [], tools: [], limit,
    };
}
/** The state after an event. A stored event that is in it already changes nothing. */
export function reduce(state, e) {
    if (e.sub === 0) {
        if (e.seq <= state.seq)
            return state;
        state = { ...state, seq: e.seq, run: e.run };
    }
    const change = changes[e.type];
    return change ? change(state, e) : state;
}
const changes = Object.assign(Object.create(null), {
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
});
function text(value) {
    return typeof value === "string" ? value : "";
}
function attemptOf(e) {
    return typeof e.data["attempt"] === "number" ? e.data["attempt"] : 1;
}
function runs(status) {
    return (state) => {
        const { error: _, ...rest } = state;
        return { ...rest, status };
    };
}
function released(state) {
    const { hold: _, ...rest } = state;
    return rest;
}
function runFinished(state, e) {
    const error = text(e.data["error"]);
    return { ...released(state), status: text(e.data["status"]), ...(error === "" ? {} : { error }) };
}
function withTask(state, id, status, attempt, error) {
    const task = { id, status, attempt, ...(error === "" ? {} : { error }) };
    return { ...state, tasks: { ...state.tasks, [id]: task } };
}
function tasks(status) {
    return (state, e) => (e.task === undefined ? state : withTask(state, e.task, status, attemptOf(e), text(e.data["error"])));
}
/** An attempt of a task is over, and with it its waits for messages. */
function over(status) {
    return (state, e) => tasks(status)(endOfWaits(state, (c) => c.task === e.task), e);
}
/** What a task waited for has come. */
function taskGoesOn(state, e) {
    return e.task === undefined ? state : goesOn(state, e.task);
}
function goesOn(state, id) {
    const task = state.tasks[id];
    if (!task || (task.status !== "waiting" && task.status !== "retrying"))
        return state;
    return withTask(state, task.id, "running", task.attempt, "");
}
/** Replaces the item that is meant, or appends it. */
function put(list, meant, item) {
    const at = list.findLastIndex(meant);
    return at < 0 ? [...list, item] : list.with(at, item);
}
/** A list with its last entries alone. */
export function last(list, limit) {
    return list.length > limit ? list.slice(list.length - limit) : list;
}
function places(e) {
    return { opId: e.opId ?? "", segmentId: text(e.data["segmentId"]), task: e.task ?? "" };
}
function isAt(place) {
    return (item) => item.segmentId === place.segmentId && item.opId === place.opId;
}
function withSegment(state, segment) {
    return { ...state, segments: put(state.segments, isAt(segment), segment) };
}
function textStart(state, e) {
    return withSegment(state, { ...places(e), channel: text(e.data["channel"]), text: "", ended: false, attempt: attemptOf(e) });
}
function textDelta(state, e) {
    const place = places(e);
    const attempt = attemptOf(e);
    const segment = state.segments.findLast(isAt(place));
    if (segment && (segment.attempt > attempt || (segment.ended && segment.attempt === attempt)))
        return state; // from before
    const goesOn = segment?.attempt === attempt && e.data["soFar"] !== true;
    const before = goesOn ? segment.text : "";
    return withSegment(state, {
        ...place, channel: segment?.channel ?? "", text: before + text(e.data["text"]), ended: false, attempt,
    });
}
function textEnd(state, e) {
    const place = places(e);
    const shown = state.segments.findLast(isAt(place))?.text ?? "";
    const whole = e.data["returned"] === true ? shown : text(e.data["text"]); // returned: it is in the outcome of the task
    return withSegment(state, { ...place, channel: text(e.data["channel"]), text: whole, ended: true, attempt: attemptOf(e) });
}
function structured(state, e) {
    const place = places(e);
    const old = state.structured.findLast(isAt(place));
    let value;
    if (e.data["mode"] === "patch") {
        try {
            value = applyPatch(old?.value, (e.data["patch"] ?? []));
        }
        catch {
            value = undefined; // the reader came too late for what it patches: the next snapshot or final has it all
        }
    }
    else {
        value = e.data["data"];
    }
    if (value === undefined)
        return without(state, (item) => item === old && !item.final);
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
function without(state, meant) {
    return state.structured.some(meant) ? { ...state, structured: state.structured.filter((item) => !meant(item)) } : state;
}
/** Drops what was shown of a segment, a call or a task that is made anew, and keeps what is whole. */
function invalidated(state, e) {
    const { opId, segmentId, task } = places(e);
    const meant = (item) => opId === "" && segmentId === "" ? item.task === task
        : (opId === "" || item.opId === opId) && (segmentId === "" || item.segmentId === segmentId);
    const dropped = (item) => !item.ended && meant(item);
    if (state.segments.some(dropped)) {
        state = { ...state, segments: state.segments.filter((item) => !dropped(item)) };
    }
    return without(state, (item) => !item.final && meant(item));
}
function isAsked(id) {
    return (q) => q.requestId === id;
}
function interruptOpened(state, e) {
    const asked = { ...e.data, requestId: text(e.data["requestId"]), state: "open" };
    return { ...state, interrupts: put(state.interrupts, isAsked(asked.requestId), asked) };
}
function interruptUpdated(state, e) {
    const { requestId, do: what, by, byName, note: _n, override: _o, ...more } = e.data;
    const q = state.interrupts.find(isAsked(requestId));
    if (!q || what === "token")
        return state;
    const { claimedBy: _, claimedByName: _c, ...open } = q;
    let updated = { ...open, state: "open" };
    if (what === "claim")
        updated = { ...open, state: "claimed", claimedBy: by ?? "", ...(byName ? { claimedByName: byName } : {}) };
    if (what === "escalate" || what === "reassign") {
        const { requiredRole: _r, assignee: _p, assigneeName: _pn, deadline: _d, atDeadline: _a, ...asked } = updated; // the new ones, also where there are none
        updated = { ...asked, ...more };
    }
    return { ...state, interrupts: put(state.interrupts, isAsked(requestId), updated) };
}
function interruptResolved(state, e) {
    const open = state.interrupts.filter((q) => q.requestId !== e.data["requestId"]);
    return taskGoesOn({ ...state, interrupts: open }, e);
}
function notes(list) {
    return (state, e) => {
        const note = { seq: e.seq, ts: e.ts, task: e.task ?? "", data: e.data };
        return { ...state, [list]: last([...state[list], note], state.limit) };
    };
}
function begun(e) {
    return {
        task: e.task ?? "", step: text(e.data["step"]), callId: text(e.data["callId"]), name: text(e.data["name"]), status: "running",
    };
}
function isCall(c) {
    return (call) => call.task === c.task && call.step === c.step && (c.step !== "" || call.callId === c.callId);
}
function withCall(state, call) {
    return { ...state, tools: last(put(state.tools, isCall(call), call), state.limit) };
}
function toolCall(state, e) {
    return withCall(state, { ...begun(e), arguments: e.data["arguments"] });
}
function toolResult(state, e) {
    const call = begun(e);
    const { result, error } = e.data;
    return withCall(state, {
        ...(state.tools.findLast(isCall(call)) ?? call),
        status: error === undefined ? "finished" : "failed",
        ...(error === undefined ? { result } : { error }),
    });
}
