// Speaks by the script's own client: node talk.mjs SCRIPT BASE ORIGIN STATE TEXT… prints what is said, a line of JSON each,
// and a line "state" for changes of the connection. STATE is a file in the place of the browser's storage.
import { readFileSync, renameSync, writeFileSync } from "node:fs";

const [script, base, origin, file, ...texts] = process.argv.slice(2);
new Function(readFileSync(script, "utf8"))();
const storage = {
  getItem: () => {
    try {
      return readFileSync(file, "utf8");
    } catch {
      return null;
    }
  },
  setItem: (_, value) => {
    writeFileSync(file + ".new", value); // this program may be ended at any moment: a browser's storage is whole then
    renameSync(file + ".new", file);
  },
};
const talk = globalThis.fermataWidget.client({
  base,
  storage,
  request: (url, o = {}) => fetch(url, { ...o, headers: { ...o.headers, Origin: origin } }),
  lang: process.env.PAGE_LANG,
  onLanguage: (language) => console.log(JSON.stringify({ language, send: globalThis.fermataWidget.textsOf(language).send })),
  onRefused: (text) => console.log(JSON.stringify({ refused: text })),
  onSaid: (said) => console.log(JSON.stringify({ said: said.prompt, options: said.options || [] })),
  onState: (state) => console.log(JSON.stringify({ state })),
});
for (const text of texts) talk.say(text);
await talk.start();
