import { type Done, type QuestionOptions } from "./question.js";
export interface AnswerOptions extends QuestionOptions {
    /** The answer: what its response schema asks for. */
    readonly value: unknown;
}
/** What was answered. */
export type Answered = Done;
/**
 * Answers a question. The same answer again is accepted and has no effect, so a call that broke off can be made again.
 * An answer that is refused is a RequestError; with code "invalid" its problems say what does not fit, and the question
 * stays open.
 */
export declare function answer(o: AnswerOptions): Promise<Answered>;
