// The forms of the console against those of the terminal: console/testdata/forms.json has what the terminal makes of each schema,
// and cmd/fermata/internal/form writes it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { unit } from "./unit.js";

const { parse, encode, member } = await unit("json");
const { formOf, Misfit, problemsOf } = await unit("form/model");

const file = parse(readFileSync(new URL("../../testdata/forms.json", import.meta.url), "utf8"));
const text = (v) => (typeof v === "string" ? v : "");
const plain = (v) => (v === undefined ? undefined : JSON.parse(encode(v)));

const entryOf = (e) => ({
  ...(e.text ? { text: e.text } : {}), ...(e.choices?.length ? { choices: e.choices } : {}), ...(e.forms?.length ? { forms: e.forms.map((f) => f.map(entryOf)) } : {}),
});

const fieldsOf = (form, deep) => form.fields.map((f) => ({
  ...(f.path.length ? { path: f.path } : {}), ...(f.title ? { title: f.title } : {}), ...(f.help ? { help: f.help } : {}), kind: f.kind,
  ...(f.required ? { required: true } : {}), ...(f.null ? { null: true } : {}), ...(f.options.length ? { options: f.options.map((o) => o.label) } : {}),
  start: entryOf(f.start), ...(deep > 0 && f.forms.length ? { forms: f.forms.map((inner) => fieldsOf(inner(), deep - 1)) } : {}),
}));

function answerOf(form, entries) {
  try {
    return { answer: encode(form.answer(entries)) };
  } catch (error) {
    if (error instanceof Misfit) return { wrong: true };
    throw error;
  }
}

for (const c of member(file, "cases")) {
  test(text(member(c, "name")), () => {
    const form = formOf(member(c, "schema"), plain(member(c, "options")) ?? []);
    assert.equal(!form.object, member(c, "single"));
    assert.deepEqual(fieldsOf(form, 2), plain(member(c, "fields")));
    const fills = [form.starts(), ...plain(member(c, "fills"))];
    const wanted = member(c, "answers").map((a) => (a.has("answer") ? { answer: encode(a.get("answer")) } : { wrong: true }));
    assert.deepEqual(fills.map((fill) => answerOf(form, fill)), wanted);
    assert.deepEqual(fills.map((fill) => problemsOf(form, fill).size > 0), wanted.map((w) => w.wrong === true));
  });
}

test("everything that is wrong is told in one pass, at its place", () => {
  const form = formOf(parse(`{"type": "object", "required": ["a", "b", "list"], "properties": {"a": {"enum": [1, 2]}, "b": {"type": "integer"},
    "list": {"type": "array", "items": {"type": "object", "required": ["n"], "properties": {"n": {"type": "number"}}}}, "either": {"oneOf": [{"type": "integer"}, {"type": "object"}]}}}`));
  const found = problemsOf(form, [{}, { text: "x" }, { forms: [[{ text: "1" }], [{ text: "y" }]] }, { choices: [0], forms: [[{ text: "z" }]] }]);
  assert.deepEqual([...found].map(([place, p]) => [place, p.key]), [
    ["a", "form.choose"], ["b", "form.integer"], ["list/1/n", "form.number"], ["either", "form.integer"],
  ]);
});
