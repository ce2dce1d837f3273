// Shows the widget on a page of a few lines: node show.mjs SCRIPT PAGE_LANG BROWSER_LANG ATTRIBUTES prints the texts that it shows at
// first, after the conversation has changed to French, and when the server refuses a message. ATTRIBUTES are those of the script, as JSON.
import { readFileSync } from "node:fs";

const [file, page, browser, attributes] = process.argv.slice(2);

class Element {
  constructor(tag) {
    Object.assign(this, { tag, all: [], attributes: {}, style: {}, classList: { toggle() {} } });
  }
  appendChild(child) {
    this.all.push(child);
    return child;
  }
  attachShadow() {
    return this.appendChild(new Element("shadow"));
  }
  setAttribute(name, value) {
    this.attributes[name] = value;
  }
  querySelectorAll() {
    return [];
  }
  focus() {}
  find(tag) {
    return this.all.flatMap((e) => [...(e.tag === tag ? [e] : []), ...e.find(tag)]);
  }
}

const body = new Element("body");
globalThis.document = {
  body,
  documentElement: { lang: page },
  currentScript: { src: "https://bot.example.com/widget/widget.js", dataset: JSON.parse(attributes) },
  createElement: (tag) => new Element(tag),
};
Object.defineProperty(globalThis, "navigator", { value: { language: browser } });
globalThis.localStorage = { getItem: () => null, setItem: () => {} };
const answers = [
  { conversation: "web:1", token: "t" },
  { language: "fr", closed: false },
];
let asked;
globalThis.fetch = async (url, o = {}) => {
  if (url.endsWith("/conversations")) asked = o.headers["Accept-Language"];
  if (url.includes("/messages") && o.method !== "POST") return new Promise(() => {});
  return { ok: true, status: url.includes("/messages") ? 400 : 200, json: async () => answers.shift(), text: async () => "{}" };
};
new Function(readFileSync(file, "utf8"))();

const [open, send] = body.find("button");
const [input] = body.find("input");
const shown = () => ({
  open: open.attributes["aria-label"],
  title: body.find("header")[0].textContent,
  input: input.placeholder,
  send: send.attributes["aria-label"],
  waiting: body.find("div").find((e) => e.className === "waiting").textContent,
});
const first = shown();
open.onclick();
await new Promise((done) => setTimeout(done, 50));
input.value = "hello";
body.find("form")[0].onsubmit({ preventDefault() {} });
await new Promise((done) => setTimeout(done, 50));
console.log(JSON.stringify({ asked, first, then: shown(), said: body.find("p").map((p) => p.className + ": " + p.textContent) }));
process.exit(0);
