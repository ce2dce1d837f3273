import assert from "node:assert/strict";
import { test } from "node:test";
import { initial, readEvents, reduce, RequestError } from "../dist/index.js";
import { collect, event, frame, server, size, timeline } from "./helpers.js";

const options = { url: "http://server/api/", run: "run_1", retry: { first: 0 } };
const whole = timeline.reduce(reduce, initial());

/** With FERMATA_EXPLORE streams are cut at every place, and otherwise at every n-th one, which meets each part of a frame. */
const every = (n) => (process.env.FERMATA_EXPLORE ? 1 : n);

async function read(cuts, how) {
  const s = server(cuts, how);
  const events = await collect(readEvents({ ...options, fetch: s.fetch }));
  assert.deepEqual(events.filter((e) => e.sub === 0).map((e) => e.seq), Array.from({ length: 20 }, (_, i) => i + 1));
  return { state: events.reduce(reduce, initial()), calls: s.calls };
}

test("without a cut", async () => {
  const { state, calls } = await read([]);
  assert.deepEqual(state, whole);
  assert.deepEqual(calls, [{ url: "http://server/api/runs/run_1/events", after: 0 }]);
});

test("cut at any byte, by closing: the same state, each stored event once", async () => {
  for (let cut = 0; cut <= size(); cut += every(5)) {
    const { state } = await read([cut]);
    assert.deepEqual(state, whole, `cut after ${cut} bytes`);
  }
});

test("cut at any byte, by an error, and in chunks of 7 bytes", async () => {
  for (let cut = 0; cut <= size(); cut += every(53)) {
    const { state } = await read([cut], { broken: true, chunk: 7 });
    assert.deepEqual(state, whole, `cut after ${cut} bytes`);
  }
});

test("cut again and again", async () => {
  for (let seed = 1; seed <= 150; seed++) {
    let x = seed;
    const next = () => (x = (x * 48271) % 0x7fffffff);
    const cuts = Array.from({ length: 1 + (next() % 12) }, () => next() % 900);
    const { state, calls } = await read(cuts, { broken: seed % 2 === 0, chunk: 1 + (next() % 400) });
    assert.deepEqual(state, whole, `seed ${seed}: cuts after ${cuts}`);
    assert.ok(calls.every((c, i) => i === 0 || c.after >= calls[i - 1].after));
  }
});

test("every state on the way fits: text is always the beginning of what it becomes", async () => {
  for (let cut = 0; cut <= size(); cut += every(17)) {
    let s = initial();
    for await (const e of readEvents({ ...options, fetch: server([cut, 700]).fetch })) {
      s = reduce(s, e);
      for (const segment of s.segments) {
        const end = whole.segments.find((w) => w.segmentId === segment.segmentId);
        assert.ok(end.text.startsWith(segment.text), `cut after ${cut}: ${segment.text}`);
      }
    }
  }
});

const respond = (status, body, type = "application/json") => async () => new Response(body, { status, headers: { "Content-Type": type } });

test("what the server refuses is an error", async () => {
  const error = { name: "RequestError", message: "run run_1: no such run", status: 404, code: "not_found", problems: [] };
  const refusing = respond(404, '{"error":"run run_1: no such run","code":"not_found"}');
  await assert.rejects(collect(readEvents({ ...options, fetch: refusing })), error);
  await assert.rejects(collect(readEvents({ ...options, fetch: respond(401, "<html>", "text/html") })), { message: "status 401", code: "internal" });
  await assert.rejects(collect(readEvents({ ...options, fetch: respond(200, "<html>", "text/html") })), /expected a stream of events, found text\/html/);
});

test("what passes is tried again, at most so often", async () => {
  let calls = 0;
  const s = server([]);
  const flaky = async (url, init) => {
    calls++;
    if (calls === 1) throw new TypeError("fetch failed");
    return calls < 4 ? new Response("busy", { status: [503, 429][calls - 2] }) : s.fetch(url, init);
  };
  assert.equal((await collect(readEvents({ ...options, fetch: flaky }))).length, timeline.length);
  calls = 0;
  const seen = [];
  const reading = readEvents({ ...options, retry: { first: 0, attempts: 2 }, fetch: flaky, onConnection: (open, error) => seen.push([open, error?.message]) });
  await assert.rejects(collect(reading), { status: 429 });
  assert.deepEqual(seen, [[false, "fetch failed"], [false, "status 503"]]);
});

test("an error within the stream: of the run for good, of the store for now", async () => {
  const failing = (code) => {
    let first = true;
    const s = server([]);
    return async (url, init) => {
      if (!first) return s.fetch(url, init);
      first = false;
      return respond(200, frame(timeline[0]) + `event: error\ndata: {"error":"no","code":"${code}"}\n\n`, "text/event-stream")();
    };
  };
  assert.equal((await collect(readEvents({ ...options, fetch: failing("store") }))).length, timeline.length);
  await assert.rejects(collect(readEvents({ ...options, fetch: failing("not_found") })), (e) => e instanceof RequestError && e.status === 0);
});

