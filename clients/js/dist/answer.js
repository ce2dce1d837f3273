import { address, headersFrom, refusal } from "./request.js";
/**
 * Answers a question. The same answer again is accepted and has no effect, so a call that broke off can be made again.
 * An answer that is refused is a RequestError; with code "invalid" its problems say what does not fit, and the question
 * stays open.
 */
export async function answer(o) {
    if (o.value === undefined)
        throw new TypeError("answer: expected a value, found undefined; null is an answer");
    const headers = await headersFrom(o.headers);
    headers.set("Content-Type", "application/json");
    const send = o.fetch ?? fetch;
    const response = await send(address(o.url, "interrupts", o.interrupt, "answer"), {
        method: "POST",
        headers,
        body: JSON.stringify({ value: o.value, by: o.by, role: o.role, token: o.token }),
        signal: o.signal ?? null,
    });
    if (!response.ok)
        throw await refusal(response);
    return (await response.json());
}
