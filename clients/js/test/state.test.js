import assert from "node:assert/strict";
import { test } from "node:test";
import { initial, reduce } from "../dist/index.js";
import { event, timeline } from "./helpers.js";

const fold = (events, from = initial()) => events.reduce(reduce, from);

function freeze(value) {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.values(value).forEach(freeze);
  return Object.freeze(value);
}

test("a whole run", () => {
  assert.deepEqual(fold(timeline), {
    run: "run_1", seq: 20, status: "completed", limit: 200,
    tasks: {
      "write#1": { id: "write#1", status: "finished", attempt: 1 },
      "ask#1": { id: "ask#1", status: "finished", attempt: 1 },
    },
    segments: [
      {
        opId: "op_write#1/stream:answer#1", segmentId: "seg_write#1/stream:answer#1", task: "write#1", channel: "answer",
        text: "To be, or nöt 👩‍🚀 to be", ended: true, attempt: 1,
      },
      {
        opId: "op_write#1/stream:reasoning#1", segmentId: "seg_write#1/stream:reasoning#1", task: "write#1", channel: "reasoning",
        text: "a \"quote\"\nto \r\n sleep!", ended: true, attempt: 1,
      },
    ],
    structured: [{
      opId: "op_write#1/structured:draft#1", segmentId: "seg_d", task: "write#1", dataType: "Reply", schemaId: "s", schemaVersion: "1",
      value: { title: "Hamlet", items: [1] }, final: true,
    }],
    interrupts: [], awaited: [], received: [], receivedIds: {}, messages: [], diagnostics: [],
    statuses: [{ seq: 5, ts: "2026-03-01T09:00:00Z", task: "write#1", data: { value: "half of it" } }],
    tools: [{ task: "write#1", step: "look#1", callId: "c1", name: "look", arguments: { at: 1 }, status: "finished", result: { is: "fine" } }],
  });
});

test("in the middle of it", () => {
  const s = fold(timeline.slice(0, 13));
  assert.deepEqual(s.segments.map((x) => [x.channel, x.text, x.ended]), [
    ["answer", "To be, or nöt 👩‍🚀 ", false], ["reasoning", "a \"quote\"\nto \r\n sleep", false],
  ]);
  assert.deepEqual(s.structured.map((x) => [x.value, x.final]), [[{ title: "Hamlet", items: [1] }, false]]);
  assert.deepEqual([s.status, s.tasks["write#1"].status, s.tools[0].status], ["running", "running", "running"]);
  const asked = fold(timeline.slice(0, 25));
  assert.deepEqual(asked.interrupts, [{
    requestId: "int_1", run: "run_1", task: "ask#1", op: "interrupt:ok#1", prompt: "Print it?", state: "claimed", opened: 5, claimedBy: "Ada",
  }]);
  assert.deepEqual([asked.status, asked.tasks["ask#1"].status], ["paused", "waiting"]);
  assert.equal(fold(timeline.slice(0, 26)).tasks["ask#1"].status, "running");
});

test("no state is changed in place, and what an event does not touch stays the same object", () => {
  let s = freeze(initial());
  for (const e of timeline) {
    const next = freeze(reduce(s, freeze(structuredClone(e))));
    if (e.type === "text.delta") {
      assert.equal(next.tasks, s.tasks);
      assert.equal(next.tools, s.tools);
      for (const [i, segment] of s.segments.entries()) {
        if (segment.opId !== e.opId) assert.equal(next.segments[i], segment);
      }
    }
    s = next;
  }
});

test("stored events that are in it already change nothing", () => {
  const s = fold(timeline.slice(0, 8));
  for (const e of timeline.slice(0, 8).filter((x) => x.sub === 0)) assert.equal(reduce(s, e), s);
});

const at = { task: "a#1", opId: "op_a#1/stream:x#1" };
const delta = (text, more = {}) => event(3, 1, "text.delta", { segmentId: "seg", text, ...more }, at);
const start = (seq, more = {}) => event(seq, 0, "text.start", { segmentId: "seg", channel: "answer", ...more }, at);
const texts = (s) => s.segments.map((x) => x.text);

