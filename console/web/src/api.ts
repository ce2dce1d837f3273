// The server's routes, as this app reads them; /openapi.json and docs/formats.md describe them.

import { member, parse, type Value } from "./json";
import { signal } from "@preact/signals";
import { authorization, person, place, refused, wanted, type Person } from "./login";

export interface DefinitionRow {
  readonly name: string;
  readonly kind: string;
  readonly version?: string;
  readonly description?: string;
  readonly queue?: string;
  readonly notes?: readonly string[];
  /** Of a dialogue: where conversations are begun. */
  readonly conversations?: string;
  readonly languages?: readonly string[];
}

export interface Definition extends DefinitionRow {
  readonly fingerprint: string;
  readonly svg: string;
  /** JSON Schemas, as they were written. */
  readonly inputs: Value;
  readonly outputs: Value;
}

export interface RunRow {
  readonly run: string;
  readonly plan: string;
  readonly kind: string;
  readonly status: string;
  readonly error?: string;
  readonly waiting: number;
  readonly seq: number;
  readonly created: string;
  readonly updated: string;
  readonly labels?: Readonly<Record<string, string>>;
}

export interface Question {
  readonly requestId: string;
  readonly run: string;
  readonly task: string;
  readonly kind?: string;
  readonly prompt?: string;
  readonly options?: readonly string[];
  readonly requiredRole?: string;
  readonly assignee?: string;
  readonly assigneeName?: string;
  readonly claimedBy?: string;
  readonly claimedByName?: string;
  readonly overrideRole?: string;
  readonly needsToken?: boolean;
  readonly fourEyes?: boolean;
  readonly notByNodes?: readonly string[];
  /** Microseconds since 1970. */
  readonly opened?: number;
  readonly deadline?: number;
  readonly atDeadline?: Readonly<Record<string, unknown>>;
  readonly state: string;
  /** Once it is closed. */
  readonly answeredBy?: string;
  readonly answeredByName?: string;
  /** As they were written. */
  readonly answer?: Value | undefined;
  readonly input: Value | undefined;
  readonly responseSchema: Value | undefined;
}

export interface Run {
  readonly run: string;
  readonly plan: string;
  readonly status: string;
  readonly seq: number;
  readonly error?: string;
  readonly code?: string;
  readonly outputs: Value | undefined;
  readonly interrupts: readonly Question[];
}

export interface Problem {
  /** JSON pointer. */
  readonly path: string;
  readonly message: string;
}

/** A request that was refused; status 0 where the server cannot be reached. */
export class Refusal extends Error {
  constructor(
    message: string,
    readonly status: number,
    readonly code: string,
    readonly problems: readonly Problem[] = [],
    readonly run = "",
  ) {
    super(message);
  }
}

/** Whether the server answered the last time. */
export const reachable = signal(true);

/** The whole answer as text, and as JSON. */
interface Reply {
  readonly text: string;
  readonly body: unknown;
}

export async function request(path: string, init: RequestInit = {}): Promise<Reply> {
  let response: Response;
  let text: string;
  const login = authorization();
  try {
    response = await fetch(path, { ...init, headers: { Accept: "application/json", ...init.headers, ...login }, cache: "no-store" });
    text = await response.text();
  } catch (error) {
    if (init.signal?.aborted) throw error;
    reachable.value = false;
    throw new Refusal("", 0, "unreachable");
  }
  reachable.value = true;
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = undefined;
  }
  if (response.ok) return { text, body };
  const said = (typeof body === "object" && body !== null ? body : {}) as Record<string, unknown>;
  if (response.status === 401) {
    place.value = String(said["login"] ?? place.value);
    refused(login);
  }
  throw new Refusal(
    String(said["detail"] ?? said["error"] ?? said["title"] ?? `status ${response.status}`),
    response.status, String(said["code"] ?? "internal"),
    Array.isArray(said["problems"]) ? (said["problems"] as Problem[]) : [], String(said["run"] ?? ""),
  );
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await request(path, signal ? { signal } : {})).body as T;
}

export async function post<T>(path: string, body: string, headers: Record<string, string> = {}): Promise<T> {
  return (await request(path, { method: "POST", body, headers: { "Content-Type": "application/json", ...headers } })).body as T;
}

export const at = (...path: string[]): string => "/api/" + path.map(encodeURIComponent).join("/");

/** Asks who the server takes this page for. */
export async function me(signal?: AbortSignal): Promise<Person> {
  const said = await get<Person>("/api/me", signal);
  person.value = said;
  wanted.value = "";
  return said;
}

export async function definitions(signal?: AbortSignal): Promise<readonly DefinitionRow[]> {
  return (await folder(signal)).definitions;
}

/** A file of the folder that cannot be loaded. */
export interface Fault {
  readonly file: string;
  /** The definition that is still served as the file was before. */
  readonly definition?: string;
  readonly problems: readonly { readonly file: string; readonly line?: number; readonly column?: number; readonly path?: string; readonly message: string }[];
}

/** All definitions, with the files that cannot be loaded. */
export async function folder(signal?: AbortSignal): Promise<{ definitions: readonly DefinitionRow[]; faults: readonly Fault[] }> {
  const said = await get<{ definitions: DefinitionRow[]; faults?: Fault[] }>("/api/definitions", signal);
  return { definitions: said.definitions, faults: said.faults ?? [] };
}