test("comments, types to come, and transient events pass", async () => {
  const stream = ": hello\n\nevent: news\ndata: x\n\n" + frame(event(1, 0, "a")) + frame(event(1, 0, "a")) + frame(event(1, 1, "b")) + "event: end\ndata: {}\n\n";
  const events = await collect(readEvents({ ...options, fetch: respond(200, stream, "text/event-stream") }));
  assert.deepEqual(events.map((e) => e.type), ["a", "b"]);
});

test("it begins after a seq, and follows or not", async () => {
  const s = server([]);
  const events = await collect(readEvents({ ...options, after: 18, follow: false, fetch: s.fetch, headers: async () => ({ Authorization: "key" }) }));
  assert.deepEqual(events.filter((e) => e.sub === 0).map((e) => e.seq), [19, 20]);
  assert.deepEqual(s.calls, [{ url: "http://server/api/runs/run_1/events?follow=false", after: 18 }]);
});

/** How long a reader waits before it comes back, each time that the server cuts it off after these words. */
async function waits(words, retry) {
  const stop = new AbortController();
  const timer = globalThis.setTimeout;
  const asked = [];
  globalThis.setTimeout = (run, delay) => {
    asked.push(delay);
    if (asked.length === 40) stop.abort();
    return timer(run, 0);
  };
  let calls = 0;
  const fetch = async () => {
    if (++calls === 100) stop.abort();
    return respond(200, words, "text/event-stream")();
  };
  try {
    await collect(readEvents({ ...options, retry, silence: 0, signal: stop.signal, fetch }));
  } finally {
    globalThis.setTimeout = timer;
  }
  return asked;
}

test("a server cannot have its readers come back without a pause", async () => {
  for (const words of ["retry: 0\n\n", "retry: 1\n\n" + frame(event(1, 1, "b"))]) {
    const asked = await waits(words);
    assert.equal(asked.length, 40);
    for (const delay of asked) assert.ok(delay >= 50 && delay <= 30_000, `it waits for ${delay} ms`);
  }
});

test("no wait is longer than a timer can be", async () => {
  for (const delay of await waits("", { first: 1e12, most: 1e15 })) assert.ok(delay < 2 ** 31, `it waits for ${delay} ms`);
  assert.deepEqual(await waits("", { first: 0 }), []);
});

/** A fetch whose streams send an event and then nothing, until they are aborted. */
function silent(aborted) {
  return async (_, { signal }) => new Response(new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(frame(event(1, 0, "a"))));
      signal.addEventListener("abort", () => {
        aborted.push(signal.reason);
        try {
          controller.error(signal.reason);
        } catch {
          // it was cancelled before
        }
      });
    },
  }), { headers: { "Content-Type": "text/event-stream" } });
}

test("aborting ends the reading without an error, wherever it is", async () => {
  const aborted = [];
  const stop = new AbortController();
  const events = [];
  for await (const e of readEvents({ ...options, signal: stop.signal, fetch: silent(aborted) })) {
    events.push(e);
    setTimeout(() => stop.abort(), 1);
  }
  assert.equal(events.length, 1);
  assert.equal(aborted.length, 1);
  assert.deepEqual(await collect(readEvents({ ...options, signal: stop.signal, fetch: silent(aborted) })), []);
  const waiting = new AbortController();
  setTimeout(() => waiting.abort(), 1);
  assert.deepEqual(await collect(readEvents({ ...options, retry: { first: 1e6, most: 1e6 }, signal: waiting.signal, fetch: respond(503, "") })), []);
});

test("leaving the loop closes the connection", async () => {
  const aborted = [];
  for await (const _ of readEvents({ ...options, fetch: silent(aborted) })) break;
  assert.equal(aborted.length, 1);
});

test("a connection that is silent for too long is made anew", async () => {
  let calls = 0;
  const s = server([]);
  const fetch = (url, init) => (calls++ === 0 ? silent([])(url, init) : s.fetch(url, init));
  const errors = [];
  const events = await collect(readEvents({ ...options, silence: 5, fetch, onConnection: (open, error) => open || errors.push(error.message) }));
  assert.equal(events.filter((e) => e.sub === 0).length, 20);
  assert.deepEqual(errors, ["the connection was silent"]);
});

test("a connection that is silent before it is open is made anew, also by a fetch that takes no notice", async () => {
  for (const slow of [
    async (url, init) => { // it opens too late, and hears of nothing any more
      await new Promise((resolve) => setTimeout(resolve, 20));
      return silent([])(url, init);
    },
    () => new Promise(() => undefined), // it never opens
  ]) {
    let calls = 0;
    const s = server([]);
    const fetch = (url, init) => (calls++ === 0 ? slow(url, init) : s.fetch(url, init));
    const errors = [];
    const events = await collect(readEvents({ ...options, silence: 5, fetch, onConnection: (open, error) => open || errors.push(error.message) }));
    assert.equal(events.filter((e) => e.sub === 0).length, 20);
    assert.equal(errors[0], "the connection was silent");
  }
});

test("how long the caller takes for its headers is no silence", async () => {
  const headers = () => new Promise((resolve) => setTimeout(() => resolve({}), 1200));
  const errors = [];
  const onConnection = (open, error) => open || errors.push(error.message);
  await collect(readEvents({ ...options, silence: 1000, headers, fetch: server([]).fetch, onConnection }));
  assert.deepEqual(errors, []);
});
