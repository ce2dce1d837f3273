import type { Envelope } from "./envelope.js";
import { type HeadersSource } from "./request.js";
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
/**
 * Reads a run's events until the run has ended. A connection that is lost is made again, from the last stored event that
 * was seen: each stored event comes once and in order. Text that was shown in the meantime comes as one delta with
 * soFar, which replaces what was there; reduce does so. Requests that the server refuses (4xx) are a RequestError.
 */
export declare function readEvents(o: ReadOptions): AsyncGenerator<Envelope, void, void>;
