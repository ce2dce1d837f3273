// Follows runs to their end, answers what they ask, and writes the state of each and how it came about as a line of
// JSON: node follow.js URL ANSWER RUN…
import { answer, initial, readEvents, reduce, RequestError } from "../dist/index.js";

const [url, value, ...runs] = process.argv.slice(2);

async function follow(run) {
  const refused = [];
  const seqs = [];
  const wrong = []; // texts that were shown and are no beginning of what they became
  let state = initial();
  let connections = 0;
  for await (const e of readEvents({ url, run, retry: { first: 1, most: 5 }, onConnection: (open) => (connections += open ? 1 : 0) })) {
    const shown = e.type === "text.end" ? state.segments.find((s) => s.segmentId === e.data.segmentId)?.text : "";
    if (shown && !e.data.text.startsWith(shown)) wrong.push(shown);
    state = reduce(state, e);
    if (e.sub === 0) seqs.push(e.seq);
    if (e.type !== "interrupt") continue;
    const interrupt = e.data.requestId;
    try {
      await answer({ url, interrupt, value: "no" });
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      refused.push({ status: error.status, code: error.code, paths: error.problems.map((p) => p.path) });
    }
    await answer({ url, interrupt, value: JSON.parse(value), by: "Ada" });
  }
  process.stdout.write(JSON.stringify({ state, seqs, connections, refused, wrong }) + "\n");
}

await Promise.all(runs.map(follow));
