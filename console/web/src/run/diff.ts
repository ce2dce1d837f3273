// Compares runs, and forks them: a fork differs from its run on purpose.

import { at, membersOf, newKey, request, stopMembers, type Stops } from "../api";
import { member, parse } from "../json";
import { differenceOf, type Difference } from "./compared";

/** Compares two points; 0 is the end of a run. */
export async function compare(a: string, aAt: number, b: string, bAt: number, signal?: AbortSignal): Promise<Difference> {
  const query = new URLSearchParams({ with: b, ...(aAt > 0 ? { at: String(aAt) } : {}), ...(bAt > 0 ? { withAt: String(bAt) } : {}) });
  const { text, body } = await request(`${at("runs", a, "diff")}?${query}`, signal ? { signal } : {});
  return differenceOf(body, parse(text));
}

/** Where a fork leaves its run, and what differs from there on. */
export interface Forking {
  readonly at: number;
  /** New values by their paths, as JSON. */
  readonly set: ReadonlyMap<string, string>;
  readonly stops: Stops;
  readonly by: string;
}

function forkBody(f: Forking, more: Readonly<Record<string, unknown>>): string {
  const set = [...f.set].map(([path, json]) => `${JSON.stringify(path)}:${json}`).join(",");
  return `{"at":${f.at}${set ? `,"set":{${set}}` : ""}${membersOf({ ...stopMembers(f.stops), ...(f.by ? { by: f.by } : {}), ...more })}}`;
}

async function forked(run: string, body: string, key: string): Promise<{ text: string; body: unknown }> {
  return request(at("runs", run, "fork"), { method: "POST", body, headers: { "Content-Type": "application/json", ...(key ? { "Idempotency-Key": key } : {}) } });
}

/** What a fork would change; nothing is stored. */
export async function tryFork(run: string, f: Forking): Promise<Difference> {
  const { text, body } = await forked(run, forkBody(f, { dryRun: true }), "");
  return differenceOf((body as { difference: unknown }).difference, member(parse(text), "difference"));
}

/** Forks a run, and returns the id of the fork. */
export async function fork(run: string, f: Forking, key = newKey()): Promise<string> {
  return ((await forked(run, forkBody(f, {}), key)).body as { run: string }).run;
}
