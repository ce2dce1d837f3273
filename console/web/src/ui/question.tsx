// One question: what is asked, with what evidence, until when, and the form of its answer.

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import texts from "../../i18n/question.en.json";
import { answer, keep, questions, Refusal, type Question } from "../api";
import { Fields, spoken, toWrong } from "../form/view";
import { useFilling, type Filling } from "../form/state";
import { member, type Obj, type Value } from "../json";
import type { Entry } from "../form/model";
import { addTexts, moment, t, tx } from "../i18n";
import { refresh, useLive } from "../live";
import { link } from "../router";
import { may } from "../login";
import { me } from "../settings";
import { store, stored } from "../storage";
import { decided, draftNames, keptBy, partsOf } from "../run/told";
import { askedOf, promptOf, taskName } from "./asked";
import { Ago, App, Copy, Icon, Said, say } from "./parts";
import { Shown, Text } from "./value";
import { named, NameField, Problems } from "./who";

addTexts(texts);

/** Where the plan is not given, the card is on the page of its run. */
export default function QuestionCard(p: {
  q: Question; plan?: string | undefined; heading?: "h2" | "h3"; answered?: () => void; closed?: boolean;
}): JSX.Element {
  return p.q.kind === "dialogue" ? <Handed {...p} /> : <Asked {...p} />;
}

/** A conversation that waits for a person: it is held on its own page. */
function Handed({ q, plan, heading: H = "h2" }: { q: Question; plan?: string | undefined; heading?: "h2" | "h3" }): JSX.Element {
  const handed = member(q.input, "handoff") === true;
  const lines = member(q.input, "transcript");
  const last = (Array.isArray(lines) ? lines : []).filter((l) => member(l, "by") !== "bot").at(-1);
  return (
    <article class="question" aria-labelledby={q.requestId}>
      <p class="over">
        {plan && <App href={link(["definitions", plan])}><Said text={plan} /></App>}
        {q.requiredRole && <span class="chip"><Icon name="person" /><Said text={q.requiredRole} /></span>}
      </p>
      <H id={q.requestId} class="prompt" tabIndex={-1}>{t(handed ? "talk.handedTitle" : "talk.userTitle")}</H>
      {q.opened && <p class="facts"><span>{t("question.asked")} <Ago at={q.opened / 1000} /></span></p>}
      {last !== undefined && <div class="evidence"><Text text={String(member(last, "text") ?? "")} /></div>}
      {plan && <p><App class="button primary" href={link(["conversations", plan, q.run])}><Icon name="talk" />{t("talk.open")}</App></p>}
    </article>
  );
}

function Asked({ q, plan, heading: H = "h2", answered, closed = false }: {
  q: Question; plan?: string | undefined; heading?: "h2" | "h3"; answered?: () => void; closed?: boolean;
}): JSX.Element {
  const gone = useSignal<Refusal | undefined>(undefined);
  useEffect(() => {
    gone.value = undefined;
  }, [q.requestId]);
  const reason = q.notByNodes?.length ? t("question.notBy", { nodes: q.notByNodes.join(", ") }) : q.fourEyes ? t("question.fourEyes") : "";
  return (
    <article class="question" aria-labelledby={q.requestId}>
      <p class="over">
        {plan && <App href={link(["definitions", plan])}><Said text={plan} /></App>}
        <span><Said text={taskName(q.task)} /></span>
        {q.requiredRole && <span class="chip"><Icon name="person" /><Said text={q.requiredRole} /></span>}
        {q.claimedBy && <span class="chip claimed"><Icon name="person" /><Said text={askedOf(q)} /></span>}
        {q.assignee && !q.claimedBy && <span class="chip"><Icon name="person" />{t("question.for", { who: q.assigneeName ?? q.assignee })}</span>}
      </p>
      <H id={q.requestId} class="prompt" tabIndex={-1} dir="auto"><Text text={promptOf(q)} /></H>
      <p class="facts">
        {q.opened && <span>{t("question.asked")} <Ago at={q.opened / 1000} /></span>}
        {plan !== undefined && <App href={link(["runs", q.run])}>{t("question.run")}</App>}
        {q.deadline && <Deadline q={q} />}
      </p>
      {reason && <p class="note slight"><Icon name="person" />{reason}</p>}
      <Evidence q={q} />
      {(closed || gone.value) && <Closed q={q} error={gone.value} />}
      <Answering key={q.requestId} q={q} closed={closed || gone.value !== undefined} lost={(error) => (gone.value = error)} answered={answered} />
    </article>
  );
}

