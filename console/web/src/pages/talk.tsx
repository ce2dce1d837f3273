// One conversation, with those who hold it and those who look after it.

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { definition, questions } from "../api";
import { parse } from "../json";
import { addTexts, moment, t, tn, tx } from "../i18n";
import { useLive } from "../live";
import { may } from "../login";
import { link } from "../router";
import { store, stored } from "../storage";
import type { Look } from "../talk/api";
import { linesOf, scriptOf, stateOf, type Command, type Line, type Message, type Standing, type Turn } from "../talk/model";
import { useTalk, type Talk } from "../talk/state";
import { App, Copy, Failure, Heading, Icon, Loading, Said, say, shortID } from "../ui/parts";
import { Shown } from "../ui/value";
import { plain, Stands } from "../talk/stands";
import texts from "../../i18n/talks.en.json";

addTexts(texts);

export default function TalkPage({ dialogue, id }: { dialogue: string; id: string }): JSX.Element {
  const talk = useTalk(dialogue, id);
  const about = useLive("definition " + dialogue, (s) => definition(dialogue, s), 0);
  const desk = useSignal(stored("desk") ? stored("desk") === "open" : matchMedia("(min-width: 62rem)").matches);
  const s = talk.standing.data.value;
  const crumb = <p class="crumb"><App href={link(["conversations"])}><Icon name="left" />{t("nav.talks")}</App></p>;
  if (!s) return <>{crumb}<Heading title={dialogue} />{talk.standing.error.value ? <Failure error={talk.standing.error.value} again={talk.standing.again} /> : <Loading rows={5} />}</>;
  return (
    <div class={"talk" + (desk.value ? " desk" : "")}>
      <div class="top">
        {crumb}
        <Heading title={dialogue}>
          <button type="button" aria-pressed={desk.value} onClick={() => {
            desk.value = !desk.value;
            store("desk", desk.value ? "open" : "closed");
          }}><Icon name="search" />{t("talk.desk")}</button>
          <Taking talk={talk} s={s} />
        </Heading>
        <p class="facts">
          <Stands state={stateOf(s)} />
          <span class="id" title={id}>{shortID(id)}<Copy text={id} label={t("run.copyID")} /></span>
          {about.data.value?.languages && s.language && !s.closed && <Languages talk={talk} s={s} all={about.data.value.languages} />}
          <App href={link(["runs", id])}>{t("talk.journal")}</App>
        </p>
      </div>
      <section class="held card" aria-label={t("talk.talk")}>
        <Transcript talk={talk} s={s} id={id} />
        {s.closed ? <Over talk={talk} dialogue={dialogue} /> : <Composer talk={talk} s={s} />}
      </section>
      {desk.value && <Desk look={talk.look.value} s={s} />}
    </div>
  );
}

/** Takes a conversation over, and gives it back. */
function Taking({ talk, s }: { talk: Talk; s: Standing }): JSX.Element | null {
  const agent = s.handoff === true && talk.kept.value.agent;
  const busy = useSignal(false);
  const doing = async (work: () => Promise<unknown>): Promise<void> => {
    busy.value = true;
    await work();
    busy.value = false;
    document.getElementById("message")?.focus();
  };
  if (s.closed || s.busy) return null;
  if (agent) {
    return <button type="button" class="primary" disabled={busy.value} onClick={() => void doing(async () => {
      if (await talk.send({ agent: true, done: true })) {
        talk.speakAs(false);
        say(t("talk.gaveBack"));
      }
    })}><Icon name="retry" />{t("talk.giveBack")}</button>;
  }
  return <button type="button" class={s.handoff ? "primary" : ""} disabled={busy.value} onClick={() => void doing(async () => {
    const after = s.handoff ? s : await talk.send({ commands: [{ type: "handoff" }] });
    if (after?.handoff) talk.speakAs(true);
    else if (after) say(t("talk.noHandoff"), "failed");
  })}><Icon name="person" />{t("talk.takeOver")}</button>;
}

