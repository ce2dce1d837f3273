// A wire between a browser and a server that sees the feeds on it, and can be cut.

import { connect, createServer } from "node:net";

export class Wire {
  url = "";
  /** Whether feeds are cut as soon as they are asked for. */
  cut = false;
  /** The connections on which a feed is open. */
  #feeds = new Set();
  #listener;

  async start(url) {
    const { port } = new URL(url);
    this.#listener = createServer((near) => {
      const far = connect(Number(port), "127.0.0.1");
      near.on("data", (piece) => {
        if (piece.toString("latin1").startsWith("GET /api/feed")) {
          if (this.cut) near.destroy();
          else this.#feeds.add(near);
        }
      });
      const over = () => {
        this.#feeds.delete(near);
        near.destroy();
        far.destroy();
      };
      for (const end of [near, far]) end.on("error", over).on("close", over);
      near.pipe(far).pipe(near);
    });
    await new Promise((resolve) => this.#listener.listen(0, "127.0.0.1", resolve));
    this.url = "http://127.0.0.1:" + this.#listener.address().port;
  }

  get feeds() {
    return this.#feeds.size;
  }

  /** Waits until so many feeds are open. */
  async has(n) {
    while (this.feeds !== n) await new Promise((resolve) => setTimeout(resolve, 20));
  }

  /** Cuts the feeds that are open, and all that follow. */
  sever() {
    this.cut = true;
    for (const near of [...this.#feeds]) near.destroy();
  }

  end() {
    this.#listener.close();
  }
}