export async function definition(name: string, signal?: AbortSignal): Promise<Definition> {
  const { text, body } = await request(at("definitions", name), signal ? { signal } : {});
  const exact = parse(text);
  return { ...(body as Definition), inputs: member(exact, "inputs") ?? true, outputs: member(exact, "outputs") ?? true };
}

export interface Page<T> {
  readonly rows: readonly T[];
  /** The cursor of the next page; "" for none. */
  readonly next: string;
}

export async function runs(query: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<Page<RunRow>> {
  const said = await get<{ runs: RunRow[]; next?: string }>("/api/runs?" + new URLSearchParams(query), signal);
  return { rows: said.runs, next: said.next ?? "" };
}

export interface Count {
  readonly value: string;
  readonly n: number;
  readonly more?: boolean;
}

export async function countRuns(query: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<readonly Count[]> {
  return (await get<{ by: Count[] }>("/api/runs/counts?" + new URLSearchParams(query), signal)).by ?? [];
}

export async function countQuestions(by: "state" | "role", signal?: AbortSignal): Promise<readonly Count[]> {
  return (await get<{ by: Count[] }>("/api/interrupts/counts?skip=dialogue&by=" + by, signal)).by ?? [];
}

function exactly(questions: readonly Question[], exact: Value | undefined): Question[] {
  return questions.map((q, i) => {
    const written = Array.isArray(exact) ? exact[i] : undefined;
    return { ...q, input: member(written, "input"), answer: member(written, "answer"), responseSchema: member(written, "responseSchema") };
  });
}

export async function questions(query: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<Page<Question>> {
  const { text, body } = await request("/api/interrupts?" + new URLSearchParams(query), signal ? { signal } : {});
  const said = body as { interrupts: Question[]; next?: string };
  return { rows: exactly(said.interrupts, member(parse(text), "interrupts")), next: said.next ?? "" };
}

export async function run(id: string, signal?: AbortSignal): Promise<Run> {
  const { text, body } = await request(at("runs", id), signal ? { signal } : {});
  const exact = parse(text);
  const said = body as Run;
  return { ...said, outputs: member(exact, "outputs"), interrupts: exactly(said.interrupts, member(exact, "interrupts")) };
}

/** A key that makes a request that is repeated the same request. */
export function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(18))].map((b) => b.toString(16).padStart(2, "0")).join("");
}

/** Breakpoints: nodes by their paths, before or behind each visit of which the run is held (law J19). */
export interface Stops {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

export function stopMembers(s: Stops): Record<string, readonly string[]> {
  return { ...(s.before.length > 0 ? { breakBefore: s.before } : {}), ...(s.after.length > 0 ? { breakAfter: s.after } : {}) };
}

/** Further members of an object that is written as JSON. */
export function membersOf(members: Readonly<Record<string, unknown>>): string {
  return Object.entries(members).map(([name, value]) => `,${JSON.stringify(name)}:${JSON.stringify(value)}`).join("");
}

/** Starts a run once, however often the request is repeated with the key. */
export async function start(definition: string, input: string, stops: Stops, by: string, key: string): Promise<{ run: string }> {
  const body = `{"definition":${JSON.stringify(definition)},"input":${input}${membersOf({ ...stopMembers(stops), ...(by ? { by } : {}) })}}`;
  return post("/api/runs", body, { "Idempotency-Key": key });
}

export interface Who {
  readonly by: string;
  readonly role?: string | undefined;
  readonly token?: string | undefined;
}

function whoMembers(who: Who): Record<string, string> {
  return { ...(who.by ? { by: who.by } : {}), ...(who.role ? { role: who.role } : {}), ...(who.token ? { token: who.token } : {}) };
}

export async function answer(id: string, value: string, who: Who): Promise<void> {
  await post(at("interrupts", id, "answer"), `{"value":${value}${membersOf(whoMembers(who))}}`);
}

export async function keep(id: string, what: "claim" | "release", who: Who): Promise<void> {
  await post(at("interrupts", id, what), JSON.stringify(whoMembers(who)));
}

export async function cancel(id: string, reason: string, by: string): Promise<void> {
  await post(at("runs", id, "cancel"), JSON.stringify({ ...(reason ? { reason } : {}), ...(by ? { by } : {}) }));
}

export async function retry(id: string): Promise<void> {
  await post(at("runs", id, "retry"), "{}");
}

/** Holds a run, or lets it go on. Done again it changes nothing. */
export async function changeHold(id: string, what: "hold" | "release", note: string, by: string): Promise<void> {
  await post(at("runs", id, what), JSON.stringify({ ...(note ? { note } : {}), ...(by ? { by } : {}) }));
}

/** The drawing of a run at an entry of its journal; 0 is the last one. */
export async function drawing(id: string, at_: number, signal: AbortSignal): Promise<string> {
  return (await request(at("runs", id, "graph.svg") + (at_ > 0 ? "?at=" + at_ : ""), { signal, headers: { Accept: "image/svg+xml" } })).text;
}

/** The value of a run when an entry was stored; 0 is the last one. */
export async function stateAt(id: string, at_: number, signal: AbortSignal): Promise<Value> {
  return member(parse((await request(at("runs", id, "state") + (at_ > 0 ? "?at=" + at_ : ""), { signal })).text), "state") ?? null;
}
