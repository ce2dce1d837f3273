// Runs the workloads of bench/internal/workload on LangGraph.js. It reads a request a line from standard input, runs the
// workload as often as it says, and writes a line with how long that took and the state that the last run ended with.
import { createInterface } from "node:readline";
import { Annotation, Command, END, MemorySaver, Send, START, StateGraph, interrupt } from "@langchain/langgraph";

const append = (of = () => []) => Annotation({ reducer: (held, more) => held.concat(more), default: of });
const last = (of) => Annotation({ reducer: (_, value) => value, default: of });
const union = () => Annotation({ reducer: (held, more) => ({ ...held, ...more }), default: () => ({}) });

const Messages = Annotation.Root({ messages: append(), count: last(() => 0) });

function sequential(n) {
  const graph = new StateGraph(Messages);
  let before = START;
  for (let i = 0; i < n; i++) {
    graph.addNode(`n${i}`, () => ({}));
    graph.addEdge(before, `n${i}`);
    before = `n${i}`;
  }
  return graph.addEdge(before, END);
}

function loop(n) {
  return new StateGraph(Messages)
    .addNode("one", (s) => ({ count: s.count + 1 }))
    .addEdge(START, "one")
    .addConditionalEdges("one", (s) => (s.count >= n ? END : "one"), ["one", END]);
}

function react(n) {
  const queries = [], results = [];
  for (let i = 1; i <= n; i++) {
    const q = `${i.toString(16).padStart(8, "0")}-89ab-4def-8123-456789abcdef`.repeat(100);
    queries.push(q);
    results.push(`result for query: ${q}`.repeat(10));
  }
  const model = (s) => {
    const turn = Math.floor(s.messages.length / 2);
    const said = turn < n ? { role: "assistant", content: queries[turn] } : { role: "final", content: "done" };
    return { messages: [said] };
  };
  const tool = (s) => ({ messages: [{ role: "tool", content: results[s.messages.length / 2 - 1] }] });
  return new StateGraph(Messages)
    .addNode("model", model)
    .addNode("tool", tool)
    .addEdge(START, "model")
    .addConditionalEdges("model", (s) => (s.messages.at(-1).role === "assistant" ? "tool" : END), ["tool", END])
    .addEdge("tool", "model");
}

function fanOut() {
  const Joke = Annotation.Root({ letters: last(() => []), subject: last(() => ""), joke: last(() => "") });
  const bumped = " a".repeat(10);
  const child = new StateGraph(Joke)
    .addNode("edit", (s) => ({ subject: `${s.letters.join("")} - hohoho`, letters: [] }))
    .addNode("generate", (s) => ({ joke: `Joke about ${s.subject}` }))
    .addNode("bump", (s) => ({ joke: `${s.joke} a` }))
    .addEdge(START, "edit").addEdge("edit", "generate").addEdge("generate", "bump")
    .addConditionalEdges("bump", (s) => (s.joke.endsWith(bumped) ? END : "bump"), ["bump", END])
    .compile();
  const Topics = Annotation.Root({ subjects: last(() => []), jokes: append() });
  return new StateGraph(Topics)
    .addNode("one", async (s) => ({ jokes: [(await child.invoke(s)).joke] }))
    .addConditionalEdges(START, (s) => s.subjects.map((letters) => new Send("one", { letters })), ["one"])
    .addEdge("one", END);
}

function wide(n) {
  let long = "";
  for (let x = 1; long.length < n + 4096; ) {
    x = (Math.imul(x, 1664525) + 1013904223) >>> 0;
    long += "abcdefghijklmnopqrstuvwxyz0123456789"[(x >>> 16) % 36];
  }
  const text = (s, field) => {
    const from = (s.messages.length * 37 + field * 211) % 4096;
    return long.slice(from, from + n);
  };
  const word = () => last(() => "");
  const Wide = Annotation.Root({
    messages: append(), trigger_events: append(), categorizations: append(), responses: append(),
    relevant_rules: word(), memory_docs: word(), bot_id: word(), autoresponse: word(), primary_issue_medium: word(),
    issue: word(), user_info: word(), crm_info: word(), email_thread_id: word(),
    slack_participants: union(), notified_assignees: union(),
  });
  return new StateGraph(Wide)
    .addNode("one", (s) => ({ trigger_events: s.messages, primary_issue_medium: text(s, 0) }))
    .addNode("two", (s) => ({ autoresponse: text(s, 1), issue: text(s, 2) }))
    .addNode("three", (s) => ({ relevant_rules: text(s, 3) }))
    .addNode("four", (s) => ({ categorizations: s.trigger_events, responses: s.trigger_events, memory_docs: text(s, 4) }))
    .addNode("five", (s) => ({
      user_info: text(s, 5), crm_info: text(s, 6), email_thread_id: text(s, 7), bot_id: text(s, 8),
      slack_participants: s.categorizations.at(-1), notified_assignees: s.categorizations.at(-1),
    }))
    .addNode("six", (s) => ({ messages: s.responses }))
    .addEdge(START, "one").addEdge("one", "two").addEdge("two", "three").addEdge("two", "four")
    .addEdge(["three", "four"], "five").addEdge("five", "six")
    .addConditionalEdges("six", (s) => (s.messages.length > n ? END : "one"), ["one", END]);
}

function gate() {
  return new StateGraph(Messages)
    .addNode("ask", (s) => ({ count: s.count + (interrupt("Go on?") ? 1 : 0) }))
    .addEdge(START, "ask")
    .addEdge("ask", END);
}

const graphs = { sequential, loop, react, fanOut, wide, pause: gate };

async function checkpointer(place) {
  if (!place) return undefined;
  if (place === "memory") return new MemorySaver();
  const { SqliteSaver } = await import("@langchain/langgraph-checkpoint-sqlite");
  return SqliteSaver.fromConnString(place);
}

const ready = new Map(); // compiled graphs, by what was asked for
let threads = 0;

// prepared compiles a graph, once, and reads its input.
async function prepared({ workload, n, place, input }) {
  const key = JSON.stringify([workload, n, place]);
  if (!ready.has(key)) {
    const saver = await checkpointer(place);
    ready.set(key, { graph: graphs[workload](n).compile({ checkpointer: saver }), input: JSON.parse(input) });
  }
  return ready.get(key);
}

async function once(workload, place, { graph, input }) {
  const config = { recursionLimit: 1_000_000 };
  if (place) {
    config.configurable = { thread_id: `t${++threads}` };
    config.durability = "sync"; // stored before the next step, as the others do
  }
  const out = await graph.invoke(input, config);
  if (workload !== "pause") return out;
  if (out.__interrupt__?.length !== 1) throw new Error(`the run does not ask: ${JSON.stringify(out)}`);
  return graph.invoke(new Command({ resume: true }), config);
}

for await (const line of createInterface({ input: process.stdin })) {
  let answer;
  try {
    const request = JSON.parse(line);
    const made = await prepared(request);
    const began = process.hrtime.bigint();
    const used = process.cpuUsage();
    let state;
    for (let i = 0; i < request.times; i++) state = await once(request.workload, request.place, made);
    const { user, system } = process.cpuUsage(used); // microseconds
    answer = { ns: Number(process.hrtime.bigint() - began), cpu: 1000 * (user + system), state: request.judged ? state : undefined };
  } catch (err) {
    answer = { error: String(err?.stack ?? err) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
