// JSON as it was written, and a run folded from its events.

import assert from "node:assert/strict";
import { test } from "node:test";
import { unit } from "./unit.js";

const { parse, encode, pretty, same } = await unit("json");
const { standing, steady, ahead, endOf, looksOf, scale, decided, draftNames, staleDrafts, keptBy, toShow, partsOf } = await unit("run/model");

test("JSON keeps digits and the order of members", () => {
  for (const text of ['{"10":1,"9":84.90,"a":[1e2,-0.0,9007199254740993]}', '"\\u2028\\"x"', "[]", "{}", "null", "true", '{"a":{"b":[]}}']) {
    assert.equal(encode(parse(text)), encode(parse(pretty(parse(text)))));
    assert.deepEqual(JSON.parse(encode(parse(text))), JSON.parse(text));
  }
  assert.equal(encode(parse(' {"10" : 1 , "9":84.90}\n')), '{"10":1,"9":84.90}');
  for (const text of ["", "[1,]", "{a:1}", "01", "1 2", '"\n"', "[1", '{"a":1,}', "nul", "+1", "'a'"]) assert.throws(() => parse(text), undefined, text);
});

const entry = (seq, type, at, task, data = {}) => ({ seq, type, at, task, data, exact: parse(JSON.stringify(data)), v: 1, sub: 0, ts: "", run: "r" });

test("J1: a run stands at an entry as the entries up to it say", () => {
  const entries = [
    entry(1, "run.started", 0, undefined, { value: { a: 1 } }),
    entry(2, "node.started", 5, "x#1"),
    entry(3, "node.finished", 9, "x#1", { base: 1, delta: [1, { b: [0, 2] }] }),
    entry(4, "node.started", 9, "y#1"),
    entry(5, "node.failed", 20, "y#1", { error: "no" }),
    entry(6, "run.finished", 20, undefined, { status: "failed", error: "no", task: "y#1" }),
  ];
  const s = standing(entries);
  assert.deepEqual([s.status, s.failed, s.error, s.ended], ["failed", "y#1", "no", 20]);
  assert.deepEqual([...looksOf(s)], [["x", "done"], ["y", "failed"]]);
  assert.equal(standing(entries, 4).tasks.get("y#1").status, "running");
});

test("F10: a run undoes from one entry to its end, and each undo names what it undoes", () => {
  const entries = [
    entry(1, "run.started", 0, undefined, { value: {} }),
    entry(2, "node.started", 1, "book#1"),
    entry(3, "node.finished", 2, "book#1"),
    entry(4, "node.started", 3, "book#1/x#1"),
    entry(5, "node.finished", 4, "book#1/x#1"),
    entry(6, "run.undoing", 5, undefined, { status: "failed", error: "no" }),
    entry(7, "node.started", 6, "cancel#1", { undo: "book#1/x#1" }),
    entry(8, "node.finished", 7, "cancel#1"),
    entry(9, "node.started", 8, "cancel#2", { undo: "book#1/hotel" }),
    entry(10, "node.failed", 9, "cancel#2", { error: "closed" }),
    entry(11, "run.finished", 9, undefined, { status: "failed", error: "no" }),
  ];
  assert.deepEqual(entries.map((_, i) => [standing(entries, i + 1).undoing?.error, standing(entries, i + 1).undone]), [
    ...Array(5).fill([undefined, false]), ["no", false], ...Array(4).fill(["no", true]), [undefined, true],
  ]);
  const s = standing(entries);
  assert.deepEqual([...s.tasks.values()].map((x) => [x.id, x.undoes, x.undoneBy]), [
    ["book#1", "", ""], ["book#1/x#1", "", "cancel#1"], ["cancel#1", "book#1/x#1", ""], ["cancel#2", "book#1/hotel", ""],
  ]);
});