test("text: a reader that comes late gets the segment so far, also twice", () => {
  assert.deepEqual(texts(fold([delta("one two ", { soFar: true }), delta("three")])), ["one two three"]);
  assert.deepEqual(texts(fold([start(3), delta("one "), delta("one two ", { soFar: true }), delta("three")])), ["one two three"]);
});

test("text: another attempt begins anew, and what comes from before it is dropped", () => {
  const s = fold([start(3), delta("a false st"), start(5, { attempt: 2 }), delta("art"), delta("good", { attempt: 2 })]);
  assert.deepEqual(texts(s), ["good"]);
  assert.deepEqual(texts(fold([start(3), delta("a false st"), delta("good", { attempt: 2 })])), ["good"]);
});

test("text: the end has all of it, or what was shown is all of it", () => {
  const end = (data) => event(9, 0, "text.end", { segmentId: "seg", channel: "answer", ...data }, at);
  assert.deepEqual(texts(fold([delta("on"), end({ text: "one two" }), delta("more")])), ["one two"]);
  assert.deepEqual(texts(fold([start(3), delta("one"), end({ returned: true })])), ["one"]);
  assert.deepEqual(texts(fold([start(3), end({})])), [""]);
});

const data = (seq, sub, more, where = at) => event(seq, sub, "structured-data", { segmentId: "s", ...more }, where);
const values = (s) => s.structured.map((x) => x.value);

test("structured data: snapshots, patches, and patches that come too late", () => {
  const patch = (...ops) => data(3, 1, { mode: "patch", patch: ops });
  const begin = patch({ op: "add", path: "", value: { a: "x" } });
  const more = patch({ op: "append", path: "/a", value: "y" });
  assert.deepEqual(values(fold([begin, more])), [{ a: "xy" }]);
  assert.deepEqual(values(fold([begin, more, begin, more])), [{ a: "xy" }], "the first patch begins anew");
  assert.deepEqual(values(fold([data(3, 1, { mode: "snapshot", data: { a: "q" } }), more])), [{ a: "qy" }]);
  assert.deepEqual(values(fold([more])), [], "a patch of what was not seen");
  assert.deepEqual(values(fold([more, begin])), [{ a: "x" }]);
  assert.deepEqual(values(fold([begin, data(4, 0, { mode: "final", data: null })])), [null]);
});

test("invalidation drops what is not whole: of a segment, a call, a task", () => {
  const other = { task: "a#1", opId: "op_other" };
  const elsewhere = { task: "b#1", opId: "op_b" };
  const all = fold([
    start(3), delta("draft"),
    data(3, 1, { mode: "snapshot", data: 1 }), data(3, 1, { mode: "snapshot", data: 2, segmentId: "t" }),
    data(3, 1, { mode: "snapshot", data: 3 }, other), data(4, 0, { mode: "final", data: 4, segmentId: "u" }),
    data(4, 1, { mode: "snapshot", data: 5 }, elsewhere),
  ]);
  const left = (more, where) => {
    const s = reduce(all, event(5, 0, "structured-data.invalidated", { reason: "retry", ...more }, where));
    return [...values(s), ...texts(s)];
  };
  assert.deepEqual(left({ segmentId: "s" }, at), [2, 3, 4, 5, "draft"]);
  assert.deepEqual(left({ segmentId: "seg" }, at), [1, 2, 3, 4, 5]);
  assert.deepEqual(left({}, at), [3, 4, 5]);
  assert.deepEqual(left({}, { task: "a#1" }), [4, 5]);
  assert.deepEqual(left({}, { task: "c#1" }), [1, 2, 3, 4, 5, "draft"]);
});

