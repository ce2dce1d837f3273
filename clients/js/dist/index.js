export { answer } from "./answer.js";
export { readEvents } from "./events.js";
export { applyPatch } from "./patch.js";
export { RequestError } from "./request.js";
export { initial, reduce } from "./state.js";
