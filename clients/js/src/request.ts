/** Why a request was refused. */
export type Code =
  | "invalid" | "not_found" | "conflict" | "expired" | "unauthenticated" | "forbidden" | "stopped" | "store" | "internal" | (string & {});

/** One place of an answer that does not fit. */
export interface Problem {
  /** JSON pointer: "/items/0/name"; "" is the whole answer. */
  readonly path: string;
  /** What was expected there, and what was found. */
  readonly message: string;
}

/** A request that was refused. */
export class RequestError extends Error {
  override readonly name = "RequestError";

  constructor(
    message: string,
    /** The HTTP status; 0 where the refusal came within a stream. */
    readonly status: number,
    /** "invalid": see problems, and ask again; "conflict": somebody else was first; "expired": too late. */
    readonly code: Code,
    readonly problems: readonly Problem[] = [],
  ) {
    super(message);
  }
}

/** Headers to send: as they are, or a function that is called before each request, for tokens that expire. */
export type HeadersSource = HeadersInit | (() => HeadersInit | Promise<HeadersInit>);

export async function headersFrom(source: HeadersSource | undefined): Promise<Headers> {
  return new Headers(typeof source === "function" ? await source() : source);
}

/** The address of something below where the handler is mounted. */
export function address(url: string, ...path: string[]): string {
  return url.replace(/\/+$/, "") + "/" + path.map(encodeURIComponent).join("/");
}

/** What a response that is no success says. */
export async function refusal(response: Response): Promise<RequestError> {
  let text = "";
  try {
    text = await response.text();
  } catch {
    // the status alone has to do
  }
  return refusalFrom(text, response.status, `status ${response.status}`);
}

export function refusalFrom(text: string, status: number, otherwise: string): RequestError {
  let said: unknown;
  try {
    said = JSON.parse(text);
  } catch {
    // it comes from something in between, as a proxy
  }
  const { error, code, problems } = (typeof said === "object" && said !== null ? said : {}) as Record<string, unknown>;
  return new RequestError(
    typeof error === "string" ? error : otherwise,
    status,
    typeof code === "string" ? code : "internal",
    Array.isArray(problems) ? (problems as Problem[]) : [],
  );
}
