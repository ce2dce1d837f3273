// The real binary, serving a folder on a port of this machine.

import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const binary = process.env.FERMATA ?? new URL("../../bin/fermata", import.meta.url).pathname;

export class Server {
  dir = mkdtempSync(join(tmpdir(), "fermata-console-"));
  url = "";
  #child;

  constructor(folder, ...flags) {
    this.folder = folder;
    this.flags = flags;
  }

  get #store() {
    return join(this.dir, "runs.db");
  }

  /** Runs the command on the store, and returns what it writes. */
  command(...args) {
    return execFileSync(binary, [...args, "--store", this.#store], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  }

  /** Starts; a second time on the same port, with the same store. */
  async start() {
    const listen = this.url ? new URL(this.url).host : "127.0.0.1:0";
    this.#child = spawn(binary, ["serve", this.folder, "--json", "--listen", listen, "--store", this.#store, "--drain", "2s", ...this.flags], {
      stdio: ["ignore", "pipe", process.env.E2E_LOG ? "inherit" : "ignore"], env: { ...process.env, FERMATA_E2E: this.dir, HOME: this.dir },
    });
    const lines = createInterface({ input: this.#child.stdout });
    const first = await new Promise((resolve, reject) => {
      lines.once("line", resolve);
      this.#child.once("exit", (code) => reject(new Error(`fermata serve ended with ${code}`)));
    });
    this.url = JSON.parse(first).url;
  }

  async stop() {
    const child = this.#child;
    if (!child || child.exitCode !== null) return;
    const over = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    await over;
  }

  async end() {
    await this.stop();
    rmSync(this.dir, { recursive: true, force: true });
  }

  async post(path, body) {
    const response = await fetch(this.url + path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
    const said = await response.json();
    if (!response.ok) throw new Error(JSON.stringify(said));
    return said;
  }

  /** Starts a run, and waits until it stands as wanted. */
  async run(definition, wanted = "paused", input = {}) {
    const { run } = await this.post("/api/runs", { definition, input, by: "Ada" });
    await this.stands(run, wanted);
    return run;
  }

  /** Begins a conversation, and says something in it. */
  async talk(dialogue, ...texts) {
    const { conversation } = await this.post(`/api/dialogues/${dialogue}/conversations`, {});
    for (const text of texts) await this.post(`/api/dialogues/${dialogue}/conversations/${conversation}/messages`, { text });
    return conversation;
  }

  async stands(run, wanted) {
    for (;;) {
      const now = await (await fetch(`${this.url}/api/runs/${run}`)).json();
      if (now.status === wanted) return now;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