/** What happens when nobody answers. */
function Deadline({ q }: { q: Question }): JSX.Element {
  const what = q.atDeadline ?? {};
  const does = String(what["do"] ?? "fail");
  const given = what["answer"];
  const answer_ = typeof given === "string" ? given : typeof given === "object" && given !== null ? String((given as Record<string, unknown>)["action"] ?? JSON.stringify(given)) : JSON.stringify(given);
  const then = tx("deadline." + does, does, { answer: answer_, to: String(what["target"] ?? what["to"] ?? what["role"] ?? what["toRole"] ?? what["requiredRole"] ?? "") });
  return <span class="due" title={moment(q.deadline! / 1000)}><Icon name="hourglass" />{t("question.due")} <Ago at={q.deadline! / 1000} />: {then}</span>;
}

function Evidence({ q }: { q: Question }): JSX.Element | null {
  const input = q.input;
  if (input === undefined || input === null || (input instanceof Map && input.size === 0)) return null;
  if (q.kind === "review" && input instanceof Map) {
    const evidence = input.get("evidence");
    return (
      <div class="evidence">
        {evidence instanceof Map && evidence.size > 0 && <Shown value={evidence} depth={1} />}
        {input.has("value") && <div class="reviewed"><h3>{t("review.value")}</h3><Shown value={input.get("value")} depth={1} /></div>}
      </div>
    );
  }
  return <div class="evidence"><Shown value={input} depth={1} /></div>;
}

/** It was decided meanwhile: who did, and how. */
function Closed({ q, error }: { q: Question; error: Refusal | undefined }): JSX.Element {
  const outcome = useLive("outcome " + q.requestId, async (s) => {
    const { rows } = await questions({ run: q.run, state: "answered,expired,withdrawn", limit: "1000" }, s);
    return rows.find((x) => x.requestId === q.requestId);
  }, 0).data.value;
  const by = outcome?.answeredByName ?? outcome?.answeredBy ?? "";
  const { action, note, rest } = partsOf(outcome?.answer);
  return (
    <div class="note closed" role="alert">
      <Icon name="check" />
      <div>
        <strong>{by ? t("question.answeredBy", { who: by }) : outcome ? tx("question." + outcome.state, outcome.state) : error?.code === "expired" ? t("question.expired") : t("question.conflict")}</strong>
        {action && <p>{tx("action." + action, spoken(action))}{note && <>: <Said text={note} /></>}</p>}
        {rest !== undefined && <Shown value={rest} depth={1} />}
        {!outcome && error && <p><Said text={error.message} /></p>}
      </div>
    </div>
  );
}

/** What was filled in and cannot be sent any more is at least not lost. */
function Rest({ texts }: { texts: readonly string[] }): JSX.Element | null {
  const written = texts.filter((x) => x.trim() !== "").join("\n");
  if (written === "") return null;
  return <div class="foot"><span class="faint">{t("question.yours")}</span><Copy text={written} label={t("question.copy")} /></div>;
}

function textsOf(entries: readonly Entry[]): string[] {
  return entries.flatMap((e) => [e.text ?? "", ...(e.forms ?? []).flatMap(textsOf)]);
}

interface AnsweringParts {
  readonly q: Question;
  readonly closed: boolean;
  readonly lost: (error: Refusal) => void;
  readonly answered?: (() => void) | undefined;
}

function Answering(p: AnsweringParts): JSX.Element {
  if (!may("tasks")) return <p class="faint">{t("question.mayNot")}</p>;
  const actions = p.q.kind === "review" || p.q.kind === "approval" ? actionsOf(p.q.responseSchema) : undefined;
  return actions ? <Acting {...p} actions={actions} /> : <Plain {...p} />;
}

function actionsOf(schema: Value | undefined): string[] | undefined {
  const all = member(member(member(schema, "properties"), "action"), "enum");
  return Array.isArray(all) && all.length > 0 && all.every((a) => typeof a === "string") ? (all as string[]) : undefined;
}

