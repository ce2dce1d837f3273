// What GET /api/runs/{run}/diff says, as the page reads it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { unit } from "./unit.js";

const { parse, encode } = await unit("json");
const { differenceOf, isSame } = await unit("run/compared");

const sides = '"a":{"run":"run_1","seq":0,"plan":"p","status":"completed"},"b":{"run":"run_2","seq":0,"plan":"p","status":"completed"}';
const read = (text) => differenceOf(JSON.parse(text), parse(text));

test("values keep their digits, and a place that is not there is no null", () => {
  const d = read(`{${sides},"common":3,"tasks":[{"task":"t#1","a":{"state":"finished","attempts":1},"output":[{"path":"/n","old":9007199254740993,"new":1.10}]}],
    "answers":[{"task":"q#1","op":"x","a":{"state":"answered","answer":12345678901234567890,"by":"ann"}}],"state":[{"path":"/x","new":null},{"path":"","old":[1]}],"output":null}`);
  assert.equal(encode(d.tasks[0].output[0].old), "9007199254740993");
  assert.equal(encode(d.tasks[0].output[0].new), "1.10");
  assert.equal(encode(d.answers[0].a.answer), "12345678901234567890");
  assert.equal(d.answers[0].b, undefined);
  assert.deepEqual(d.state.map((c) => [c.path, c.old === undefined, c.new]), [["/x", true, null], ["", false, undefined]]);
  assert.deepEqual(d.output, []);
  assert.equal(isSame(d), false);
});

test("two runs are the same where nothing but times and ids differs", () => {
  const none = '"common":9,"tasks":null,"answers":[],"state":[],"output":[]';
  assert.equal(isSame(read(`{${sides},${none}}`)), true);
  assert.equal(isSame(read(`{${sides.replace("completed", "failed")},${none}}`)), false);
});
