// What is shown stays true while it is looked at: it is asked for again every few seconds, at once after a change, and not at
// all while the page is hidden. A feed of changes would call refresh with the topic of each: however many there are, one thing is asked
// for a few times a second at most.

import { signal, useSignal, type Signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Parser } from "../../../clients/js/src/sse";
import { reachable, Refusal } from "./api";
import { authorization } from "./login";

/** The present, for what is shown as "2 min ago". */
export const now = signal(Date.now());
setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 1000);

/** What changes: the topics of the server's feed. */
export type Topic = "runs" | "interrupts" | "definitions" | "schedules";

const asked = new Map<() => void, Topic | undefined>();

/** Has what is shown about a topic asked for again, and what says no topic; without one, everything. */
export function refresh(topic?: Topic): void {
  for (const [ask, about] of asked) if (topic === undefined || about === undefined || about === topic) ask();
}

/** Whether the server tells of changes of runs. Then what depends on them is asked for after one. */
let told = false;
const aloneAgain = 60_000;
/** What the feed of runs tells of. */
const fed = new Set<Topic | undefined>(["runs", "interrupts"]);

/** Listens for changes of runs until the signal. It begins anew where the stream ends, and asks for everything then. */
async function listen(signal: AbortSignal): Promise<void> {
  let soon: ReturnType<typeof setTimeout> | undefined;
  const changed = (): void => {
    soon ??= setTimeout(() => {
      soon = undefined;
      if (signal.aborted) return;
      for (const [ask, about] of asked) if (fed.has(about)) ask();
    }, 500);
  };
  while (!signal.aborted) {
    let wait = 2000;
    try {
      const response = await fetch("/api/feed?after=now", { headers: authorization(), signal, cache: "no-store" });
      if (!response.ok || !response.body) wait = aloneAgain;
      else {
        const parser = new Parser();
        for (const reader = response.body.getReader(); ; ) {
          const piece = await reader.read();
          if (piece.done) break;
          for (const frame of parser.push(piece.value)) {
            if (!told || frame.event === "changed") changed();
            told = true;
          }
        }
      }
    } catch { /* the server is gone, or the signal came */ }
    if (told) {
      told = false;
      if (!signal.aborted) refresh();
    }
    await new Promise((done) => setTimeout(done, wait));
  }
  clearTimeout(soon);
}

/** Keeps what is shown up to date by the feed of changes, while somebody may and looks. */
export function useFeed(may: boolean): void {
  useEffect(() => {
    if (!may) return;
    let over = new AbortController();
    const look = (): void => {
      over.abort();
      over = new AbortController();
      if (!document.hidden) void listen(over.signal);
    };
    look();
    document.addEventListener("visibilitychange", look);
    return () => {
      over.abort();
      document.removeEventListener("visibilitychange", look);
    };
  }, [may]);
}

document.addEventListener("visibilitychange", () => {
  if (!document.hidden) refresh();
});
addEventListener("online", () => refresh());

export interface Live<T> {
  readonly data: Signal<T | undefined>;
  readonly error: Signal<Refusal | undefined>;
  /** Asks again now. */
  readonly again: () => void;
}

const everySecond = 2500;
const most = 20_000;

/** The shortest time between two questions for one thing. */
const calm = 300;

/**
 * Loads something and keeps it up to date: it is asked for again after a while, and when its topic has changed. With another key it is
 * something else.
 */
export function useLive<T>(key: string, load: (signal: AbortSignal) => Promise<T>, every = everySecond, about?: Topic): Live<T> {
  const data = useSignal<T | undefined>(undefined);
  const error = useSignal<Refusal | undefined>(undefined);
  const loader = useRef(load);
  loader.current = load;
  const again = useRef(() => undefined as void);
  useEffect(() => {
    data.value = undefined;
    error.value = undefined;
    const over = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let wait = every;
    let busy = false;
    let twice = false;
    let began = -calm;
    const ask = async (): Promise<void> => {
      clearTimeout(timer);
      if (busy) {
        twice = true;
        return;
      }
      busy = true;
      began = performance.now();
      try {
        const got = await loader.current(over.signal);
        if (over.signal.aborted) return;
        data.value = got;
        error.value = undefined;
        wait = every;
      } catch (reason) {
        if (over.signal.aborted) return;
        error.value = reason instanceof Refusal ? reason : new Refusal(String(reason), -1, "internal");
        wait = reachable.value ? Math.min(most, wait * 2) : Math.min(4000, wait);
      } finally {
        busy = false;
      }
      if (twice) {
        twice = false;
        call();
        return;
      }
      const gone = error.value?.status === 0;
      if (every > 0 || gone) timer = setTimeout(() => (document.hidden ? undefined : void ask()), gone ? Math.max(everySecond, wait) : told && fed.has(about) ? Math.max(wait, aloneAgain) : wait);
    };
    const call = (): void => {
      const left = calm - (performance.now() - began);
      clearTimeout(timer);
      if (left <= 0) void ask();
      else timer = setTimeout(() => void ask(), left);
    };
    again.current = call;
    asked.set(call, about);
    call();
    return () => {
      over.abort();
      clearTimeout(timer);
      asked.delete(call);
    };
  }, [key]);
  return { data, error, again: () => again.current() };
}