function Languages({ talk, s, all }: { talk: Talk; s: Standing; all: readonly string[] }): JSX.Element {
  const names = new Intl.DisplayNames(undefined, { type: "language" });
  return (
    <label class="inline">{t("language")}
      <select value={s.language} onChange={(e) => void talk.send({ language: e.currentTarget.value })}>
        {all.map((tag) => <option key={tag} value={tag} lang={tag}>{named(names, tag)}</option>)}
      </select>
    </label>
  );
}

function named(names: Intl.DisplayNames, tag: string): string {
  try {
    return names.of(tag) ?? tag;
  } catch {
    return tag;
  }
}

function Transcript({ talk, s, id }: { talk: Talk; s: Standing; id: string }): JSX.Element {
  const blind = talk.look.value === undefined && s.handoff === true && may("tasks");
  // who may take over, and may not read how messages were understood, is told by the question
  const told = useLive(`told ${id} ${blind}`, async (signal) => (blind ? scriptOf(plain((await questions({ run: id, limit: "1" }, signal)).rows[0]?.input)) : []), 2500);
  const way = talk.kept.value.outbox;
  const lines = blind && told.data.value?.length ? [...told.data.value, ...linesOf([], [], way.filter((m) => m.state !== "sent"))]
    : linesOf(talk.said.value, talk.look.value?.turns ?? [], way);
  const end = useRef<HTMLDivElement>(null);
  const near = useRef(true);
  const sent = talk.kept.value.outbox.at(-1)?.id;
  const works = talk.kept.value.outbox.some((m) => m.state === "sending" && !m.agent) && !s.handoff;
  const streamed = talk.streamed.value;
  const pieces = streamed.segments.reduce((n, x) => n + x.text.length, streamed.structured.length);
  useEffect(() => { // whoever reads further up is left there
    const watch = new IntersectionObserver(([e]) => (near.current = e!.isIntersecting), { rootMargin: "0px 0px 160px 0px" });
    if (end.current) watch.observe(end.current);
    return () => watch.disconnect();
  }, []);
  useEffect(() => {
    if (sent) near.current = true;
  }, [sent]);
  useEffect(() => {
    if (near.current) end.current?.scrollIntoView({ block: "end" });
  }, [lines.length, works, pieces, talk.ready.value, talk.kept.value.agent, s.pending?.id, s.handoff, s.busy]);
  return (
    <div class="log" role="log" aria-live="polite" aria-busy={!talk.ready.value} aria-label={t("talk.talk")} tabIndex={0}>
      <ol class="lines">
        {lines.map((line) => <One key={line.key} line={line} talk={talk} agent={talk.kept.value.agent} />)}
        {lines.length === 0 && talk.ready.value && <li class="aside">{t("talk.nothing")}</li>}
        {pieces > 0 && (
          <li class="line" data-by="bot">
            <div class="bubble" aria-busy="true">
              {streamed.segments.map((x) => <p key={x.opId + x.segmentId} class="said" dir="auto">{x.text}<span class="caret" /></p>)}
              {streamed.structured.map((x) => <Shown key={x.opId + x.segmentId} value={parse(JSON.stringify(x.value ?? null))} />)}
            </div>
          </li>
        )}
        {works && pieces === 0 && <li class="line" data-by="bot"><div class="bubble dots"><span class="unseen">{t("talk.works")}</span><i /><i /><i /></div></li>}
      </ol>
      <div class="end" ref={end} />
    </div>
  );
}

function One({ line, talk, agent }: { line: Line; talk: Talk; agent: boolean }): JSX.Element {
  if (line.by === "note") {
    return <li class="aside">{line.kind === "silence" ? t("talk.silence") : line.kind === "event" ? t("talk.event", { name: line.text }) : line.turn?.commands?.map(commandText).join(" · ")}</li>;
  }
  const m = line.message;
  const mine = line.by === (agent ? "agent" : "user");
  const time = line.turn && moment(Date.parse(line.turn.at));
  return (
    <li class="line" data-by={line.by} data-mine={mine ? "1" : undefined} data-state={m?.state}>
      <span class={line.by === "bot" ? "unseen" : "who"}>{t(`talk.by.${line.by}`)}</span>
      <div class="bubble" title={time}>
        {line.hidden ? <em class="nothing">{t("talk.hidden")}</em> : <p class="said" dir="auto"><Said text={line.text} /></p>}
      </div>
      {m && m.state !== "sent" && <Sending m={m} talk={talk} />}
    </li>
  );
}