test("interrupts: released, escalated, unknown", () => {
  const q = event(1, 0, "interrupt", { requestId: "i", requiredRole: "editor", deadline: 5, atDeadline: { do: "escalate", role: "chief" }, overrideRole: "lead" });
  const updated = (seq, more) => event(seq, 0, "interrupt.updated", { requestId: "i", ...more });
  const claimed = updated(2, { do: "claim", by: "Ada" });
  const asked = { requestId: "i", state: "open", overrideRole: "lead" };
  assert.deepEqual(fold([q, claimed, updated(3, { do: "release", by: "Ada" })]).interrupts, [{ ...asked, requiredRole: "editor", deadline: 5, atDeadline: { do: "escalate", role: "chief" } }]);
  assert.deepEqual(fold([q, claimed, updated(3, { do: "escalate", requiredRole: "chief" })]).interrupts, [{ ...asked, requiredRole: "chief" }]);
  assert.deepEqual(fold([q, claimed, updated(3, { do: "reassign", by: "Ada", assignee: "Bob", note: "away", deadline: 5 })]).interrupts, [{ ...asked, assignee: "Bob", deadline: 5 }]);
  assert.deepEqual(fold([claimed]).interrupts, []);
  const named = fold([q, updated(2, { do: "claim", by: "u1", byName: "Ada" }), updated(3, { do: "token", by: "Ada" })]).interrupts[0];
  assert.deepEqual([named.state, named.claimedBy, named.claimedByName], ["claimed", "u1", "Ada"]);
});

test("tasks: retried, failed, cached, skipped; a failed run that goes on", () => {
  const node = (seq, type, more = {}, task = "a#1") => event(seq, 0, "node." + type, more, { task });
  const failed = fold([
    node(1, "started"), node(2, "retrying", { error: "busy" }), node(3, "failed", { attempt: 2, error: "out of ink" }),
    node(4, "cached", {}, "b#1"), node(5, "skipped", {}, "c#1"), event(6, 0, "run.finished", { status: "failed", error: "out of ink" }),
  ]);
  assert.deepEqual(failed.tasks, {
    "a#1": { id: "a#1", status: "failed", attempt: 2, error: "out of ink" },
    "b#1": { id: "b#1", status: "finished", attempt: 1 }, "c#1": { id: "c#1", status: "skipped", attempt: 1 },
  });
  assert.deepEqual([failed.status, failed.error], ["failed", "out of ink"]);
  const again = reduce(failed, event(7, 0, "run.resumed", { reason: "retry" }));
  assert.deepEqual([again.status, "error" in again], ["running", false]);
});

test("lists keep the last entries", () => {
  const events = Array.from({ length: 9 }, (_, i) => event(i + 1, 0, "message", { value: i }));
  assert.deepEqual(fold(events, initial({ limit: 3 })).messages.map((m) => m.data.value), [6, 7, 8]);
  const calls = Array.from({ length: 9 }, (_, i) => event(i + 1, 0, "tool.call", { callId: `c${i}`, name: "t" }, { task: "a#1" }));
  assert.deepEqual(fold(calls, initial({ limit: 2 })).tools.map((c) => c.callId), ["c7", "c8"]);
});

test("tools: calls are told apart by their step, as some models name the first call of each reply alike", () => {
  const call = (seq, step, more = {}) => event(seq, 0, "tool.call", { callId: "0", name: "t", step, ...more }, { task: "a#1" });
  const result = (seq, step, more) => event(seq, 0, "tool.result", { callId: "0", name: "t", step, ...more }, { task: "a#1" });
  const s = fold([call(1, "t#1"), result(2, "t#1", { result: 1 }), call(3, "t#2"), result(4, "t#2", { result: 2 }), call(5, "t#3")]);
  assert.deepEqual(s.tools.map((c) => [c.step, c.status, c.result]), [["t#1", "finished", 1], ["t#2", "finished", 2], ["t#3", "running", undefined]]);
  const again = fold([call(6, "t#3", { callId: "1" })], s);
  assert.deepEqual(again.tools.map((c) => [c.step, c.callId]), [["t#1", "0"], ["t#2", "0"], ["t#3", "1"]], "the same step, made anew");
});

