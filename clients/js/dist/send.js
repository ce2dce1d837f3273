import { address, headersFrom, refusal } from "./request.js";
/**
 * Sends a message to a run. When it returns, the message is stored, whether or not the run waits for it yet. What the server
 * refuses is a RequestError: with code "conflict" the run has ended, with "invalid" the message was refused by the node.
 */
export async function send(o) {
    if (o.value === undefined)
        throw new TypeError("send: expected a value, found undefined; null is a message");
    if (o.messageID === "")
        throw new TypeError("send: expected a messageID, found an empty text; leave it out where the message has none");
    const headers = await headersFrom(o.headers);
    headers.set("Content-Type", "application/json");
    if (o.messageID !== undefined)
        headers.set("Idempotency-Key", o.messageID);
    const request = o.fetch ?? fetch;
    const wait = o.wait === undefined ? "" : "?wait=" + encodeURIComponent(o.wait);
    const response = await request(address(o.url, "runs", o.run, "messages", o.name) + wait, {
        method: "POST",
        headers,
        body: JSON.stringify(o.value),
        signal: o.signal ?? null,
    });
    if (!response.ok)
        throw await refusal(response);
    return (await response.json());
}