/** How far a message is that is not taken yet. */
function Sending({ m, talk }: { m: Message; talk: Talk }): JSX.Element {
  if (m.state === "failed") {
    return (
      <div class="sending failed" role="alert">
        <Icon name="alert" /><span>{m.why === "over" ? t("talk.unsentOver") : t("talk.unsent", { why: m.why })}</span>
        {m.why !== "over" && <button type="button" class="linkish" onClick={() => talk.again(m.id)}>{t("again")}</button>}
        <button type="button" class="linkish" onClick={() => talk.forget(m.id)}>{t("talk.forget")}</button>
        <Copy text={m.text} label={t("talk.copy")} />
      </div>
    );
  }
  return <div class="sending" role="status">{m.why === "busy" ? t("talk.waitsBusy") : m.why === "unreachable" ? t("talk.waitsServer") : m.state === "waiting" ? t("talk.waitsTurn") : t("talk.sending")}</div>;
}

/** Where the next message is written. */
function Composer({ talk, s }: { talk: Talk; s: Standing }): JSX.Element {
  const box = useRef<HTMLTextAreaElement>(null);
  const agent = s.handoff === true && talk.kept.value.agent;
  const draft = talk.kept.value.draft;
  useEffect(() => {
    if (talk.kept.value.agent && !s.handoff && s.seq > 0) talk.speakAs(false); // it was given back elsewhere
  }, [s.handoff]);
  useEffect(() => {
    if (matchMedia("(pointer: fine)").matches) box.current?.focus({ preventScroll: true });
  }, []);
  const send = (text: string): void => {
    box.current?.focus();
    if (text.trim() === "") return;
    void talk.send({ text, ...(agent ? { agent: true } : s.pending?.id ? { question: s.pending.id } : {}) });
  };
  const submit = (): void => {
    send(draft);
    talk.write("");
  };
  const options = agent || s.handoff ? [] : s.pending?.options ?? [];
  const rows = Math.min(8, Math.max(1, draft.split("\n").length + Math.floor(draft.length / 120)));
  return (
    <form class="composer" data-agent={agent ? "1" : undefined} onSubmit={(e) => {
      e.preventDefault();
      submit();
    }}>
      {s.busy && <p class="note slight"><Icon name="hourglass" />{t("talk.busy")}</p>}
      {s.handoff && <p class="note slight"><Icon name="person" />{agent ? t("talk.youHave") : t("talk.handed")}</p>}
      {options.length > 0 && (
        <div class="replies" role="group" aria-label={t("talk.replies")}>
          {options.map((text) => <button key={text} type="button" onClick={() => send(text)}><Said text={text} /></button>)}
        </div>
      )}
      <div class="box">
        <label class="unseen" for="message">{agent ? t("talk.asPerson") : t("talk.message")}</label>
        <textarea id="message" ref={box} dir="auto" rows={rows} value={draft} placeholder={agent ? t("talk.asPerson") : t("talk.message")} aria-describedby="keys" enterkeyhint="send"
          onInput={(e) => talk.write(e.currentTarget.value)} onKeyDown={(e) => {
            if (e.key !== "Enter" || e.shiftKey || e.isComposing) return;
            e.preventDefault();
            submit();
          }} />
        <button class="primary" disabled={draft.trim() === ""} aria-label={t("talk.send")} title={t("talk.send")}><Icon name="up" /></button>
      </div>
      <p id="keys" class="help">{t("talk.keys")}</p>
    </form>
  );
}

