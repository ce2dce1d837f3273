export { answer } from "./answer.js";
export { readEvents } from "./events.js";
export { claim, escalate, reassign, release } from "./people.js";
export { applyPatch } from "./patch.js";
export { RequestError } from "./request.js";
export { send } from "./send.js";
export { initial, reduce } from "./state.js";
