import assert from "node:assert/strict";
import { test } from "node:test";
import { answer, RequestError } from "../dist/index.js";

function recorder(status, reply) {
  const calls = [];
  const send = async (url, { method, headers, body }) => {
    calls.push({ url, method, type: headers.get("Content-Type"), key: headers.get("Authorization"), body: JSON.parse(body) });
    return new Response(JSON.stringify(reply), { status });
  };
  return { calls, fetch: send };
}

test("an answer", async () => {
  const reply = { requestId: "int_1", run: "run_1", state: "answered" };
  const { calls, fetch } = recorder(200, reply);
  const got = await answer({
    url: "http://server//", interrupt: "int/1", value: { ok: null }, by: "Ada", role: "editor", token: "t", headers: { Authorization: "key" }, fetch,
  });
  assert.deepEqual(got, reply);
  assert.deepEqual(calls, [{
    url: "http://server/interrupts/int%2F1/answer", method: "POST", type: "application/json", key: "key",
    body: { value: { ok: null }, by: "Ada", role: "editor", token: "t" },
  }]);
});

test("null is an answer, nothing is none", async () => {
  const { calls, fetch } = recorder(200, {});
  await answer({ url: "http://server", interrupt: "i", value: null, fetch });
  assert.deepEqual(calls[0].body, { value: null });
  await assert.rejects(answer({ url: "http://server", interrupt: "i", value: undefined, fetch }), TypeError);
});

test("an answer that does not fit says where", async () => {
  const problems = [{ path: "/approve", message: "expected a boolean, found a string" }];
  const { fetch } = recorder(422, { error: "it does not fit", code: "invalid", problems });
  await assert.rejects(answer({ url: "http://server", interrupt: "i", value: 1, fetch }), (e) => {
    assert.ok(e instanceof RequestError);
    assert.deepEqual({ ...e, message: e.message }, { name: "RequestError", status: 422, code: "invalid", problems, message: "it does not fit" });
    return true;
  });
});

for (const [status, code] of [[403, "forbidden"], [404, "not_found"], [409, "conflict"], [410, "expired"]]) {
  test(`refused: ${code}`, async () => {
    const { fetch } = recorder(status, { error: "no", code });
    await assert.rejects(answer({ url: "http://server", interrupt: "i", value: 1, fetch }), { message: "no", status, code, problems: [] });
  });
}
