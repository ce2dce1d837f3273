import { act } from "./question.js";
/** Reserves a question: nobody else can answer it until it is released. What somebody else has claimed is a conflict. */
export async function claim(o) {
    return act(o, "claim", {});
}
/** Gives a claimed question back. */
export async function release(o) {
    return act(o, "release", {});
}
/**
 * Has somebody else asked: a person, a role, or a person in a role. The deadline stays. Where somebody holds the question,
 * nobody else may, unless they are in its overrideRole: that is a RequestError with status 403 or 409.
 */
export async function reassign(o) {
    return act(o, "reassign", { to: o.to, toRole: o.toRole, note: o.note });
}
/** Has another role asked now; toRole must be there. */
export async function escalate(o) {
    return act(o, "escalate", { to: o.to, toRole: o.toRole, note: o.note });
}
