import { type HeadersSource } from "./request.js";
/** Which question is meant, and who does something about it. */
export interface QuestionOptions {
    /** Where the handler is mounted: "http://127.0.0.1:8080". */
    readonly url: string;
    /** The interrupt's requestId. */
    readonly interrupt: string;
    /** Who does it, where the server does not know. */
    readonly by?: string | undefined;
    /** In which role, where the server does not know. */
    readonly role?: string | undefined;
    /** Why, for the record. */
    readonly note?: string | undefined;
    /** The question's resume token, where it requires one. */
    readonly token?: string | undefined;
    readonly headers?: HeadersSource | undefined;
    readonly signal?: AbortSignal | undefined;
    /** Defaults to the platform's. */
    readonly fetch?: typeof fetch | undefined;
}
/** How a question stands after what was done about it. */
export interface Done {
    readonly requestId: string;
    readonly run: string;
    /** "open", "claimed" or "answered". */
    readonly state: string;
    /** Another person had given the same answer, which counts. */
    readonly answeredBefore?: true;
    /** Who that was; left out where they gave no name. */
    readonly answeredBy?: string;
    /** What they are called. */
    readonly answeredByName?: string;
}
/** Does something about a question. What the server refuses is a RequestError. */
export declare function act(o: QuestionOptions, verb: string, body: Readonly<Record<string, unknown>>): Promise<Done>;
