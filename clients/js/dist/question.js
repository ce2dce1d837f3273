import { address, headersFrom, refusal } from "./request.js";
/** Does something about a question. What the server refuses is a RequestError. */
export async function act(o, verb, body) {
    const headers = await headersFrom(o.headers);
    headers.set("Content-Type", "application/json");
    const send = o.fetch ?? fetch;
    const response = await send(address(o.url, "interrupts", o.interrupt, verb), {
        method: "POST",
        headers,
        body: JSON.stringify({ note: o.note, ...body, by: o.by, role: o.role, token: o.token }),
        signal: o.signal ?? null,
    });
    if (!response.ok)
        throw await refusal(response);
    return (await response.json());
}
