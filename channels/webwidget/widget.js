// The chat of a page: see package webwidget.
(() => {
  "use strict";

  // texts are what the widget says itself, by language. A page replaces some of them by attributes of the script.
  const texts = {
    en: { title: "Chat", label: "Open the chat", input: "Message", send: "Send", waiting: "Connecting…", refused: "This message could not be sent." },
    de: { title: "Chat", label: "Chat öffnen", input: "Nachricht", send: "Senden", waiting: "Verbindung wird aufgebaut …", refused: "Diese Nachricht konnte nicht gesendet werden." },
    fr: { title: "Discussion", label: "Ouvrir la discussion", input: "Message", send: "Envoyer", waiting: "Connexion…", refused: "Ce message n’a pas pu être envoyé." },
  };

  // textsOf are the texts of a language, "de-AT"; those in English for one that the widget does not have.
  const textsOf = (lang) => texts[lang.toLowerCase().split("-")[0]] || texts.en;

  // client speaks with the server. It is apart from what is shown, so that it runs without a page. A conversation begins in the
  // language that the user has changed to before, or else in lang, where the dialogue has it.
  function client({ base, storage, lang = "", onSaid, onState, onLanguage = () => {}, onRefused = () => {}, request = fetch }) {
    const key = "fermata:" + base;
    const wait = (ms) => new Promise((done) => setTimeout(done, ms));
    let state = load();
    let stopped = false;
    let sending = false;
    let stream = null;

    function load() {
      try {
        return { queue: [], ...JSON.parse(storage.getItem(key) || "{}") };
      } catch {
        return { queue: [] };
      }
    }

    function save() {
      try {
        storage.setItem(key, JSON.stringify(state));
      } catch {
        // a page without storage has a conversation as long as it is shown
      }
    }

    function headers(more) {
      return { ...(state.token ? { Authorization: "Bearer " + state.token } : {}), ...more };
    }

    // session gets a token, or renews the one that there is. Of calls at the same time one is made.
    let pending = null;
    function session(fresh = false) {
      pending ||= begin(fresh).finally(() => {
        pending = null;
      });
      return pending;
    }

    async function begin(fresh) {
      if (fresh) state = { queue: state.queue, chosen: state.chosen };
      const res = await request(base + "/session", { method: "POST", headers: headers() });
      if (!res.ok) throw new Error("no session: status " + res.status);
      state = { ...state, ...(await res.json()) };
      save();
      const opened = await request(base + "/conversations", { method: "POST", headers: headers(state.chosen || lang ? { "Accept-Language": state.chosen || lang } : {}) });
      if (!opened.ok) throw new Error("no conversation: status " + opened.status);
      const stands = await opened.json();
      if (stands.closed) await begin(true);
      else hears(stands.language);
    }

    // hears notes the language of the conversation. One that it has changed to is the user's choice.
    function hears(language) {
      if (!language) return;
      if (state.language && state.language !== language) state.chosen = language;
      state.language = language;
      save();
      onLanguage(language);
    }

    // renew begins another conversation, after one that is over.
    const renew = (was) => (state.conversation === was ? session(true) : pending);

    const address = (rest) => base + "/conversations/" + encodeURIComponent(state.conversation) + rest;

    // listen shows what is said, from the first event that this page does not show.
    async function listen() {
      let from = 0;
      for (let pause = 500; !stopped; pause = Math.min(2 * pause, 30000)) {
        let conversation = state.conversation;
        try {
          if (!conversation) await session();
          conversation = state.conversation;
          stream = new AbortController();
          const res = await request(address("/messages?after=" + from), { headers: headers({ Accept: "text/event-stream" }), signal: stream.signal });
          if (res.status === 403 || res.status === 404) {
            await session();
          } else if (res.ok) {
            onState("connected");
            for await (const event of events(res.body)) {
              pause = 500;
              if (event.id) from = Number(event.id);
              if (event.type === "message") onSaid(JSON.parse(event.data).said);
              if (event.type === "end") await renew(conversation);
              if (conversation !== state.conversation) break;
            }
          }
        } catch {
          // the connection is tried again
        }
        if (conversation !== state.conversation) from = 0;
        if (!stopped) {
          onState("waiting");
          await wait(pause * (0.5 + Math.random() / 2));
        }
      }
    }

    // flush sends what waits, in order, each until the server has answered it.
    async function flush() {
      if (sending) return;
      sending = true;
      for (let pause = 500; state.queue.length && !stopped; ) {
        let status = 0;
        try {
          if (!state.conversation) await session();
          const conversation = state.conversation;
          const res = await request(address("/messages"), { method: "POST", headers: headers({ "Content-Type": "application/json" }), body: JSON.stringify(state.queue[0]) });
          status = res.status;
          const text = await res.text();
          if (status === 200) hears(JSON.parse(text).language);
          if (status === 410) await renew(conversation);
          if (status === 403 || status === 404) await session();
        } catch {
          status = 0;
        }
        if (status === 200 || status === 400) {
          const { text } = state.queue.shift();
          save();
          if (status === 400) onRefused(text);
          pause = 500;
        } else if (!stopped) {
          await wait(pause * (0.5 + Math.random() / 2));
          pause = Math.min(2 * pause, 30000);
        }
      }
      sending = false;
    }

    return {
      async start() {
        for (let pause = 500; !stopped; pause = Math.min(2 * pause, 30000)) {
          try {
            await session();
            break;
          } catch {
            onState("waiting");
            await wait(pause);
          }
        }
        listen();
        flush();
      },
      say(text) {
        state.queue.push({ id: crypto.randomUUID(), text });
        save();
        flush();
      },
      stop() {
        stopped = true;
        if (stream) stream.abort();
      },
    };
  }

  // events are the server-sent events of a body.
  async function* events(body) {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += value;
      for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
        const event = { type: "message", data: "" };
        for (const line of text.slice(0, end).split("\n")) {
          const [, name, rest] = /^(\w*): ?(.*)$/.exec(line) || [];
          if (name === "event") event.type = rest;
          else if (name === "id") event.id = rest;
          else if (name === "data") event.data += rest;
        }
        text = text.slice(end + 2);
        if (event.data) yield event;
      }
    }
  }

  // show puts the chat on the page. All texts are set as texts: nothing that is said becomes markup.
  function show(script) {
    const host = document.body.appendChild(document.createElement("div"));
    const root = host.attachShadow({ mode: "closed" });
    const make = (tag, parent, properties) => Object.assign(parent.appendChild(document.createElement(tag)), properties);
    make("style", root, { textContent: style });
    const open = make("button", root, { className: "open", type: "button", textContent: "💬" });
    const panel = make("section", root, { className: "panel", hidden: true });
    const header = make("header", panel, {});
    const waiting = make("div", panel, { className: "waiting", hidden: true });
    waiting.setAttribute("role", "status");
    const lines = make("div", panel, { className: "lines" });
    lines.setAttribute("role", "log");
    const form = make("form", panel, {});
    const input = make("input", form, { autocomplete: "off", maxLength: 4000 });
    const send = make("button", form, { textContent: "➤" });
    const lang = script.dataset.lang || document.documentElement.lang || navigator.language || "en";
    let own;
    // speak shows the widget's own texts in a language: the page's at first, then that of the conversation.
    const speak = (lang) => {
      own = { ...textsOf(lang), ...script.dataset };
      root.querySelectorAll("button, section").forEach((e) => e.setAttribute("lang", lang));
      open.setAttribute("aria-label", own.label);
      panel.setAttribute("aria-label", own.title);
      header.textContent = own.title;
      waiting.textContent = own.waiting;
      input.placeholder = own.input;
      input.setAttribute("aria-label", own.input);
      send.setAttribute("aria-label", own.send);
    };
    speak(lang);
    const line = (by, text) => {
      const p = make("p", lines, { className: by, textContent: text });
      lines.scrollTop = lines.scrollHeight;
      return p;
    };
    const dropChoices = () => root.querySelectorAll(".choices").forEach((c) => c.remove());
    const talk = client({
      base: new URL(".", script.src).href.replace(/\/$/, ""),
      storage: localStorage,
      lang,
      onLanguage: speak,
      onRefused: () => line("refused", own.refused),
      onSaid(said) {
        dropChoices();
        line(said.by === "agent" ? "agent" : "bot", said.prompt);
        if (said.options && said.options.length) {
          const row = make("div", lines, { className: "choices" });
          for (const option of said.options) make("button", row, { type: "button", textContent: option, onclick: () => say(option) });
          lines.scrollTop = lines.scrollHeight;
        }
      },
      onState(state) {
        panel.classList.toggle("offline", state !== "connected");
        waiting.hidden = state === "connected";
      },
    });
    const say = (text) => {
      dropChoices();
      line("user", text);
      talk.say(text);
    };
    let started = false;
    open.onclick = () => {
      panel.hidden = !panel.hidden;
      if (!started) talk.start();
      started = true;
      if (!panel.hidden) input.focus();
    };
    form.onsubmit = (event) => {
      event.preventDefault();
      if (input.value.trim()) say(input.value);
      input.value = "";
    };
  }

  const style = `
    :host { all: initial; position: fixed; right: 1rem; bottom: 1rem; z-index: 2147483000; font: 15px/1.4 system-ui, sans-serif; }
    .open { float: right; width: 3.4rem; height: 3.4rem; border: 0; border-radius: 50%; background: #1f4f8f; color: #fff; font-size: 1.4rem; cursor: pointer; }
    .panel { width: min(22rem, calc(100vw - 2rem)); height: min(32rem, calc(100vh - 6rem)); margin-bottom: .6rem; display: flex; flex-direction: column;
      background: #fff; color: #1a1a1a; border: 1px solid #ccc; border-radius: .6rem; overflow: hidden; box-shadow: 0 .4rem 1.2rem #0003; }
    .panel[hidden] { display: none; }
    .offline header { opacity: .6; }
    header { padding: .7rem 1rem; background: #1f4f8f; color: #fff; font-weight: 600; }
    .waiting { padding: .3rem 1rem; color: #555; font-size: .85em; }
    .waiting[hidden] { display: none; }
    .lines { flex: 1; overflow-y: auto; padding: .8rem; display: flex; flex-direction: column; gap: .4rem; }
    p { margin: 0; padding: .45rem .7rem; border-radius: .8rem; max-width: 85%; white-space: pre-wrap; overflow-wrap: anywhere; align-self: flex-start; background: #eef1f5; }
    p.user { align-self: flex-end; background: #d6e6ff; }
    p.agent { background: #e5f5e3; }
    p.refused { background: #fdeaea; }
    .choices { display: flex; flex-wrap: wrap; gap: .4rem; }
    .choices button { border: 1px solid #1f4f8f; background: #fff; color: #1f4f8f; border-radius: 1rem; padding: .3rem .8rem; font: inherit; cursor: pointer; }
    form { display: flex; border-top: 1px solid #ccc; }
    input { flex: 1; min-width: 0; border: 0; padding: .8rem; font: inherit; }
    form button { border: 0; background: none; color: #1f4f8f; padding: 0 1rem; font-size: 1.1rem; cursor: pointer; }
  `;

  if (typeof document === "undefined") {
    globalThis.fermataWidget = { client, textsOf };
    return;
  }
  const script = document.currentScript;
  if (document.body) show(script);
  else document.addEventListener("DOMContentLoaded", () => show(script));
})();
