// What the tests share: a server in memory whose connections can be cut anywhere.

const encoder = new TextEncoder();

export function event(seq, sub, type, data = {}, more = {}) {
  return { v: 1, seq, sub, ts: "2026-03-01T09:00:00Z", run: "run_1", ...more, type, data };
}

const write = { task: "write#1", opId: "op_write#1/stream:answer#1" };
const think = { task: "write#1", opId: "op_write#1/stream:reasoning#1" };
const draft = { task: "write#1", opId: "op_write#1/structured:draft#1" };
const ask = { task: "ask#1", opId: "int_1" };

function text(seq, sub, where, channel, words) {
  const segmentId = where.opId.replace("op_", "seg_");
  const type = sub > 0 ? "text.delta" : words === undefined ? "text.start" : "text.end";
  return event(seq, sub, type, { segmentId, ...(sub > 0 ? {} : { channel }), ...(words === undefined ? {} : { text: words }) }, where);
}

function structured(seq, sub, data) {
  return event(seq, sub, "structured-data", { dataType: "Reply", schemaId: "s", schemaVersion: "1", segmentId: "seg_d", ...data }, draft);
}

/** A run with two streams at once, a structured value, tools, and a question. */
export const timeline = [
  event(1, 0, "run.started", { plan: "p", value: {} }),
  event(2, 0, "node.started", {}, { task: "write#1" }),
  text(3, 0, write, "answer"),
  text(3, 1, write, "answer", "To be, "),
  text(4, 0, think, "reasoning"),
  text(4, 2, think, "reasoning", "a \"quote\"\n"),
  text(4, 3, write, "answer", "or nöt 👩‍🚀 "),
  structured(4, 4, { mode: "patch", patch: [{ op: "add", path: "", value: { title: "", items: [] } }] }),
  structured(4, 5, { mode: "patch", patch: [{ op: "append", path: "/title", value: "Ham" }] }),
  event(5, 0, "status", { value: "half of it" }, { task: "write#1" }),
  event(6, 0, "tool.call", { callId: "c1", name: "look", step: "look#1", arguments: { at: 1 } }, { task: "write#1" }),
  structured(6, 6, { mode: "patch", patch: [{ op: "append", path: "/title", value: "let" }, { op: "add", path: "/items/-", value: 1 }] }),
  text(6, 7, think, "reasoning", "to \r\n sleep"),
  event(7, 0, "tool.result", { callId: "c1", name: "look", step: "look#1", result: { is: "fine" } }, { task: "write#1" }),
  text(7, 8, write, "answer", "to be"),
  text(8, 0, write, "answer", "To be, or nöt 👩‍🚀 to be"),
  text(8, 9, think, "reasoning", "!"),
  text(9, 0, think, "reasoning", "a \"quote\"\nto \r\n sleep!"),
  structured(10, 0, { mode: "final", data: { title: "Hamlet", items: [1] } }),
  event(11, 0, "node.finished", { value: 1 }, { task: "write#1" }),
  event(12, 0, "node.started", {}, { task: "ask#1" }),
  event(13, 0, "interrupt", { requestId: "int_1", run: "run_1", task: "ask#1", op: "interrupt:ok#1", prompt: "Print it?", state: "open", opened: 5 }, ask),
  event(14, 0, "node.suspended", {}, { task: "ask#1" }),
  event(15, 0, "run.paused"),
  event(16, 0, "interrupt.updated", { requestId: "int_1", do: "claim", by: "Ada" }, ask),
  event(17, 0, "interrupt.resolved", { requestId: "int_1", state: "answered", answer: true }, ask),
  event(18, 0, "run.resumed", { reason: "answer" }),
  event(19, 0, "node.finished", { value: 2 }, { task: "ask#1" }),
  event(20, 0, "run.finished", { status: "completed" }),
];

export function frame(e) {
  return (e.sub === 0 ? `id: ${e.seq}\n` : "") + `data: ${JSON.stringify(e)}\n\n`;
}

/** The piece of a stream that an event is, in bytes, and how many events have happened once it is sent. */
function piece(content, happened) {
  return { bytes: encoder.encode(content), happened };
}

const frames = timeline.map((e) => encoder.encode(frame(e)));

/** What a connection gets that is made after the first n events have happened, by a reader that has seen the seq after. */
export function connection(n, after) {
  const pieces = [piece("retry: 1\n\n", n)];
  const past = timeline.slice(0, n);
  past.forEach((e, i) => {
    if (e.sub === 0 && e.seq > after) pieces.push({ bytes: frames[i], happened: n });
  });
  for (const e of soFar(past)) pieces.push(piece(frame(e), n));
  frames.slice(n).forEach((bytes, i) => pieces.push({ bytes, happened: n + i + 1 }));
  pieces.push(piece('event: end\ndata: {"run":"run_1","seq":20,"status":"completed"}\n\n', timeline.length));
  return pieces;
}

/** The open segments so far, as the engine tells them to a reader that comes late. */
function soFar(past) {
  const open = new Map();
  for (const e of past) {
    const key = e.opId + e.data.segmentId;
    if (e.type === "text.start") open.set(key, { ...event(0, 1, "text.delta", { ...e.data, text: "", soFar: true }), task: e.task, opId: e.opId });
    if (e.type === "text.delta") open.get(key).data.text += e.data.text;
    if (e.type === "structured-data") open.set(key, structuredSoFar(open.get(key), e));
    if (e.type === "text.end" || e.data.mode === "final") open.delete(key);
  }
  return open.values();
}

function structuredSoFar(before, e) {
  const patch = [...(before?.data.patch ?? []), ...(e.data.patch ?? [])];
  return structured(0, 1, { mode: "patch", patch });
}

/**
 * A fetch whose i-th connection is cut after cuts[i] bytes: closed, or broken where broken says so. Bytes come in chunks
 * of the given size. Calls lists what was asked for.
 */
export function server(cuts, { broken = false, chunk = Infinity } = {}) {
  const calls = [];
  let happened = 0;
  const send = async (url, init) => {
    const after = Number(init.headers.get("Last-Event-ID") ?? 0);
    calls.push({ url, after });
    if (after === 20) return new Response(null, { status: 204 });
    const cut = cuts[calls.length - 1] ?? Infinity;
    const sent = [];
    let room = cut;
    for (const p of connection(happened, after)) {
      if (room <= 0) break;
      happened = Math.max(happened, p.happened); // it has happened, also where it is lost on its way
      sent.push(p.bytes.subarray(0, room));
      room -= p.bytes.length;
    }
    return new Response(stream(Buffer.concat(sent), broken && cut !== Infinity, chunk), { headers: { "Content-Type": "text/event-stream; charset=utf-8" } });
  };
  return { fetch: send, calls };
}

function stream(bytes, broken, chunk) {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at < bytes.length) {
        controller.enqueue(new Uint8Array(bytes.subarray(at, at + chunk)));
        at += chunk;
      } else if (broken) {
        controller.error(new TypeError("terminated"));
      } else {
        controller.close();
      }
    },
  });
}

export function size() {
  return connection(0, 0).reduce((sum, p) => sum + p.bytes.length, 0);
}

export async function collect(events) {
  const all = [];
  for await (const e of events) all.push(e);
  return all;
}
