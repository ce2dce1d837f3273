import { act, type Done, type QuestionOptions } from "./question.js";

export interface HandOverOptions extends QuestionOptions {
  /** The one person who is asked. Defaults to whoever is in the role. */
  readonly to?: string | undefined;
  /** The role that is asked. Defaults to the question's own. */
  readonly toRole?: string | undefined;
  /** Why, for the record. */
  readonly note?: string | undefined;
}

/** Reserves a question: nobody else can answer it until it is released. What somebody else has claimed is a conflict. */
export async function claim(o: QuestionOptions): Promise<Done> {
  return act(o, "claim", {});
}

/** Gives a claimed question back. */
export async function release(o: QuestionOptions): Promise<Done> {
  return act(o, "release", {});
}

/**
 * Has somebody else asked: a person, a role, or a person in a role. The deadline stays. Where somebody holds the question,
 * nobody else may, unless they are in its overrideRole: that is a RequestError with status 403 or 409.
 */
export async function reassign(o: HandOverOptions): Promise<Done> {
  return act(o, "reassign", { to: o.to, toRole: o.toRole, note: o.note });
}

/** Has another role asked now; toRole must be there. */
export async function escalate(o: HandOverOptions): Promise<Done> {
  return act(o, "escalate", { to: o.to, toRole: o.toRole, note: o.note });
}
