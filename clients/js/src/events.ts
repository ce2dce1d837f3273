import type { Envelope } from "./envelope.js";
import { address, headersFrom, refusal, refusalFrom, RequestError, type HeadersSource } from "./request.js";
import { Parser } from "./sse.js";

/** How to come back after a connection was lost. The zero value works. */
export interface Retry {
  /** The first wait, in milliseconds; each further one is twice as long. Defaults to what the server asks for (100 at least), or 1000. */
  readonly first?: number | undefined;
  /** The longest wait, in milliseconds. Defaults to 30000. */
  readonly most?: number | undefined;
  /** How often to try in vain before giving up with the last error. Defaults to without end. */
  readonly attempts?: number | undefined;
}

export interface ReadOptions {
  /** Where the handler is mounted: "http://127.0.0.1:8080". */
  readonly url: string;
  readonly run: string;
  /** Only events after this seq. Defaults to 0: all. */
  readonly after?: number | undefined;
  /** False ends at what is stored. Defaults to true: until the run has ended. */
  readonly follow?: boolean | undefined;
  readonly retry?: Retry | undefined;
  /** How long a connection may be silent before it counts as lost, in milliseconds; 0 for ever. Defaults to 60000. */
  readonly silence?: number | undefined;
  /** Called when a connection is open, and with the error when it is lost: for a sign in the user interface. */
  readonly onConnection?: ((open: boolean, error?: unknown) => void) | undefined;
  readonly headers?: HeadersSource | undefined;
  /** Ends the reading, without an error. */
  readonly signal?: AbortSignal | undefined;
  /** Defaults to the platform's. */
  readonly fetch?: typeof fetch | undefined;
}

/** What a connection has come to. */
interface Outcome {
  over: boolean;
  error?: unknown;
}

/**
 * Reads a run's events until the run has ended. A connection that is lost is made again, from the last stored event that
 * was seen: each stored event comes once and in order. Text that was shown in the meantime comes as one delta with
 * soFar, which replaces what was there; reduce does so. Requests that the server refuses (4xx) are a RequestError.
 */
export async function* readEvents(o: ReadOptions): AsyncGenerator<Envelope, void, void> {
  const source = new Source(o);
  for (let failures = 0; ; failures++) {
    if (o.signal?.aborted) return;
    const before = source.received;
    const outcome: Outcome = yield* source.connection();
    if (outcome.over || o.signal?.aborted) return;
    if (source.received > before) failures = 0;
    if (failures >= (o.retry?.attempts ?? Infinity)) throw outcome.error;
    o.onConnection?.(false, outcome.error);
    const wait = source.wait(failures);
    if (wait > 0) await pause(wait, o.signal);
  }
}

/** What a server may ask for at least: with less, all its readers would come back without a pause. */
const leastHint = 100;

/** What a timer can wait for at most; with more, it does not wait at all. */
const longestTimer = 2 ** 31 - 1;

class Source {
  received = 0;
  #last: number;
  #hint = 1000;

  constructor(readonly o: ReadOptions) {
    this.#last = o.after ?? 0;
  }

