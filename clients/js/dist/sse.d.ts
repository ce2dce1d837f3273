/** One server-sent event. */
export interface Frame {
    /** Its type; "" where it has none. */
    readonly event: string;
    readonly data: string;
}
/**
 * Takes a stream of server-sent events apart, whatever pieces it comes in: a piece may end within a line, between the
 * two halves of CR LF, or within a character. What the stream breaks off in the middle of is no event.
 */
export declare class Parser {
    #private;
    /** How long to wait before coming back, in milliseconds, where the stream has said so. */
    retry: number | undefined;
    /** The events that are complete with these bytes. */
    push(bytes: Uint8Array): Frame[];
}
