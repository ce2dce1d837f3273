// The events of a run, as they come.

import { useSignal, type Signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { readEvents } from "../../../../clients/js/src/events";
import { RequestError } from "../../../../clients/js/src/request";
import { initial, reduce, type State } from "../../../../clients/js/src/state";
import { reachable } from "../api";
import { authorization } from "../login";
import { member, parse, type Value } from "../json";
import { Parser } from "../../../../clients/js/src/sse";
import type { Entry } from "./model";

export interface Following {
  readonly entries: Signal<readonly Entry[]>;
  /** What was said: texts, messages, tools. */
  readonly said: Signal<State>;
  /** Whether the journal is read up to what is stored. */
  readonly ready: Signal<boolean>;
}

const isSaid = /^(text\.|structured-data|message$|status$|diagnostic$|tool\.)/;

/**
 * Follows a run. The function changed is called when the run's row or its questions may have changed. The reading is over when the run
 * has ended; a seq beyond what was read says that it goes on, as after a retry, and so does the reading.
 */
export function useEvents(run: string, changed: () => void, seq: number): Following {
  const entries = useSignal<readonly Entry[]>([]);
  const said = useSignal<State>(initial());
  const ready = useSignal(false);
  const again = useRef((_: number): void => undefined);
  useEffect(() => again.current(seq), [seq]);
  useEffect(() => {
    entries.value = [];
    said.value = initial();
    ready.value = false;
    const over = new AbortController();
    let came: Entry[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    let look = false;
    let state = initial();
    let reading = true;
    let last = 0; // the seq of the last entry that was read
    let wanted = 0;
    const flush = (): void => {
      timer = undefined;
      if (over.signal.aborted) return;
      if (came.length > 0) entries.value = [...entries.value, ...came];
      came = [];
      said.value = state;
      ready.value = true;
      if (look) changed();
      look = false;
    };
    const read = async (): Promise<void> => {
      const texts = new Map<number, string>();
      const source = readEvents({
        url: "/api", run, after: last, signal: over.signal, retry: { most: 4000 }, fetch: keeping(texts), headers: authorization,
        onConnection: (open) => (reachable.value = open),
      });
      for await (const e of source) {
        if (isSaid.test(e.type)) state = reduce(state, e);
        if (e.sub === 0) {
          const exact = member(parse(texts.get(e.seq) ?? JSON.stringify(e)), "data");
          texts.delete(e.seq);
          last = e.seq;
          came.push({ ...e, at: Date.parse(e.ts), exact: (exact as ReadonlyMap<string, Value> | undefined) ?? new Map() });
          look ||= e.type.startsWith("run.") || e.type.startsWith("interrupt");
        }
        timer ??= setTimeout(flush, entries.value.length === 0 && came.length < 2 ? 30 : 60);
      }
      flush();
    };
    const begin = (): void => {
      reading = true;
      const from = last;
      read().catch((error: unknown) => {
        ready.value = true;
        if (!(error instanceof RequestError)) console.error(error);
      }).finally(() => {
        reading = false;
        if (last > from && !over.signal.aborted) again.current(wanted);
      });
    };
    again.current = (seq) => {
      wanted = Math.max(wanted, seq);
      if (!reading && wanted > last) begin();
    };
    begin();
    return () => {
      over.abort();
      clearTimeout(timer);
    };
  }, [run]);
  return { entries, said, ready };
}

/** A fetch that keeps the texts of stored events: JSON.parse loses digits of numbers, and people compare them. */
function keeping(texts: Map<number, string>): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (!response.ok || !response.body) return response;
    const parser = new Parser();
    const body = response.body.pipeThrough(new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, out) {
        for (const frame of parser.push(chunk)) {
          const stored = frame.event === "" && /"seq":([0-9]+),"sub":0,/.exec(frame.data);
          if (stored) texts.set(Number(stored[1]), frame.data);
        }
        out.enqueue(chunk);
      },
    }));
    return new Response(body, { status: response.status, headers: response.headers });
  };
}
