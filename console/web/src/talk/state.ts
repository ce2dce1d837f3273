// A conversation while it is held: what was said comes by itself, and what is written is sent until it is taken.

import { useSignal, type Signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { initial, reduce, type State as Streamed } from "../../../../clients/js/src/state";
import type { Envelope } from "../../../../clients/js/src/envelope";
import { newKey, reachable, Refusal } from "../api";
import { useLive, type Live } from "../live";
import { may } from "../login";
import { store, stored } from "../storage";
import { listen, look, say, standingOf, type Look, type Piece } from "./api";
import { keep, kept, refusedAs, type Delivery, type Kept, type Message, type Standing } from "./model";

export interface Talk {
  readonly standing: Live<Standing>;
  readonly said: Signal<readonly Delivery[]>;
  /** undefined until it is there, or where it may not be read. */
  readonly look: Signal<Look | undefined>;
  /** Whether everything that was said before has come. */
  readonly ready: Signal<boolean>;
  readonly streamed: Signal<Streamed>;
  readonly kept: Signal<Kept>;
  readonly write: (draft: string) => void;
  /** Speaks from here on as the person who has taken over, or as the user. */
  readonly speakAs: (agent: boolean) => void;
  /** Sends a message, after those that are not taken yet; says how the conversation stands then, or undefined where it is not taken. */
  readonly send: (m: Partial<Message>) => Promise<Standing | undefined>;
  readonly again: (id: string) => void;
  readonly forget: (id: string) => void;
}

const every = 2000;
const mostSent = 100;

export function useTalk(dialogue: string, id: string): Talk {
  const name = `talk.${dialogue}/${id}`;
  const standing = useLive("standing " + name, (s) => standingOf(dialogue, id, s), every);
  const said = useSignal<readonly Delivery[]>([]);
  const seen = useSignal<Look | undefined>(undefined);
  const ready = useSignal(false);
  const streamed = useSignal<Streamed>(initial());
  const mine = useSignal<Kept>(kept(stored(name)));
  const talk = useMemo(() => {
    const over = new AbortController();
    const results = new Map<string, (s: Standing | undefined) => void>();
    let busy = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let looking: ReturnType<typeof setTimeout> | undefined;
    let pieces = 0;
    const change = (next: Partial<Kept>): void => {
      mine.value = { ...mine.value, ...next };
      store(name, keep(mine.value));
    };
    const set = (message: string, next: Partial<Message> | undefined): void => change({
      outbox: mine.value.outbox.flatMap((m) => (m.id !== message ? [m] : next ? [{ ...m, ...next }] : [])).slice(-mostSent),
    });
    const latest = (): number => Math.max(0, said.value.at(-1)?.seq ?? 0, seen.value?.turns.at(-1)?.seq ?? 0);
    const lookNow = async (): Promise<boolean> => {
      if (!may("author")) return false;
      try {
        const got = await look(dialogue, id, over.signal);
        if (got.turns.length >= (seen.value?.turns.length ?? 0)) seen.value = got;
        return true;
      } catch (error) {
        if (!(error instanceof Refusal) && !over.signal.aborted) throw error;
        return false; // what this page has sent is shown all the same
      }
    };
    const lookSoon = (): void => {
      looking ??= setTimeout(() => {
        looking = undefined;
        void lookNow();
      }, 120);
    };
    const settle = (m: Message, s: Standing | undefined): void => {
      results.get(m.id)?.(s);
      results.delete(m.id);
    };
    const deliver = async (m: Message): Promise<boolean> => {
      set(m.id, { state: "sending", why: "", after: latest() });
      try {
        const s = await say(dialogue, id, m);
        set(m.id, (await lookNow()) || m.text === "" ? undefined : { state: "sent" });
        standing.again();
        settle(m, s);
        return true;
      } catch (error) {
        if (over.signal.aborted) return false;
        if (!(error instanceof Refusal)) throw error;
        const as = refusedAs(error.status);
        standing.again();
        if (as === "again" || as === "busy") {
          set(m.id, { state: "waiting", why: as === "busy" ? "busy" : "unreachable" });
          clearTimeout(timer);
          timer = setTimeout(() => void pump(), every);
          return false;
        }
        set(m.id, m.text === "" ? undefined : { state: "failed", why: as === "over" ? "over" : error.message });
        settle(m, undefined);
        return true;
      }
    };
    const pump = async (): Promise<void> => {
      if (busy || over.signal.aborted) return;
      busy = true;
      try {
        for (let m = next(); m && (await deliver(m)); m = next());
      } finally {
        busy = false;
      }
    };
    const next = (): Message | undefined => mine.value.outbox.find((m) => m.state === "waiting");
    const took = (p: Piece): void => {
      const e: Envelope = { v: 1, seq: 0, sub: ++pieces, ts: "", run: id, type: p.type, task: p.task, opId: p.opId ?? "", data: p.data } as unknown as Envelope;
      streamed.value = reduce(streamed.value, e);
    };
    const hear = (): void => {
      listen(dialogue, id, {
        said(d) {
          said.value = [...said.value, d];
          if (streamed.value.segments.length + streamed.value.structured.length > 0) streamed.value = initial();
          lookSoon();
        },
        piece: took,
        open: () => setTimeout(() => (ready.value = true), 200),
      }, over.signal).then(() => standing.again()).catch((error: unknown) => {
        if (!(error instanceof Refusal)) throw error;
      });
    };
    return {
      over, pump, hear, lookNow, lookSoon,
      write: (draft: string) => change({ draft }),
      speakAs: (agent: boolean) => change({ agent }),
      send(m: Partial<Message>): Promise<Standing | undefined> {
        const made: Message = { text: "", ...m, id: newKey(), state: "waiting", why: "", after: 0 };
        change({ outbox: [...mine.value.outbox, made] });
        const result = new Promise<Standing | undefined>((resolve) => results.set(made.id, resolve));
        void pump();
        return result;
      },
      again(message: string) {
        set(message, { state: "waiting", why: "" });
        void pump();
      },
      forget: (message: string) => set(message, undefined),
    };
  }, [name]);
  useEffect(() => {
    talk.hear();
    void talk.lookNow();
    void talk.pump();
    return () => talk.over.abort();
  }, [talk]);
  useEffect(() => talk.lookSoon(), [standing.data.value?.seq]); // another page has spoken
  useEffect(() => void talk.pump(), [reachable.value, standing.data.value?.busy]);
  return { standing, said, look: seen, ready, streamed, kept: mine, write: talk.write, speakAs: talk.speakAs, send: talk.send, again: talk.again, forget: talk.forget };
}
