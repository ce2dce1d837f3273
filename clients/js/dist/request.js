/** A request that was refused. */
export class RequestError extends Error {
    status;
    code;
    problems;
    name = "RequestError";
    constructor(message, 
    /** The HTTP status; 0 where the refusal came within a stream. */
    status, 
    /** "invalid": see problems, and ask again; "conflict": somebody else was first; "expired": too late. */
    code, problems = []) {
        super(message);
        this.status = status;
        this.code = code;
        this.problems = problems;
    }
}
export async function headersFrom(source) {
    return new Headers(typeof source === "function" ? await source() : source);
}
/** The address of something below where the handler is mounted. */
export function address(url, ...path) {
    return url.replace(/\/+$/, "") + "/" + path.map(encodeURIComponent).join("/");
}
/** What a response that is no success says. */
export async function refusal(response) {
    let text = "";
    try {
        text = await response.text();
    }
    catch {
        // the status alone has to do
    }
    return refusalFrom(text, response.status, `status ${response.status}`);
}
export function refusalFrom(text, status, otherwise) {
    let said;
    try {
        said = JSON.parse(text);
    }
    catch {
        // it comes from something in between, as a proxy
    }
    const { error, code, problems } = (typeof said === "object" && said !== null ? said : {});
    return new RequestError(typeof error === "string" ? error : otherwise, status, typeof code === "string" ? code : "internal", Array.isArray(problems) ? problems : []);
}
