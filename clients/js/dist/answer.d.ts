import { type HeadersSource } from "./request.js";
export interface AnswerOptions {
    /** Where the handler is mounted: "http://127.0.0.1:8080". */
    readonly url: string;
    /** The interrupt's requestId. */
    readonly interrupt: string;
    /** The answer: what its response schema asks for. */
    readonly value: unknown;
    /** Who answers, where the server does not know. */
    readonly by?: string | undefined;
    /** In which role, where the server does not know. */
    readonly role?: string | undefined;
    /** The interrupt's resume token. */
    readonly token?: string | undefined;
    readonly headers?: HeadersSource | undefined;
    readonly signal?: AbortSignal | undefined;
    /** Defaults to the platform's. */
    readonly fetch?: typeof fetch | undefined;
}
/** What was answered. */
export interface Answered {
    readonly requestId: string;
    readonly run: string;
    readonly state: string;
}
/**
 * Answers a question. The same answer again is accepted and has no effect, so a call that broke off can be made again.
 * An answer that is refused is a RequestError; with code "invalid" its problems say what does not fit, and the question
 * stays open.
 */
export declare function answer(o: AnswerOptions): Promise<Answered>;