  /** How long to wait after so many failures: twice as long each time, and not at the same time as everybody else. */
  wait(failures: number): number {
    const { first = this.#hint, most = 30_000 } = this.o.retry ?? {};
    return Math.min(most, longestTimer, first * 2 ** Math.min(failures, 31)) * (0.5 + Math.random() / 2);
  }

  async *connection(): AsyncGenerator<Envelope, Outcome, void> {
    const watch = new Watch(this.o.signal, this.o.silence ?? 60_000);
    try {
      const response = await this.#open(watch);
      if (response instanceof Error) return { over: false, error: response };
      if (response.status === 204) return { over: true }; // the run has ended, and all of it was seen
      if (!response.body) return { over: false, error: new Error("the response has no body") };
      this.o.onConnection?.(true);
      return yield* this.#read(response.body.getReader(), watch);
    } finally {
      watch.end();
    }
  }

  /** Connects; an error that is returned, not thrown, is worth another try. */
  async #open(watch: Watch): Promise<Response | Error> {
    const headers = await headersFrom(this.o.headers);
    headers.set("Accept", "text/event-stream");
    if (this.#last > 0) headers.set("Last-Event-ID", String(this.#last));
    const send = this.o.fetch ?? fetch;
    let response: Response;
    try {
      const follow = this.o.follow === false ? "?follow=false" : "";
      watch.begin(); // how long the caller takes for its headers is no silence
      const sent = send(address(this.o.url, "runs", this.o.run, "events") + follow, { headers, signal: watch.signal, cache: "no-store" });
      response = await watch.until(sent, (late) => late.body?.cancel());
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
    if (response.ok) {
      const type = response.headers.get("Content-Type") ?? "";
      if (response.status === 204 || type.startsWith("text/event-stream")) return response;
      await response.body?.cancel();
      throw new RequestError(`expected a stream of events, found ${type || "no content type"}`, response.status, "internal");
    }
    const no = await refusal(response);
    const passing = response.status >= 500 || [408, 425, 429].includes(response.status);
    if (passing) return no;
    throw no;
  }

  async *#read(reader: ReadableStreamDefaultReader<Uint8Array>, watch: Watch): AsyncGenerator<Envelope, Outcome, void> {
    const parser = new Parser();
    try {
      for (;;) {
        let chunk: ReadableStreamReadResult<Uint8Array>;
        try {
          watch.begin();
          chunk = await watch.until(reader.read());
        } catch (error) {
          return { over: false, error };
        } finally {
          watch.rest(); // how long the caller takes is no silence
        }
        if (chunk.done) return { over: false, error: new Error("the connection was closed") };
        for (const frame of parser.push(chunk.value)) {
          if (frame.event === "end") return { over: true };
          if (frame.event === "error") {
            const no = refusalFrom(frame.data, 0, "the stream failed");
            if (["not_found", "unauthenticated", "forbidden", "invalid"].includes(no.code)) throw no;
            return { over: false, error: no };
          }
          const envelope = frame.event === "" ? (JSON.parse(frame.data) as Envelope) : undefined;
          if (!envelope || !this.#isNew(envelope)) continue;
          this.received++;
          yield envelope;
        }
        if (parser.retry !== undefined) this.#hint = Math.max(parser.retry, leastHint);
      }
    } finally {
      reader.cancel().catch(() => undefined); // it may be broken already
    }
  }

  #isNew(e: Envelope): boolean {
    if (e.sub > 0) return true;
    if (e.seq <= this.#last) return false;
    this.#last = e.seq;
    return true;
  }
}

/** Gives a connection up when it is silent for too long, or the reader wants no more. */
class Watch {
  readonly #controller = new AbortController();
  readonly #give = (): void => this.#controller.abort(this.outer?.reason);
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(readonly outer: AbortSignal | undefined, readonly silence: number) {
    outer?.addEventListener("abort", this.#give);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** From here on it is the other side's turn. */
  begin(): void {
    this.rest();
    if (this.silence > 0) {
      this.#timer = setTimeout(() => this.#controller.abort(new Error("the connection was silent")), this.silence);
    }
  }

  rest(): void {
    clearTimeout(this.#timer);
  }

  /**
   * Waits for something, but no longer than until the connection is given up: also where that was before, of which a fetch
   * of the caller's may take no notice. What comes too late is handed to late.
   */
  until<T>(something: Promise<T>, late?: (value: T) => unknown): Promise<T> {
    return new Promise((resolve, reject) => {
      const give = (): void => {
        if (late) something.then(late).catch(() => undefined);
        reject(this.signal.reason);
      };
      const settled = (): void => this.signal.removeEventListener("abort", give);
      something.then(resolve, reject).finally(settled);
      this.signal.addEventListener("abort", give);
      if (this.signal.aborted) give();
    });
  }

  end(): void {
    this.rest();
    this.outer?.removeEventListener("abort", this.#give);
    this.#controller.abort();
  }
}

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const over = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", over);
      resolve();
    };
    const timer = setTimeout(over, milliseconds);
    signal?.addEventListener("abort", over);
    if (signal?.aborted) over();
  });
}
