// A conversation as its page shows it, as far as it needs no page: what was said in order, and what is still to be sent.

/** Something that was said to the user, as the server tells it. */
export interface Delivery {
  readonly seq: number;
  readonly said: Task & { readonly by: string; readonly turn: number; readonly flow?: string };
}

/** Something that is said or asked. */
export interface Task {
  readonly id?: string;
  readonly type: string;
  readonly prompt: string;
  readonly slot?: string;
  readonly options?: readonly string[];
}

/** How a conversation stands. */
export interface Standing {
  readonly pending?: Task;
  readonly handoff?: boolean;
  readonly busy?: boolean;
  readonly closed?: boolean;
  readonly language?: string;
  readonly seq: number;
}

export interface Command {
  readonly type: string;
  readonly flow_name?: string;
  readonly slot_name?: string;
  readonly slot_value?: unknown;
  readonly options?: readonly string[];
  readonly choice?: string;
  readonly language?: string;
  readonly confidence?: number;
  readonly source?: string;
}

export interface Place {
  readonly flow?: string;
  readonly step?: string;
  readonly slot?: string;
}

/** A message, and how it was understood. */
export interface Turn {
  readonly turn: number;
  readonly seq: number;
  readonly at: string;
  readonly by: string;
  readonly text?: string;
  readonly hidden?: boolean;
  readonly place: Place;
  readonly marks: readonly string[];
  readonly commands?: readonly Command[];
}

/** What the page has to send, or has sent. Its id makes that it counts once, however often it is sent. */
export interface Message {
  readonly id: string;
  readonly text: string;
  readonly question?: string;
  readonly commands?: readonly Command[];
  readonly language?: string;
  readonly done?: boolean;
  /** Of the person who has taken over. */
  readonly agent?: boolean;
  readonly state: "waiting" | "sending" | "sent" | "failed";
  /** Why it is not taken yet: busy, unreachable, over, or the server's words. */
  readonly why: string;
  /** The seq of what was known when it was sent. */
  readonly after: number;
}

export interface Line {
  readonly key: string;
  readonly by: "user" | "bot" | "agent" | "note";
  readonly text: string;
  readonly hidden: boolean;
  /** Of a note: silence, event, button. */
  readonly kind: string;
  readonly turn?: Turn;
  readonly message?: Message;
}

/** What was said, in order: users' messages from the review, everything else as it was delivered, and what is on its way. */
export function linesOf(said: readonly Delivery[], turns: readonly Turn[], outbox: readonly Message[]): Line[] {
  const placed: [number, Line][] = [];
  for (const d of said) {
    placed.push([d.seq, { key: "s" + d.seq, by: d.said.by === "agent" ? "agent" : "bot", text: d.said.prompt, hidden: false, kind: "" }]);
  }
  for (const t of turns) {
    const line = lineOf(t);
    if (line) placed.push([t.seq, line]);
  }
  const taken = new Set<number>();
  const last = Math.max(0, ...placed.map(([seq]) => seq));
  outbox.forEach((m, i) => {
    if (m.text === "" && m.state !== "failed") return;
    if (m.state !== "waiting" && m.state !== "failed") {
      const same = m.agent
        ? said.find((d) => d.seq > m.after && !taken.has(d.seq) && d.said.by === "agent" && d.said.prompt === m.text)
        : turns.find((t) => t.seq > m.after && !taken.has(t.seq) && t.by === "user" && (t.hidden || t.text === m.text));
      if (same) {
        taken.add(same.seq);
        return;
      }
    }
    const at = m.state === "sending" || m.state === "sent" ? m.after + 0.5 : last + 1 + i;
    placed.push([at, { key: m.id, by: m.agent ? "agent" : "user", text: m.text, hidden: false, kind: "", message: m }]);
  });
  return placed.sort((a, b) => a[0] - b[0]).map(([, line]) => line);
}

function lineOf(t: Turn): Line | undefined {
  const line = { key: "t" + t.seq, text: t.text ?? "", hidden: t.hidden === true, kind: "", turn: t };
  if (t.marks.includes("silence")) return { ...line, by: "note", kind: "silence", text: "", hidden: false };
  if (t.by === "event") return { ...line, by: "note", kind: "event" };
  if (t.by !== "user") return undefined; // it was delivered to the user
  if (line.text !== "" || line.hidden) return { ...line, by: "user" };
  return t.commands?.length ? { ...line, by: "note", kind: "button" } : undefined;
}

/** What becomes of a message that was refused: it is sent again, waits for other people, or stays with its text. */
export function refusedAs(status: number): "again" | "busy" | "over" | "failed" {
  if (status === 0 || status === 401 || status === 429 || status === 502 || status === 503 || status === 504) return "again";
  return status === 409 ? "busy" : status === 410 ? "over" : "failed";
}

/** Where a conversation stands, for those who look at it. */
export type State = "user" | "handoff" | "busy" | "over" | "works" | "failed";

export function stateOf(s: Standing): State {
  return s.closed ? "over" : s.handoff ? "handoff" : s.busy ? "busy" : "user";
}

/** The same of a row of a list: its status, and whether a person has it or it waits for other people. */
export function stateOfRow(status: string, handed: boolean, others: boolean): State {
  if (status === "completed" || status === "cancelled" || status === "expired") return "over";
  if (status === "failed" || status === "blocked") return "failed";
  if (handed) return "handoff";
  return others ? "busy" : status === "running" ? "works" : "user";
}

/** What this browser keeps of a conversation: what is written, what is not taken yet, and who speaks. */
export interface Kept {
  readonly draft: string;
  readonly agent: boolean;
  readonly outbox: readonly Message[];
}

/** Reads what was kept. A message that was on its way is sent again, with its id. */
export function kept(text: string | undefined): Kept {
  try {
    const said = JSON.parse(text ?? "{}") as Partial<Record<keyof Kept, unknown>> | null;
    const outbox = Array.isArray(said?.outbox) ? (said.outbox as Message[]).filter((m) => typeof m?.id === "string" && typeof m.text === "string") : [];
    return {
      draft: typeof said?.draft === "string" ? said.draft : "", agent: said?.agent === true,
      outbox: outbox.map((m) => (m.state === "sending" ? { ...m, state: "waiting" } : m)),
    };
  } catch {
    return { draft: "", agent: false, outbox: [] };
  }
}

/** What is kept, as text; undefined for nothing. */
export function keep(k: Kept): string | undefined {
  return k.draft === "" && !k.agent && k.outbox.length === 0 ? undefined : JSON.stringify(k);
}

/** What a question to the person who has taken over tells of the conversation. */
export function scriptOf(input: unknown): Line[] {
  const transcript = (input as { transcript?: unknown } | null | undefined)?.transcript;
  if (!Array.isArray(transcript)) return [];
  return (transcript as ({ by?: unknown; text?: unknown } | null)[]).map((l, i) => ({
    key: "l" + i, by: l?.by === "user" || l?.by === "agent" ? l.by : "bot", text: typeof l?.text === "string" ? l.text : "", hidden: false, kind: "",
  }));
}

/** The words of the last who is no bot, as a question to the person who has taken over has them. */
export function lastWords(input: unknown): string {
  const transcript = (input as { transcript?: readonly { by?: unknown; text?: unknown }[] } | null | undefined)?.transcript;
  if (!Array.isArray(transcript)) return "";
  for (const line of [...transcript].reverse() as { by?: unknown; text?: unknown }[]) {
    if (line?.by !== "bot" && typeof line?.text === "string") return line.text;
  }
  return "";
}
