// A conversation: what was said in order, what is on its way, and what is kept.

import assert from "node:assert/strict";
import { test } from "node:test";
import { unit } from "./unit.js";

const { linesOf, refusedAs, stateOf, stateOfRow, kept, keep, lastWords, scriptOf } = await unit("talk/model");

const said = (seq, prompt, by = "bot") => ({ seq, said: { type: "inform", prompt, by, turn: 0 } });
const turn = (seq, text, more = {}) => ({ turn: 1, seq, at: "", by: "user", text, place: {}, marks: [], ...more });
const message = (id, text, state, after = 0, more = {}) => ({ id, text, state, after, why: "", ...more });
const shown = (...given) => linesOf(...given).map((l) => `${l.by}: ${l.hidden ? "(hidden)" : l.text || l.kind}${l.message ? " …" + l.message.state : ""}`);

test("what was said stands in the order of the journal, whoever said it", () => {
  const turns = [turn(5, "send 50"), turn(9, undefined, { hidden: true }), turn(12, "", { marks: ["silence"] }), turn(14, "arrived", { by: "event" }),
    turn(16, "", { commands: [{ type: "handoff" }] }), turn(18, "Ann here", { by: "agent", marks: ["human"] })];
  assert.deepEqual(shown([said(2, "Hello"), said(7, "To whom?"), said(19, "Ann here", "agent")], turns, []), [
    "bot: Hello", "user: send 50", "bot: To whom?", "user: (hidden)", "note: silence", "note: arrived", "note: button", "agent: Ann here",
  ]);
});

test("a message is shown once on its way, and stands where it was sent", () => {
  const before = [said(2, "Hello")];
  assert.deepEqual(shown(before, [], [message("a", "yes", "sending", 2), message("b", "no", "waiting")]), ["bot: Hello", "user: yes …sending", "user: no …waiting"]);
  // the answer comes before the page knows how the message was understood
  assert.deepEqual(shown([...before, said(8, "Good")], [], [message("a", "yes", "sending", 2)]), ["bot: Hello", "user: yes …sending", "bot: Good"]);
  assert.deepEqual(shown([...before, said(8, "Good")], [turn(6, "yes")], [message("a", "yes", "sending", 2)]), ["bot: Hello", "user: yes", "bot: Good"]);
  // two that say the same are two
  assert.deepEqual(shown(before, [turn(6, "yes")], [message("a", "yes", "sending", 2), message("b", "yes", "waiting")]), ["bot: Hello", "user: yes", "user: yes …waiting"]);
  assert.deepEqual(shown(before, [turn(1, "yes")], [message("a", "yes", "sending", 2)]), ["user: yes", "bot: Hello", "user: yes …sending"]);
  assert.deepEqual(shown([said(9, "I am Ann", "agent")], [], [message("a", "I am Ann", "sending", 2, { agent: true })]), ["agent: I am Ann"]);
  assert.deepEqual(shown([], [], [message("a", "", "sending", 0, { commands: [{ type: "handoff" }] })]), []);
});

test("a message that was refused is sent again, waits, or stays", () => {
  assert.deepEqual([0, 401, 429, 503, 409, 410, 400, 403, 404, 500].map(refusedAs), ["again", "again", "again", "again", "busy", "over", "failed", "failed", "failed", "failed"]);
});

test("the state of a conversation", () => {
  assert.deepEqual([{}, { handoff: true }, { busy: true }, { closed: true, handoff: true }].map((s) => stateOf({ seq: 1, ...s })), ["user", "handoff", "busy", "over"]);
  assert.equal(stateOfRow("paused", true, true), "handoff");
  assert.equal(stateOfRow("paused", false, true), "busy");
  assert.equal(stateOfRow("running", false, false), "works");
  assert.equal(stateOfRow("completed", true, false), "over");
  assert.equal(stateOfRow("failed", false, false), "failed");
});

test("what is not taken survives a reload, with its id", () => {
  const outbox = [message("a", "yes", "sending", 7, { question: "q_1" }), message("b", "no", "failed")];
  const back = kept(keep({ draft: "half", agent: true, outbox }));
  assert.deepEqual(back, { draft: "half", agent: true, outbox: [{ ...outbox[0], state: "waiting" }, outbox[1]] });
  assert.equal(keep({ draft: "", agent: false, outbox: [] }), undefined);
  for (const text of [undefined, "", "x", "null", "[]", '{"outbox":3}', '{"outbox":[null,{"id":1}],"draft":7}']) assert.deepEqual(kept(text), { draft: "", agent: false, outbox: [] }, text);
});

test("the last words of somebody who is no bot", () => {
  assert.equal(lastWords({ transcript: [{ by: "user", text: "help" }, { by: "bot", text: "wait" }] }), "help");
  for (const input of [undefined, null, 3, {}, { transcript: 1 }, { transcript: [] }]) assert.equal(lastWords(input), "");
});

test("both sides of a conversation that a person has taken over", () => {
  const told = scriptOf({ transcript: [{ by: "user", text: "help" }, { by: "bot", text: "wait" }, { by: "agent", text: "Ann here" }, null] });
  assert.deepEqual(told.map((l) => `${l.by}: ${l.text}`), ["user: help", "bot: wait", "agent: Ann here", "bot: "]);
  for (const input of [undefined, null, 3, {}, { transcript: 1 }]) assert.deepEqual(scriptOf(input), []);
});