function Over({ talk, dialogue }: { talk: Talk; dialogue: string }): JSX.Element {
  const draft = talk.kept.value.draft;
  return (
    <div class="composer">
      <p class="note slight" role="status"><Icon name="check" />{t("talk.over")}</p>
      {draft.trim() !== "" && <p class="foot"><span class="faint">{t("question.yours")}</span><Copy text={draft} label={t("talk.copy")} /></p>}
      <App class="button primary" href={link(["definitions", dialogue])}><Icon name="talk" />{t("talk.another")}</App>
    </div>
  );
}

// What the desk sees

function Desk({ look, s }: { look: Look | undefined; s: Standing }): JSX.Element {
  if (!look) return <aside class="side" aria-label={t("talk.desk")}><p class="faint">{t("talk.noLook")}</p></aside>;
  const misses = look.turns.filter((x) => x.marks.includes("miss")).length;
  const turns = [...look.turns].reverse();
  return (
    <aside class="side" aria-label={t("talk.desk")} tabIndex={0}>
      <section class="card" aria-labelledby="flows">
        <header><h2 id="flows">{t("talk.flows")}</h2></header>
        {look.flows.length === 0 ? <p class="faint">{t("talk.noFlow")}</p> : (
          <ol class="flows">
            {look.flows.map((f, i) => <li key={i} aria-current={i === 0 ? "step" : undefined}><b><Said text={f.flow ?? ""} /></b>{f.step && <span class="sub"><Said text={f.step} /></span>}{f.slot && <span class="chip"><Said text={f.slot} /></span>}</li>)}
          </ol>
        )}
        {s.pending?.type && <p class="faint">{tx("talk.asks." + s.pending.type, s.pending.type)}</p>}
      </section>
      <section class="card" aria-labelledby="known">
        <header><h2 id="known">{t("talk.slots")}</h2></header>
        {look.slots instanceof Map && look.slots.size > 0 ? <Shown value={look.slots} /> : <p class="faint">{t("talk.noSlots")}</p>}
      </section>
      <section class="card" aria-labelledby="heard">
        <header><h2 id="heard">{t("talk.heard")}</h2>{misses > 0 && <span class="chip missed"><Icon name="alert" />{tn("talk.misses", misses)}</span>}</header>
        {turns.length === 0 ? <p class="faint">{t("talk.noTurns")}</p> : <ol class="heard">{turns.map((x) => <Heard key={x.seq} turn={x} />)}</ol>}
      </section>
    </aside>
  );
}

const bad = new Set(["miss", "rejection", "clarification"]);

function Heard({ turn: x }: { turn: Turn }): JSX.Element {
  const marks = x.marks.filter((m) => bad.has(m) || !x.commands?.length);
  return (
    <li>
      <p class="quote" dir="auto">{x.hidden ? <em class="nothing">{t("talk.hidden")}</em> : x.text ? <Said text={x.text} /> : <em class="nothing">{t("talk.wordless")}</em>}</p>
      <p class="sub">
        {marks.map((m) => <span key={m} class={"chip" + (bad.has(m) ? " missed" : "")}>{tx("mark." + m, m)}</span>)}
        {x.commands?.map((c, i) => <span key={i} class="chip" title={c.source ? tx("source." + c.source, c.source) : ""}><bdi>{commandText(c)}</bdi></span>)}
      </p>
      {(x.place.flow || x.place.slot) && <p class="sub faint">{t("talk.at", { place: [x.place.flow, x.place.step, x.place.slot].filter((p, i, all) => p && all.indexOf(p) === i).join(" › ") })}</p>}
    </li>
  );
}

/** What was understood, in a few words. */
function commandText(c: Command): string {
  const value = c.slot_value === undefined ? "" : typeof c.slot_value === "string" ? c.slot_value : JSON.stringify(c.slot_value);
  const text = tx("heard." + c.type, c.type, {
    flow: c.flow_name ?? "", slot: c.slot_name ?? "", value: value || "…", options: (c.options ?? []).join(", "), choice: c.choice ?? "", language: c.language ?? "",
  }).trim();
  return c.confidence && c.confidence < 1 ? `${text} (${Math.round(c.confidence * 100)} %)` : text;
}
