export { answer } from "./answer.js";
export type { AnswerOptions, Answered } from "./answer.js";
export { readEvents } from "./events.js";
export type { ReadOptions, Retry } from "./events.js";
export type { Envelope } from "./envelope.js";
export { claim, escalate, reassign, release } from "./people.js";
export type { HandOverOptions } from "./people.js";
export type { Done, QuestionOptions } from "./question.js";
export type { Awaited, Received } from "./mail.js";
export { applyPatch } from "./patch.js";
export type { Json, Operation } from "./patch.js";
export { RequestError } from "./request.js";
export type { Code, HeadersSource, Problem } from "./request.js";
export { send } from "./send.js";
export type { SendOptions, Sent } from "./send.js";
export { initial, reduce } from "./state.js";
export type {
  Hold, Interrupt, Note, RunStatus, Segment, State, Structured, Task, TaskStatus, ToolCall,
} from "./state.js";
