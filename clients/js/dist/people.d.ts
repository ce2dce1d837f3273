import { type Done, type QuestionOptions } from "./question.js";
export interface HandOverOptions extends QuestionOptions {
    /** The one person who is asked. Defaults to whoever is in the role. */
    readonly to?: string | undefined;
    /** The role that is asked. Defaults to the question's own. */
    readonly toRole?: string | undefined;
    /** Why, for the record. */
    readonly note?: string | undefined;
}
/** Reserves a question: nobody else can answer it until it is released. What somebody else has claimed is a conflict. */
export declare function claim(o: QuestionOptions): Promise<Done>;
/** Gives a claimed question back. */
export declare function release(o: QuestionOptions): Promise<Done>;
/**
 * Has somebody else asked: a person, a role, or a person in a role. The deadline stays. Where somebody holds the question,
 * nobody else may, unless they are in its overrideRole: that is a RequestError with status 403 or 409.
 */
export declare function reassign(o: HandOverOptions): Promise<Done>;
/** Has another role asked now; toRole must be there. */
export declare function escalate(o: HandOverOptions): Promise<Done>;