/** Whether a question that was refused is only kept by somebody. Where the server does not say, it is. */
async function stillOpen(q: Question): Promise<boolean> {
  try {
    return (await questions({ prefix: q.requestId, limit: "1" })).rows.some((x) => x.requestId === q.requestId);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return true;
  }
}

/** Sends answers, and says what came of it. */
function useSending(p: AnsweringParts): {
  busy: boolean; problems: readonly string[];
  send: (value: string, fill: Filling | undefined) => Promise<boolean>;
  claim: (what: "claim" | "release") => Promise<void>;
} {
  const busy = useSignal(false);
  const problems = useSignal<readonly string[]>([]);
  const who = { by: me.value, role: p.q.requiredRole };
  const doing = async (work: () => Promise<void>, fill?: Filling): Promise<boolean> => {
    busy.value = true;
    problems.value = [];
    try {
      await work();
      return true;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error.code === "conflict" && (await stillOpen(p.q))) {
        problems.value = [t("question.changed")];
        refresh();
      } else if (error.code === "conflict" || error.code === "expired" || error.status === 404) p.lost(error);
      else if (error.code === "invalid" && fill && error.problems.length > 0) problems.value = fill.refused(error.problems);
      else problems.value = [error.status === 0 ? t("error.unreachable") : error.message];
      return false;
    } finally {
      busy.value = false;
    }
  };
  return {
    busy: busy.value,
    problems: problems.value,
    async send(value, fill) {
      const ok = await doing(() => answer(p.q.requestId, value, who), fill);
      if (ok) {
        for (const name of Object.values(draftNames(p.q.requestId))) store(name, undefined);
        say(t("question.answered"));
        p.answered?.();
        refresh();
      }
      return ok;
    },
    async claim(what) {
      if (!named()) return;
      if (await doing(() => keep(p.q.requestId, what, who))) {
        say(t(what === "claim" ? "question.claimed" : "question.released"));
        refresh();
      }
    },
  };
}

/** The form of any question. */
function Plain(p: AnsweringParts): JSX.Element {
  const fill = useFilling(p.q.responseSchema, p.q.options, draftNames(p.q.requestId).draft);
  const sending = useSending(p);
  const ref = useRef<HTMLFormElement>(null);
  const submit = async (e: Event): Promise<void> => {
    e.preventDefault();
    if (sending.busy || keptBy(p.q, me.value)) return;
    const value = fill.answer();
    if (value === undefined || !named() || !(await sending.send(value, fill))) toWrong(ref.current);
  };
  return (
    <form ref={ref} class="form" onSubmit={(e) => void submit(e)} noValidate>
      <Fields form={fill.form} entries={fill.entries.value} set={fill.set} wrong={fill.wrong.value} id={p.q.requestId} at="" disabled={p.closed} />
      <Problems list={sending.problems} />
      {p.closed ? <Rest texts={textsOf(fill.entries.value)} /> : (
        <Foot q={p.q} busy={sending.busy} claim={sending.claim}><button class="primary" disabled={sending.busy}><Icon name="check" />{t("question.answer")}</button></Foot>
      )}
    </form>
  );
}

