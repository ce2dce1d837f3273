import assert from "node:assert/strict";
import { test } from "node:test";
import { RequestError, send } from "../dist/index.js";

function recorder(status, reply) {
  const calls = [];
  const request = async (url, { method, headers, body }) => {
    calls.push({ url, method, type: headers.get("Content-Type"), id: headers.get("Idempotency-Key"), key: headers.get("Authorization"), body });
    return new Response(JSON.stringify(reply), { status });
  };
  return { calls, fetch: request };
}

test("a message", async () => {
  const { calls, fetch } = recorder(202, { run: "order/7", name: "payments" });
  const got = await send({
    url: "http://server/", run: "order/7", name: "payments", value: { amount: 60 }, messageID: "evt_1", headers: { Authorization: "key" }, fetch,
  });
  assert.deepEqual(got, { run: "order/7", name: "payments" });
  assert.deepEqual(calls, [{
    url: "http://server/runs/order%2F7/messages/payments", method: "POST", type: "application/json", id: "evt_1", key: "key", body: '{"amount":60}',
  }]);
});

test("a reply that was waited for", async () => {
  const { calls, fetch } = recorder(200, { run: "r", name: "add", reply: { sum: 5 } });
  assert.deepEqual((await send({ url: "http://server", run: "r", name: "add", value: null, wait: "30s", fetch })).reply, { sum: 5 });
  assert.deepEqual([calls[0].url, calls[0].id, calls[0].body], ["http://server/runs/r/messages/add?wait=30s", null, "null"]);
});

test("nothing is no message, and an empty text no id", async () => {
  const { calls, fetch } = recorder(202, {});
  await assert.rejects(send({ url: "http://server", run: "r", name: "a", value: undefined, fetch }), TypeError);
  await assert.rejects(send({ url: "http://server", run: "r", name: "a", value: 1, messageID: "", fetch }), TypeError);
  assert.deepEqual(calls, []);
});

for (const [status, code] of [[403, "forbidden"], [404, "not_found"], [409, "conflict"], [410, "expired"], [422, "invalid"]]) {
  test(`refused: ${code}`, async () => {
    const { fetch } = recorder(status, { error: "no", code });
    await assert.rejects(send({ url: "http://server", run: "r", name: "a", value: 1, fetch }), (e) => {
      assert.ok(e instanceof RequestError);
      assert.deepEqual([e.status, e.code, e.message], [status, code, "no"]);
      return true;
    });
  });
}
