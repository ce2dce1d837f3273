import assert from "node:assert/strict";
import { test } from "node:test";
import { claim, escalate, reassign, release } from "../dist/index.js";

for (const [verb, call, more, body] of [
  ["claim", claim, {}, {}],
  ["release", release, {}, {}],
  ["reassign", reassign, { to: "Bob", note: "Ada is away" }, { to: "Bob", note: "Ada is away" }],
  ["escalate", escalate, { toRole: "chief" }, { toRole: "chief" }],
]) {
  test(`H6: ${verb}`, async () => {
    const calls = [];
    const reply = { requestId: "int/1", run: "run_1", state: "open" };
    const send = async (url, { method, headers, body }) => {
      calls.push({ url, method, type: headers.get("Content-Type"), body: JSON.parse(body) });
      return new Response(JSON.stringify(reply));
    };
    assert.deepEqual(await call({ url: "http://server/", interrupt: "int/1", by: "Ada", role: "clerk", fetch: send, ...more }), reply);
    assert.deepEqual(calls, [{
      url: `http://server/interrupts/int%2F1/${verb}`, method: "POST", type: "application/json", body: { ...body, by: "Ada", role: "clerk" },
    }]);
  });

  test(`H6: ${verb} is refused`, async () => {
    const send = async () => new Response(JSON.stringify({ error: "claimed by Bob", code: "conflict" }), { status: 409 });
    await assert.rejects(call({ url: "http://server", interrupt: "i", fetch: send }), { message: "claimed by Bob", status: 409, code: "conflict" });
  });
}
