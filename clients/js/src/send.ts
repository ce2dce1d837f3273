import { address, headersFrom, refusal, type HeadersSource } from "./request.js";

export interface SendOptions {
  /** Where the handler is mounted: "http://127.0.0.1:8080". */
  readonly url: string;
  readonly run: string;
  /** What the message is called: the run's code asks for it by this name. */
  readonly name: string;
  /** Anything that JSON holds. */
  readonly value: unknown;
  /** The sender's id of the message: a second one with it has no effect in the run, so a call that broke off can be made again. */
  readonly messageID?: string | undefined;
  /** How long to wait for the reply of the node: "30s". Without it, send returns once the message is stored. */
  readonly wait?: string | undefined;
  readonly headers?: HeadersSource | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Defaults to the platform's. */
  readonly fetch?: typeof fetch | undefined;
}

/** What became of a message. */
export interface Sent {
  readonly run: string;
  readonly name: string;
  /** What the node answered, where the sender has waited for it and it came in time. */
  readonly reply?: unknown;
}

/**
 * Sends a message to a run. When it returns, the message is stored, whether or not the run waits for it yet. What the server
 * refuses is a RequestError: with code "conflict" the run has ended, with "invalid" the message was refused by the node.
 */
export async function send(o: SendOptions): Promise<Sent> {
  if (o.value === undefined) throw new TypeError("send: expected a value, found undefined; null is a message");
  if (o.messageID === "") throw new TypeError("send: expected a messageID, found an empty text; leave it out where the message has none");
  const headers = await headersFrom(o.headers);
  headers.set("Content-Type", "application/json");
  if (o.messageID !== undefined) headers.set("Idempotency-Key", o.messageID);
  const request = o.fetch ?? fetch;
  const wait = o.wait === undefined ? "" : "?wait=" + encodeURIComponent(o.wait);
  const response = await request(address(o.url, "runs", o.run, "messages", o.name) + wait, {
    method: "POST",
    headers,
    body: JSON.stringify(o.value),
    signal: o.signal ?? null,
  });
  if (!response.ok) throw await refusal(response);
  return (await response.json()) as Sent;
}