test("a tool that failed, and a result whose call was not seen", () => {
  const s = fold([
    event(1, 0, "tool.call", { callId: "__proto__", name: "t", arguments: 1 }, { task: "a#1" }),
    event(2, 0, "tool.result", { callId: "__proto__", name: "t", error: "no" }, { task: "a#1" }),
    event(3, 0, "tool.result", { callId: "c", name: "u", result: null }, { task: "a#1" }),
  ]);
  assert.deepEqual(s.tools, [
    { task: "a#1", step: "", callId: "__proto__", name: "t", arguments: 1, status: "failed", error: "no" },
    { task: "a#1", step: "", callId: "c", name: "u", status: "finished", result: null },
  ]);
});

test("events of types to come change nothing but the seq", () => {
  for (const type of ["node.renamed", "toString", "__proto__"]) {
    assert.deepEqual(fold([event(1, 0, type)]), { ...initial(), run: "run_1", seq: 1 });
  }
});

test("messages go to the calls that have waited longest, each id once", () => {
  let seq = 0;
  const mail = (type, data, task, opId) => event(++seq, 0, type, data, { ...(task ? { task } : {}), ...(opId ? { opId } : {}) });
  let s = fold([
    mail("node.started", {}, "a#1"), mail("node.started", {}, "b#1"),
    mail("message.awaited", { name: "payments", due: 9e15 }, "a#1", "op_a"), mail("node.suspended", {}, "a#1"),
    mail("message.awaited", { name: "payments" }, "b#1", "op_b"), mail("node.suspended", {}, "b#1"),
  ]);
  assert.deepEqual(s.awaited, [
    { opId: "op_a", task: "a#1", name: "payments", due: 9e15, seq: 3 }, { opId: "op_b", task: "b#1", name: "payments", seq: 5 },
  ]);
  assert.equal(s.tasks["a#1"].status, "waiting");
  s = fold([
    mail("message.sent", { name: "other", value: 1 }),
    mail("message.sent", { name: "payments", id: "evt_1", by: "Bo", value: "ten" }),
    mail("message.sent", { name: "payments", id: "evt_1", value: "again" }),
  ], s);
  assert.deepEqual([s.awaited.map((c) => c.opId), s.tasks["a#1"].status, s.received.length], [["op_b"], "running", 2]);
  s = fold([mail("message.replied", { message: 8, id: "evt_1", error: "no number", refused: true }, "a#1", "op_a")], s);
  assert.deepEqual([s.awaited.map((c) => c.opId), s.received[1].refused, s.received[1].by], [["op_a", "op_b"], "no number", "Bo"]);
  s = fold([
    mail("message.sent", { name: "payments", value: 10 }),
    mail("message.replied", { message: 11, value: { sum: 10 } }, "a#1", "op_r"),
    mail("node.retrying", { error: "no line" }, "b#1"),
  ], s);
  assert.deepEqual([s.awaited, s.received[2].takenBy.opId, s.received[2].reply], [[], "op_a", { sum: 10 }]);
});

test("a run is held until it is released, ends or is forked", () => {
  const held = () => fold([event(1, 0, "run.started"), event(2, 0, "run.held", { by: "ann", note: "a look" }), event(3, 0, "run.paused")]);
  const { by, note, since } = held().hold;
  assert.deepEqual([held().status, by, note, typeof since], ["paused", "ann", "a look", "string"]);
  assert.equal(fold([event(4, 0, "interrupt.resolved"), event(5, 0, "run.resumed", { reason: "recovered" })], held()).hold.by, "ann");
  for (const [type, data] of [["run.released", {}], ["run.finished", { status: "cancelled" }], ["run.resumed", { reason: "fork" }]]) {
    assert.equal("hold" in fold([event(4, 0, type, data)], held()), false, type);
  }
});