/** A review, or the approval of a call: one action, with what that action needs. */
function Acting(p: AnsweringParts & { actions: string[] }): JSX.Element {
  const schema = p.q.responseSchema as Obj;
  const { draft, edit } = draftNames(p.q.requestId);
  const begun = useMemo(() => decided(stored(draft), p.actions), [draft]);
  const chosen = useSignal(begun.action);
  const note = useSignal(begun.note);
  const keep = (): void => store(draft, JSON.stringify({ action: chosen.value, note: note.value }));
  const wrong = useSignal("");
  const edited = p.q.kind === "approval" ? "arguments" : "value";
  const reason = p.q.kind === "approval" ? "reason" : "note";
  const inner = useEdited(schema, edited, p.q, edit);
  const sending = useSending(p);
  const ref = useRef<HTMLFormElement>(null);
  const needsNote = chosen.value === "send_back";
  const takesNote = chosen.value !== "" && chosen.value !== "edit" && member(schema.get("properties"), reason) !== undefined && (p.q.kind === "review" || chosen.value === "deny");
  const submit = async (e: Event): Promise<void> => {
    e.preventDefault();
    if (sending.busy || keptBy(p.q, me.value)) return;
    wrong.value = "";
    if (chosen.value === "") wrong.value = t("form.choose");
    else if (needsNote && note.value.trim() === "") wrong.value = t("review.needsNote");
    let value = `{"action":${JSON.stringify(chosen.value)}`;
    if (chosen.value === "edit") {
      const v = inner.answer();
      if (v === undefined) {
        toWrong(ref.current);
        return;
      }
      value += `,${JSON.stringify(edited)}:${v}`;
    } else if (takesNote && note.value.trim() !== "") value += `,${JSON.stringify(reason)}:${JSON.stringify(note.value)}`;
    if (wrong.value !== "" || !named() || !(await sending.send(value + "}", chosen.value === "edit" ? inner : undefined))) toWrong(ref.current);
  };
  return (
    <form ref={ref} class="form" onSubmit={(e) => void submit(e)} noValidate>
      <fieldset class="field" disabled={p.closed} data-wrong={wrong.value && !(needsNote && chosen.value) ? "1" : undefined}>
        <legend>{t("review.decision")}</legend>
        <div class="choices actions">
          {p.actions.map((a) => (
            <label key={a} class="choice" data-action={a}>
              <input type="radio" name={p.q.requestId + "-action"} checked={chosen.value === a} onChange={() => {
                chosen.value = a;
                wrong.value = "";
                keep();
              }} />
              {tx("action." + a, spoken(a))}
            </label>
          ))}
        </div>
        {wrong.value && !(needsNote && chosen.value) && <p class="wrong"><Icon name="alert" />{wrong.value}</p>}
      </fieldset>
      {chosen.value === "edit" && (
        <div class="edited">
          <Fields form={inner.form} entries={inner.entries.value} set={inner.set} wrong={inner.wrong.value} id={p.q.requestId + "-edit"} at="" disabled={p.closed} />
        </div>
      )}
      {takesNote && (
        <div class="field" data-wrong={wrong.value ? "1" : undefined}>
          <label for={p.q.requestId + "-note"}>{t("review.note")}{!needsNote && <span class="optional"> {t("form.optional")}</span>}</label>
          <textarea id={p.q.requestId + "-note"} dir="auto" rows={3} value={note.value} disabled={p.closed} aria-invalid={wrong.value ? true : undefined}
            onInput={(e) => {
              note.value = e.currentTarget.value;
              keep();
            }} />
          {wrong.value && <p class="wrong"><Icon name="alert" />{wrong.value}</p>}
        </div>
      )}
      <Problems list={sending.problems} />
      {p.closed ? <Rest texts={[note.value, ...(chosen.value === "edit" ? textsOf(inner.entries.value) : [])]} /> : (
        <Foot q={p.q} busy={sending.busy} claim={sending.claim}><button class="primary" disabled={sending.busy}><Icon name="check" />{t("question.answer")}</button></Foot>
      )}
    </form>
  );
}

/** The form in which what is reviewed is edited; it begins with what is there. */
function useEdited(schema: Obj, name: string, q: Question, draft: string): Filling {
  const part = member(schema.get("properties"), name);
  const now = member(q.input, name);
  const doc: Obj = new Map(part instanceof Map ? part : []);
  if (now !== undefined && now !== null) doc.set("default", now);
  for (const defs of ["$defs", "definitions"]) if (schema.has(defs)) doc.set(defs, schema.get(defs)!);
  return useFilling(doc, undefined, draft);
}

function Foot({ q, busy, claim, children }: {
  q: Question; busy: boolean; claim: (what: "claim" | "release") => Promise<void>; children: JSX.Element;
}): JSX.Element {
  const holder = keptBy(q, me.value);
  return (
    <div class="foot">
      {!holder && children}
      {holder ? <p class="kept"><Icon name="person" />{t("question.keeps", { who: holder })}</p> : q.state === "claimed"
        ? <button type="button" disabled={busy} onClick={() => void claim("release")}>{t("question.release")}</button>
        : <button type="button" disabled={busy} onClick={() => void claim("claim")}>{t("question.claim")}</button>}
      <NameField id={q.requestId + "-me"} />
    </div>
  );
}