test("J18, J19: a run is held from one entry to another, by somebody or at a breakpoint", () => {
  const entries = [
    entry(1, "run.started", 0, undefined, { value: {} }),
    entry(2, "run.held", 5, undefined, { by: "ann", note: "the bank is down" }),
    entry(3, "run.paused", 6),
    entry(4, "run.released", 9, undefined, { by: "bob" }),
    entry(5, "run.resumed", 9, undefined, { reason: "answer" }),
    entry(6, "run.held", 12, undefined, { before: "pay#1" }),
    entry(7, "run.finished", 15, undefined, { status: "cancelled", by: "ann" }),
  ];
  assert.deepEqual(entries.map((_, i) => standing(entries, i + 1).hold && [standing(entries, i + 1).hold.by || standing(entries, i + 1).hold.before, standing(entries, i + 1).hold.since]), [
    undefined, ["ann", 5], ["ann", 5], undefined, undefined, ["pay#1", 12], undefined,
  ]);
});

test("a task that waits, and is retried, has bars of each kind", () => {
  const entries = [
    entry(1, "run.started", 0, undefined, { value: {} }),
    entry(2, "node.started", 10, "a#1"),
    entry(3, "interrupt", 12, "a#1", {}),
    entry(4, "node.suspended", 12, "a#1"),
    entry(5, "interrupt.resolved", 500, "a#1", {}),
    entry(6, "node.retrying", 510, "a#1", { error: "busy", retryAt: 700_000 }),
    entry(7, "node.started", 705, "a#1", { attempt: 2 }),
    entry(8, "node.finished", 720, "a#1", { attempt: 2 }),
    entry(9, "run.finished", 720, undefined, { status: "completed" }),
  ];
  const { bars, attempt } = standing(entries).tasks.get("a#1");
  assert.equal(attempt, 2);
  assert.deepEqual(bars.map((b) => [b.kind, b.from, b.to, b.end]), [
    ["work", 10, 12, ""], ["wait", 12, 500, ""], ["work", 500, 510, "failed"], ["retry", 510, 705, ""], ["work", 705, 720, "finished"],
  ]);
});

test("F4: what was going on when a run was cancelled is cancelled too, and it is told who did it", () => {
  const entries = [
    entry(1, "run.started", 0, undefined, { value: {} }),
    entry(2, "node.started", 10, "a#1"),
    entry(3, "node.suspended", 12, "a#1"),
    entry(4, "interrupt.resolved", 20, "a#1", { by: "Bob", answer: "yes" }),
    entry(5, "run.finished", 30, undefined, { status: "cancelled", error: "the run is cancelled", code: "cancelled", by: "Ada" }),
  ];
  const s = standing(entries);
  assert.deepEqual([s.status, s.by, s.error, s.tasks.get("a#1").status, s.tasks.get("a#1").by], ["cancelled", "Ada", "", "cancelled", "Bob"]);
  assert.deepEqual([...looksOf(s)], [["a", "skipped"]]);
  for (let n = 1; n <= entries.length; n++) {
    for (const task of standing(entries, n).tasks.values()) assert.equal(n === entries.length, !["running", "waiting"].includes(task.status));
  }
  assert.equal(standing([...entries.slice(0, 4), entry(5, "run.finished", 30, undefined, { status: "cancelled", reason: "twice" })]).error, "twice");
});

test("J1: durations end at the entry that is looked at", () => {
  const entries = [
    entry(1, "run.started", 0, undefined, { value: {} }),
    entry(2, "node.started", 10, "a#1"),
    entry(3, "node.finished", 20, "a#1"),
    entry(4, "run.finished", 30, undefined, { status: "completed" }),
  ];
  const ends = [1, 2, 3, 4, 0].map((at) => endOf(entries, at, standing(entries, at || undefined), 1_000_000));
  assert.deepEqual(ends, [0, 10, 20, 30, 30]);
  assert.equal(endOf(entries.slice(0, 2), 0, standing(entries, 2), 1_000_000), 1_000_000);
});

