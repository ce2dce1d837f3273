// Follows a run to its end, answers what it asks, and writes the state and how often it had to connect, as JSON:
// node follow.js URL RUN ANSWER
import { answer, initial, readEvents, reduce, RequestError } from "../dist/index.js";

const [url, run, value] = process.argv.slice(2);
const refused = [];
let state = initial();
let connections = 0;
const seqs = [];

for await (const e of readEvents({ url, run, retry: { first: 1, most: 5 }, onConnection: (open) => (connections += open ? 1 : 0) })) {
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
  await answer({ url, interrupt, value: JSON.parse(value), by: "Ada", token: e.data.resumeToken });
}

process.stdout.write(JSON.stringify({ state, seqs, connections, refused }));
