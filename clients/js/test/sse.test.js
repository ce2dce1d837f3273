import assert from "node:assert/strict";
import { test } from "node:test";
import { Parser } from "../dist/sse.js";

const bytes = (text) => new TextEncoder().encode(text);

function parse(pieces) {
  const parser = new Parser();
  return { frames: pieces.flatMap((p) => parser.push(p)), retry: parser.retry };
}

const tests = {
  "one event": ["data: a\n\n", [{ event: "", data: "a" }]],
  "fields without a space, and with two": ["data:a\ndata:  b\n\n", [{ event: "", data: "a\n b" }]],
  "CR and CR LF end lines, too": ["data: a\r\r\ndata: b\r\n\r\n", [{ event: "", data: "a" }, { event: "", data: "b" }]],
  "comments, ids and what is unknown": [": hello\nid: 5\nwhat: ever\n:\n\ndata: a\n\n", [{ event: "", data: "a" }]],
  "a type": ["event: end\ndata: {}\n\n", [{ event: "end", data: "{}" }]],
  "a type counts for its event alone": ["event: end\n\ndata: a\n\n", [{ event: "", data: "a" }]],
  "a field without a colon": ["data\n\n", [{ event: "", data: "" }]],
  "a colon in the data": ["data: a: b\n\n", [{ event: "", data: "a: b" }]],
  "what breaks off is no event": ["data: a\n\ndata: b\n", [{ event: "", data: "a" }]],
  "a byte order mark": ["\uFEFFdata: ä€👩‍🚀\n\n", [{ event: "", data: "ä€👩‍🚀" }]],
};

for (const [name, [text, want]] of Object.entries(tests)) {
  test(`${name}: in one piece, and cut anywhere`, () => {
    const whole = bytes(text);
    assert.deepEqual(parse([whole]).frames, want);
    assert.deepEqual(parse([...whole].map((b) => Uint8Array.of(b))).frames, want);
    for (let i = 0; i <= whole.length; i++) {
      assert.deepEqual(parse([whole.subarray(0, i), whole.subarray(i)]).frames, want, `cut at ${i}`);
    }
  });
}

test("retry is a number of milliseconds", () => {
  assert.equal(parse([bytes("retry: 250\nretry: soon\nretry: -1\n\n")]).retry, 250);
});
