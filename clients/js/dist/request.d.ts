/** Why a request was refused. */
export type Code = "invalid" | "not_found" | "conflict" | "expired" | "unauthenticated" | "forbidden" | "stopped" | "store" | "internal" | (string & {});
/** One place of an answer that does not fit. */
export interface Problem {
    /** JSON pointer: "/items/0/name"; "" is the whole answer. */
    readonly path: string;
    /** What was expected there, and what was found. */
    readonly message: string;
}
/** A request that was refused. */
export declare class RequestError extends Error {
    /** The HTTP status; 0 where the refusal came within a stream. */
    readonly status: number;
    /** "invalid": see problems, and ask again; "conflict": somebody else was first; "expired": too late. */
    readonly code: Code;
    readonly problems: readonly Problem[];
    readonly name = "RequestError";
    constructor(message: string, 
    /** The HTTP status; 0 where the refusal came within a stream. */
    status: number, 
    /** "invalid": see problems, and ask again; "conflict": somebody else was first; "expired": too late. */
    code: Code, problems?: readonly Problem[]);
}
/** Headers to send: as they are, or a function that is called before each request, for tokens that expire. */
export type HeadersSource = HeadersInit | (() => HeadersInit | Promise<HeadersInit>);
export declare function headersFrom(source: HeadersSource | undefined): Promise<Headers>;
/** The address of something below where the handler is mounted. */
export declare function address(url: string, ...path: string[]): string;
/** What a response that is no success says. */
export declare function refusal(response: Response): Promise<RequestError>;
export declare function refusalFrom(text: string, status: number, otherwise: string): RequestError;
