/** A value of JSON. */
export type Json = null | boolean | number | string | readonly Json[] | {
    readonly [name: string]: Json;
};
/** An operation of RFC 6902, or append, which adds text to the end of a text. */
export type Operation = {
    readonly op: "add" | "replace" | "test" | "append";
    readonly path: string;
    readonly value: Json;
} | {
    readonly op: "remove";
    readonly path: string;
} | {
    readonly op: "move" | "copy";
    readonly from: string;
    readonly path: string;
};
/**
 * The value with the patch applied; undefined stands for no value, which only an add at the path "" can change. What the
 * patch does not touch is shared with the value that was given, which stays as it is. A patch that does not fit throws,
 * and nothing of it is applied.
 */
export declare function applyPatch(value: Json | undefined, patch: readonly Operation[]): Json | undefined;