test("no text turns around what stands after it", () => {
  assert.equal(steady("שלום 5 € <b>"), "שלום 5 € <b>");
  assert.equal(steady("pay \u202e05 to Bob"), "pay \ufffd05 to Bob");
  for (const text of ["\u202ba", "\u2067a", "a\u202b\u2066b", "\u202ba\u202c\u2068", "\u2067\u2067x\u2069\ny", "\u202b\nx"]) {
    for (const line of steady(text).split("\n").slice(-1)) {
      const n = (marks) => [...line].filter((c) => marks.includes(c)).length;
      assert.equal(n("\u202a\u202b"), n("\u202c"), JSON.stringify(text));
      assert.equal(n("\u2066\u2067\u2068"), n("\u2069"), JSON.stringify(text));
    }
  }
});

test("what lies ahead is told to the nearest unit", () => {
  const h = 3_600_000;
  for (const [ms, told] of [[24 * h - 2000, 24 * h], [h - 1, h], [90 * 60_000, 90 * 60_000], [65_000, 60_000], [20_400, 20_000], [25 * h, 25 * h], [11.6 * h, 12 * h]]) {
    assert.equal(ahead(ms), told, String(ms));
  }
  for (let ms = 1000; ms < 30 * 24 * h; ms = Math.ceil(ms * 1.01)) assert.ok(Math.abs(ahead(ms) - ms) <= ms / 2, String(ms));
});

test("the scale keeps the order of moments", () => {
  const at = scale([0, 1, 2, 1000, 1_000_000]);
  const places = [0, 1, 2, 1000, 500_000, 1_000_000].map(at);
  assert.deepEqual(places, [...places].sort((a, b) => a - b));
  assert.deepEqual([places[0], places.at(-1)], [0, 1]);
  assert.equal(scale([5])(5), 0);
});

test("equal values are equal in any order", () => {
  assert.ok(same(parse('{"a":1,"b":[2]}'), parse('{"b":[2],"a":1}')));
  assert.ok(!same(parse("1"), parse("1.0")));
});

test("a review's decision and note come back from their draft, whatever it holds", () => {
  const actions = ["approve", "send_back"];
  assert.deepEqual(decided('{"action":"send_back","note":"less"}', actions), { action: "send_back", note: "less" });
  assert.deepEqual(decided('{"action":"gone","note":"less"}', actions), { action: "", note: "less" });
  for (const text of [undefined, "", "null", "[]", "{", '{"action":1,"note":[]}']) assert.deepEqual(decided(text, actions), { action: "", note: "" });
});

test("drafts are dropped with their questions, and no others", () => {
  const all = ["int_a", "int_ab"].flatMap((q) => Object.values(draftNames(q)));
  assert.deepEqual(staleDrafts(all, ["int_a", "int_ab"]), []);
  assert.deepEqual(staleDrafts(all, ["int_ab"]), Object.values(draftNames("int_a")));
  assert.deepEqual(staleDrafts(all, [""]), all);
});

test("H7: a question that another person keeps is theirs, and a free one is nobody's", () => {
  const q = { state: "claimed", claimedBy: "u1", claimedByName: "Alice" };
  assert.deepEqual(["Dave", "", "Alice", " u1 "].map((me) => keptBy(q, me)), ["Alice", "Alice", "", ""]);
  assert.equal(keptBy({ state: "open" }, "Dave"), "");
  assert.equal(keptBy({ state: "claimed", claimedBy: "Alice" }, "Dave"), "Alice");
});

test("a question that closes under the eyes of a page stays, if it was not answered there", () => {
  const [a, b, c] = ["a", "b", "c"].map((requestId) => ({ requestId }));
  assert.deepEqual(toShow([a, b], [b, c], new Set()), { closed: [a], open: [b, c] });
  assert.deepEqual(toShow([a, b], [], new Set(["a"])), { closed: [b], open: [] });
});

test("an answer to a review is told in words", () => {
  assert.deepEqual(partsOf(parse('{"action":"approve"}')), { action: "approve", note: "", rest: undefined });
  const { action, note, rest } = partsOf(parse('{"action":"edit","value":1.0,"note":"so"}'));
  assert.deepEqual([action, note, encode(rest)], ["edit", "so", '{"value":1.0}']);
  for (const text of ['"yes"', "[1]", '{"a":1}', '{"action":2}']) assert.equal(encode(partsOf(parse(text)).rest), text);
});
