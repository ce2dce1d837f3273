/** One server-sent event. */
export interface Frame {
  /** Its type; "" where it has none. */
  readonly event: string;
  readonly data: string;
}

/**
 * Takes a stream of server-sent events apart, whatever pieces it comes in: a piece may end within a line, between the
 * two halves of CR LF, or within a character. What the stream breaks off in the middle of is no event.
 */
export class Parser {
  /** How long to wait before coming back, in milliseconds, where the stream has said so. */
  retry: number | undefined;

  #decoder = new TextDecoder(); // drops a byte order mark, and keeps the first half of a character for the second
  #line = "";
  #afterCR = false;
  #event = "";
  #data: string[] = [];

  /** The events that are complete with these bytes. */
  push(bytes: Uint8Array): Frame[] {
    const frames: Frame[] = [];
    let text = this.#decoder.decode(bytes, { stream: true });
    if (text === "") return frames;
    if (this.#afterCR && text.startsWith("\n")) text = text.slice(1);
    this.#afterCR = text === "" ? false : text.endsWith("\r");
    const lines = text.split(/\r\n|\n|\r/);
    for (let i = 0; i < lines.length - 1; i++) {
      const frame = this.#take(this.#line + lines[i]!);
      if (frame) frames.push(frame);
      this.#line = "";
    }
    this.#line += lines[lines.length - 1]!;
    return frames;
  }

  #take(line: string): Frame | undefined {
    if (line === "") {
      const frame = { event: this.#event, data: this.#data.join("\n") };
      const some = this.#data.length > 0;
      this.#event = "";
      this.#data = [];
      return some ? frame : undefined;
    }
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    let value = colon < 0 ? "" : line.slice(colon + 1);
    if (value.startsWith(" ")) value = value.slice(1);
    switch (field) {
      case "event":
        this.#event = value;
        break;
      case "data":
        this.#data.push(value);
        break;
      case "retry":
        if (/^[0-9]+$/.test(value)) this.retry = Number(value);
        break;
    } // a comment has no name; the id is in the envelope, too
    return undefined;
  }
}
