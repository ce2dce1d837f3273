// One run: how it stands, what it waits for, why it failed, and everything that happened, at any entry.

import { useComputed, useSignal, type Signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { cancel, drawing, Refusal, retry, run as loadRun, stateAt, type Question, type Run } from "../api";
import type { State } from "../../../../clients/js/src/state";
import { encode, type Value } from "../json";
import { clock, duration, moment, number, t, tn, tx } from "../i18n";
import { now, refresh, useLive } from "../live";
import { may } from "../login";
import { link } from "../router";
import { useEvents } from "../run/follow";
import { endOf, looksOf, scale, standing, toShow, type Entry, type Standing, type Task } from "../run/model";
import { me } from "../settings";
import { Drawing } from "../ui/drawing";
import { Ago, App, Copy, Dialog, Empty, Failure, Heading, Icon, Loading, Said, say, shortID, Status } from "../ui/parts";
import { NameField, Problems, promptOf, QuestionCard } from "../ui/question";
import { Card, Shown } from "../ui/value";

const open = new Set(["running", "paused", "blocked"]);
const retried = new Set(["failed", "expired", "blocked"]);

const mostSeen = 20;

export function RunPage({ id }: { id: string }): JSX.Element {
  const info = useLive("run " + id, (s) => loadRun(id, s), 15_000);
  const { entries, said, ready } = useEvents(id, info.again, info.data.value?.seq ?? 0);
  // What somebody reads or answers does not vanish under their hands when another person answers it.
  const seen = useRef<readonly Question[]>([]);
  const done = useRef(new Set<string>());
  const at = useSignal(0); // the entry that is looked at; 0 is the last one
  useEffect(() => {
    at.value = 0;
    seen.current = [];
    done.current.clear();
  }, [id]);
  const latest = useComputed(() => standing(entries.value));
  const shown = useComputed(() => (at.value === 0 ? latest.value : standing(entries.value, at.value)));
  const r = info.data.value;
  if (info.error.value && !r) return <><Heading title={shortID(id)} /><Failure error={info.error.value} again={info.again} /></>;
  if (!r) return <><Heading title={shortID(id)} /><Loading rows={6} /></>;
  const talk = r.interrupts.some((q) => q.kind === "dialogue");
  const { closed } = toShow(seen.current, r.interrupts, done.current);
  seen.current = [...closed, ...r.interrupts].slice(-mostSeen);
  const s = latest.value;
  const status = entries.value.length > 0 && entries.value.length >= r.seq ? s.status : r.status;
  return (
    <>
      <p class="crumb"><App href={link(["runs"])}><Icon name="left" />{t("nav.runs")}</App></p>
      <Head r={r} status={status} entries={entries.value} s={s} />
      {(status === "failed" || status === "blocked" || status === "expired" || status === "cancelled") && <Why r={r} s={s} status={status} />}
      {closed.length + r.interrupts.length > 0 && (
        <section class="asks" aria-labelledby="asks">
          <h2 id="asks" class="unseen">{t("run.waitsFor")}</h2>
          {closed.map((q) => <div key={q.requestId} class="card accent"><QuestionCard q={q} heading="h3" closed /></div>)}
          {r.interrupts.map((q, i) => r.interrupts.length === 1
            ? <div key={q.requestId} class="card accent"><QuestionCard q={q} heading="h3" plan={talk ? r.plan : undefined} answered={() => done.current.add(q.requestId)} /></div>
            : (
              <details key={q.requestId} class="card accent ask" name="asks" open={i === 0}>
                <summary><Icon name="person" /><Said text={promptOf(q)} /></summary>
                <QuestionCard q={q} heading="h3" answered={() => done.current.add(q.requestId)} />
              </details>
            ))}
        </section>
      )}
      {status === "completed" && <Card title={t("run.outputs")} value={r.outputs} />}
      <Scrubber entries={entries.value} at={at} />
      {at.value > 0 && entries.value[at.value - 1] && (
        <p class="note slight" role="note"><Icon name="clock" />{t("past.note", { n: number(at.value), of: number(entries.value.length), when: clock(entries.value[at.value - 1]!.at) })}</p>
      )}
      <div class="columns wide-left">
        <section class="card" aria-labelledby="drawing">
          <header><h2 id="drawing">{t("drawing")}</h2><Legend /></header>
          <RunDrawing r={r} at={at.value} standing={shown} status={status} />
        </section>
        <StateCard r={r} at={at.value} status={status} />
      </div>
      <History entries={entries.value} s={shown.value} said={said.value} at={at} ready={ready.value} />
    </>
  );
}

function Head({ r, status, entries, s }: { r: Run; status: string; entries: readonly Entry[]; s: Standing }): JSX.Element {
  const first = entries[0];
  const by = typeof first?.data["by"] === "string" ? first.data["by"] : "";
  const labels = Object.entries((first?.data["labels"] as Record<string, string> | undefined) ?? {});
  const fork = first?.data["fork"] as { run?: string } | undefined;
  return (
    <>
      <Heading title={r.plan}>
        {may("operate") && retried.has(status) && <Retry r={r} s={s} />}
        {may("operate") && open.has(status) && <Cancel r={r} s={s} status={status} />}
        <App class="button" href={link(["definitions", r.plan])}><Icon name="play" />{t("run.startAgain")}</App>
      </Heading>
      <p class="facts">
        <Status status={status} />
        <span class="id" title={r.run}>{shortID(r.run)}<Copy text={r.run} label={t("run.copyID")} /></span>
        {first && <span>{t("run.started")} <Ago at={first.at} />{by && <> {t("run.by")} <Said text={by} /></>}</span>}
        {first && <span>{s.ended ? t("run.took", { d: duration(s.ended - s.begun) }) : t("run.since", { d: duration(now.value - s.begun) })}</span>}
        {fork?.run && <span>{t("run.forkOf")} <App class="id" href={link(["runs", fork.run])}>{shortID(fork.run)}</App></span>}
        {labels.map(([key, value]) => <App key={key} class="chip" href={link(["runs"], { label: key + ":" + value })}><Icon name="tag" /><Said text={`${key}: ${value}`} /></App>)}
      </p>
      <p class="unseen" role="status">{t("run.statusIs", { status: tx("status." + status, status) })}</p>
    </>
  );
}

/** Why a run did not end well, and what was tried. */
function Why({ r, s, status }: { r: Run; s: Standing; status: string }): JSX.Element {
  const error = s.error || (status === "cancelled" ? "" : r.error) || "";
  const code = s.code || r.code || "";
  const failed = [...s.tasks.values()].filter((x) => x.status === "failed");
  const task = s.failed ? s.tasks.get(s.failed) : failed.at(-1);
  const kind = status === "cancelled" ? "slight" : "failed";
  const tries = task ? task.bars.filter((b) => b.kind === "work").length : 0;
  return (
    <section class={"note why " + kind} aria-labelledby="why">
      <Icon name={status === "cancelled" ? "stop" : "alert"} />
      <div>
        <h2 id="why">{task && status === "failed" ? t("why.task", { task: task.id }) : status === "cancelled" && s.by ? t("why.cancelledBy", { who: s.by }) : tx("why." + status, status)}</h2>
        {error && <p class="reason" dir="auto">{error}</p>}
        {code && status !== "cancelled" && <p class="faint">{tx("code." + code, "") || <span class="id">{code}</span>}{tries > 1 && " · " + tn("why.tries", tries)}</p>}
      </div>
    </section>
  );
}

/** Does something about a run after it was confirmed. */
function useDoing(): { busy: boolean; problem: string; reset: () => void; go: (work: () => Promise<void>, done: string) => Promise<boolean> } {
  const busy = useSignal(false);
  const problem = useSignal("");
  return {
    busy: busy.value,
    problem: problem.value,
    reset: () => (problem.value = ""),
    async go(work, done) {
      busy.value = true;
      problem.value = "";
      try {
        await work();
        say(done);
        refresh();
        return true;
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        problem.value = error.status === 0 ? t("error.unreachable") : error.message;
        return false;
      } finally {
        busy.value = false;
      }
    },
  };
}

function Retry({ r, s }: { r: Run; s: Standing }): JSX.Element {
  const asks = useSignal(false);
  const doing = useDoing();
  const failed = [...s.tasks.values()].filter((x) => x.status === "failed").map((x) => x.id);
  const kept = [...s.tasks.values()].filter((x) => x.status === "finished").length;
  return (
    <>
      <button type="button" class="primary" onClick={() => {
        doing.reset();
        asks.value = true;
      }}><Icon name="retry" />{t("retry")}</button>
      <Dialog title={t("retry.title")} open={asks.value} close={() => (asks.value = false)}>
        <p>{failed.length > 0 ? t("retry.text", { tasks: failed.join(", ") }) : t("retry.textPlain")}</p>
        {kept > 0 && <p>{tn("retry.kept", kept)}</p>}
        <Problems list={doing.problem ? [doing.problem] : []} />
        <div class="foot">
          <button type="button" class="primary" disabled={doing.busy} onClick={() => void doing.go(() => retry(r.run), t("retry.done")).then((ok) => {
            if (ok) asks.value = false;
          })}><Icon name="retry" />{t("retry")}</button>
          <button type="button" onClick={() => (asks.value = false)}>{t("notNow")}</button>
        </div>
      </Dialog>
    </>
  );
}

function Cancel({ r, s, status }: { r: Run; s: Standing; status: string }): JSX.Element {
  const asks = useSignal(false);
  const reason = useSignal("");
  const doing = useDoing();
  const busy = [...s.tasks.values()].filter((x) => x.status === "running").map((x) => x.id);
  return (
    <>
      <button type="button" onClick={() => {
        doing.reset();
        asks.value = true;
      }}><Icon name="stop" />{t("cancel")}</button>
      <Dialog title={t("cancel.title")} open={asks.value} close={() => (asks.value = false)}>
        <p>{t("cancel.text")}</p>
        <ul>
          {busy.length > 0 && status === "running" && <li>{t("cancel.tasks", { tasks: busy.join(", ") })}</li>}
          {r.interrupts.length > 0 && <li>{tn("cancel.questions", r.interrupts.length)}</li>}
          <li>{t("cancel.kept")}</li>
        </ul>
        <div class="field">
          <label for="cancel-why">{t("cancel.reason")}<span class="optional"> {t("form.optional")}</span></label>
          <input id="cancel-why" type="text" dir="auto" value={reason.value} onInput={(e) => (reason.value = e.currentTarget.value)} />
        </div>
        <Problems list={doing.problem ? [doing.problem] : []} />
        <div class="foot">
          <button type="button" class="danger" disabled={doing.busy} onClick={() => void doing.go(() => cancel(r.run, reason.value, me.value), t("cancel.done")).then((ok) => {
            if (ok) asks.value = false;
          })}><Icon name="stop" />{t("cancel.do")}</button>
          <button type="button" onClick={() => (asks.value = false)}>{t("notNow")}</button>
          <NameField id="cancel-me" />
        </div>
      </Dialog>
    </>
  );
}

function Legend(): JSX.Element {
  return (
    <span class="legend">
      {(["done", "running", "waiting", "failed"] as const).map((x) => <span key={x}><i class="swatch" data-look={x} />{t(`look.${x}`)}</span>)}
    </span>
  );
}

/** The plan that the run had, with the way it took; while the next one is fetched, the nodes of this one tell how they stand. */
function RunDrawing({ r, at, standing: s, status }: { r: Run; at: number; standing: Signal<Standing>; status: string }): JSX.Element {
  const svg = useSignal<string | undefined>(undefined);
  const missing = useSignal(false);
  const drawn = useRef(new Map<string, string>());
  const settled = at === 0 ? status + r.seq : String(at);
  useEffect(() => {
    const over = new AbortController();
    const known = drawn.current.get(settled);
    if (known !== undefined) {
      svg.value = known;
      return undefined;
    }
    const timer = setTimeout(() => {
      drawing(r.run, at, over.signal).then((text) => {
        drawn.current.set(settled, text);
        svg.value = text;
        missing.value = false;
      }, (error: unknown) => {
        if (error instanceof Refusal && svg.value === undefined) missing.value = true;
      });
    }, svg.value === undefined ? 0 : 150);
    return () => {
      clearTimeout(timer);
      over.abort();
    };
  }, [r.run, settled]);
  const looks = useMemo(() => looksOf(s.value), [s.value]);
  if (missing.value) return <p class="faint">{t("drawing.missing")}</p>;
  if (svg.value === undefined) return <Loading />;
  return <Drawing svg={svg.value} states={looks} label={t("drawing.of", { name: r.plan })} />;
}

/** Travels through the entries of the journal. */
function Scrubber({ entries, at }: { entries: readonly Entry[]; at: Signal<number> }): JSX.Element | null {
  const playing = useSignal(false);
  const last = entries.length;
  const here = at.value || last;
  useEffect(() => {
    if (!playing.value) return;
    const timer = setInterval(() => {
      const next = (at.value || last) + 1;
      if (next >= last) {
        at.value = 0;
        playing.value = false;
      } else at.value = next;
    }, Math.max(60, Math.min(500, 8000 / Math.max(1, last))));
    return () => clearInterval(timer);
  }, [playing.value, last]);
  if (last < 2) return null;
  const e = entries[here - 1];
  const to = (n: number): void => {
    at.value = n >= last ? 0 : Math.max(1, n);
  };
  return (
    <section class="scrubber" aria-label={t("scrub")}>
      <button type="button" class="square" aria-label={playing.value ? t("scrub.pause") : t("scrub.play")} title={playing.value ? t("scrub.pause") : t("scrub.play")} onClick={() => {
        if (!playing.value && at.value === 0) at.value = 1;
        playing.value = !playing.value;
      }}><Icon name={playing.value ? "pause" : "play"} /></button>
      <button type="button" class="square" aria-label={t("scrub.back")} title={t("scrub.back")} disabled={here <= 1} onClick={() => to(here - 1)}><Icon name="left" /></button>
      <input type="range" min={1} max={last} value={here} aria-label={t("scrub.entry")} aria-valuetext={e ? `${here}: ${eventText(e)} ${e.task ?? ""}` : String(here)}
        onInput={(x) => to(Number(x.currentTarget.value))} />
      <button type="button" class="square" aria-label={t("scrub.on")} title={t("scrub.on")} disabled={at.value === 0} onClick={() => to(here + 1)}><Icon name="right" /></button>
      <span class="where"><b>{number(here)}</b> / {number(last)}{e && <span class="what">{eventText(e)}{e.task && <> · <Said text={e.task} /></>}</span>}</span>
      <button type="button" class="small" disabled={at.value === 0} onClick={() => {
        at.value = 0;
        playing.value = false;
      }}>{t("scrub.now")}</button>
    </section>
  );
}

/** The value at an entry, as the server folds it; one that was seen is shown at once. */
function StateCard({ r, at, status }: { r: Run; at: number; status: string }): JSX.Element {
  const value = useSignal<Value | undefined>(undefined);
  const known = useRef(new Map<string, Value>());
  const settled = at === 0 ? status + r.seq : String(at);
  useEffect(() => {
    const over = new AbortController();
    const had = known.current.get(settled);
    if (had !== undefined) {
      value.value = had;
      return undefined;
    }
    const timer = setTimeout(() => {
      stateAt(r.run, at, over.signal).then((v) => {
        known.current.set(settled, v);
        value.value = v;
      }, (error: unknown) => {
        if (!(error instanceof Refusal) && !over.signal.aborted) throw error;
      });
    }, value.value === undefined ? 0 : 120);
    return () => {
      clearTimeout(timer);
      over.abort();
    };
  }, [r.run, settled]);
  return <Card title={at === 0 ? t("state.now") : t("state.at", { n: number(at) })} value={value.value} />;
}

function History({ entries, s, said, at, ready }: {
  entries: readonly Entry[]; s: Standing; said: State; at: Signal<number>; ready: boolean;
}): JSX.Element {
  const tab = useSignal<"timeline" | "events" | "said">("timeline");
  const spoken = said.segments.length + said.messages.length + said.statuses.length + said.diagnostics.length + said.tools.length;
  const tabs = [["timeline", t("timeline")], ["events", t("events")], ...(spoken > 0 ? [["said", t("said")]] : [])] as [typeof tab.value, string][];
  const choose = (e: KeyboardEvent): void => {
    const step = e.key === "ArrowRight" ? 1 : e.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    const i = tabs.findIndex(([name]) => name === tab.value);
    tab.value = tabs[(i + step + tabs.length) % tabs.length]![0];
    requestAnimationFrame(() => document.getElementById("tab-" + tab.value)?.focus());
  };
  return (
    <section class="card" aria-label={t("history")}>
      <div class="tabs" role="tablist" aria-label={t("history")} onKeyDown={choose}>
        {tabs.map(([name, text]) => (
          <button key={name} type="button" role="tab" id={"tab-" + name} aria-selected={tab.value === name} aria-controls="history" tabIndex={tab.value === name ? 0 : -1}
            onClick={() => (tab.value = name)}>{text}</button>
        ))}
      </div>
      <div id="history" role="tabpanel" aria-labelledby={"tab-" + tab.value}>
        {!ready && entries.length === 0 ? <Loading /> : tab.value === "timeline" ? <Timeline s={s} entries={entries} at={at.value} />
          : tab.value === "events" ? <Events entries={entries} at={at} /> : <Spoken said={said} />}
      </div>
    </section>
  );
}

const mostRows = 100;

function Timeline({ s, entries, at: entry }: { s: Standing; entries: readonly Entry[]; at: number }): JSX.Element {
  const most = useSignal(mostRows);
  const tasks = [...s.tasks.values()];
  const present = endOf(entries, entry, s, entry > 0 || s.ended !== undefined ? 0 : now.value);
  const at = useMemo(() => scale([s.begun, ...tasks.flatMap((x) => x.bars.flatMap((b) => [b.from, b.to ?? present])), present]), [s, present]);
  if (tasks.length === 0) return <Empty icon="clock" title={t("timeline.none")} />;
  return (
    <>
      <p class="faint">{t("timeline.note")}</p>
      <ol class="timeline">
        {tasks.slice(0, most.value).map((task) => <Row key={task.id} task={task} at={at} present={present} />)}
      </ol>
      {tasks.length > most.value && <button type="button" onClick={() => (most.value += mostRows)}>{tn("more", tasks.length - most.value)}</button>}
    </>
  );
}

function Row({ task, at, present }: { task: Task; at: (moment: number) => number; present: number }): JSX.Element {
  const first = task.bars[0];
  const lastBar = task.bars.at(-1);
  const spent = (kind: string): number => task.bars.filter((b) => b.kind === kind).reduce((n, b) => n + (b.to ?? present) - b.from, 0);
  const waited = spent("wait");
  const text = [
    duration(spent("work")), task.by ? t("run.answeredBy", { who: task.by }) : "", waited > 0 ? t("timeline.waited", { d: duration(waited) }) : "",
    task.attempt > 1 || task.bars.some((b) => b.kind === "retry") ? tn("timeline.tries", Math.max(task.attempt, task.bars.filter((b) => b.kind === "retry").length + 1)) : "",
  ].filter((x) => x !== "").join(" · ");
  return (
    <li>
      <span class="task"><Said text={task.id} /><Status status={task.status} /></span>
      <span class="track" aria-hidden="true">
        {task.bars.map((b, i) => {
          const from = at(b.from);
          const to = at(b.to ?? present);
          return <span key={i} class="stretch" data-kind={b.kind} data-end={b.to === undefined ? "open" : b.end || (task.status === "finished" ? "finished" : "")} title={`${t(`bar.${b.kind}`)}: ${duration((b.to ?? present) - b.from)}`}
            style={{ insetInlineStart: `${from * 100}%`, inlineSize: `max(4px, ${(to - from) * 100}%)` }} />;
        })}
      </span>
      <span class="spent" title={first && lastBar ? moment(first.from) : ""}>{text}</span>
    </li>
  );
}

const perPage = 200;

function Events({ entries, at }: { entries: readonly Entry[]; at: Signal<number> }): JSX.Element {
  const wanted = useSignal("");
  const failures = useSignal(false);
  const most = useSignal(perPage);
  const texts = useRef(new WeakMap<Entry, string>());
  const textOf = (e: Entry): string => {
    let text = texts.current.get(e);
    if (text === undefined) texts.current.set(e, (text = `${e.type} ${e.task ?? ""} ${JSON.stringify(e.data)}`.toLowerCase()));
    return text;
  };
  const words = wanted.value.toLowerCase().split(/\s+/).filter((w) => w !== "");
  const all = entries.filter((e) => (!failures.value || /failed|retrying|blocked/.test(e.type) || (e.type === "run.finished" && e.data["status"] !== "completed"))
    && words.every((w) => textOf(e).includes(w)));
  const shown = all.slice(Math.max(0, all.length - most.value)).reverse();
  return (
    <>
      <div class="filters">
        <label class="inline search grow">{t("events.find")}<input type="search" value={wanted.value} onInput={(e) => (wanted.value = e.currentTarget.value)} /></label>
        <label class="choice small"><input type="checkbox" checked={failures.value} onChange={(e) => (failures.value = e.currentTarget.checked)} />{t("events.failures")}</label>
        <span class="faint" role="status">{t("events.count", { n: number(all.length), of: number(entries.length) })}</span>
      </div>
      {all.length === 0 ? <Empty icon="search" title={t("events.none")} /> : (
        <ol class="events" reversed>
          {shown.map((e) => <Event key={e.seq} e={e} at={at} />)}
        </ol>
      )}
      {all.length > most.value && <button type="button" onClick={() => (most.value += perPage)}>{tn("more", all.length - most.value)}</button>}
    </>
  );
}

function Event({ e, at }: { e: Entry; at: Signal<number> }): JSX.Element {
  const opened = useSignal(false);
  const gist = gistOf(e);
  const bad = /failed|retrying|blocked/.test(e.type) || (e.type === "run.finished" && e.data["status"] !== "completed");
  return (
    <li data-bad={bad ? "1" : undefined} aria-current={at.value === e.seq ? "true" : undefined}>
      <details onToggle={(x) => (opened.value = (x.currentTarget as HTMLDetailsElement).open)}>
        <summary>
          <span class="seq">{e.seq}</span>
          <span class="type">{eventText(e)}</span>
          {e.task && <span class="task"><Said text={e.task} /></span>}
          <span class="gist" dir="auto">{gist}</span>
          <time dateTime={e.ts} title={moment(e.at)}>{clock(e.at)}</time>
        </summary>
        {opened.value && (
          <div class="data">
            <p class="sub"><span class="id">{e.type}</span><button type="button" class="small" onClick={() => (at.value = e.seq)}>{t("events.here")}</button></p>
            {e.exact.size > 0 ? <Shown value={new Map(e.exact)} /> : <span class="nothing">{t("value.none")}</span>}
          </div>
        )}
      </details>
    </li>
  );
}

/** What happened; a claim says which, and who. */
function eventText(e: Entry): string {
  const kind = e.type === "interrupt.updated" ? String(e.data["do"] ?? "") : e.type === "run.resumed" ? String(e.data["reason"] ?? "") : "";
  const otherwise = tx("event." + e.type, e.type);
  return kind ? tx(`event.${e.type}.${kind}`, otherwise) : otherwise;
}

/** What an event is about, in a line. */
function gistOf(e: Entry): string {
  const d = e.data;
  if (e.type === "interrupt.updated") return [d["by"], d["note"]].filter((x) => typeof x === "string" && x !== "").join(" · ");
  if (e.type === "run.resumed") return typeof d["by"] === "string" ? d["by"] : "";
  for (const name of ["error", "prompt", "reason", "text", "name", "step"]) if (typeof d[name] === "string" && d[name] !== "") return d[name] as string;
  if (d["answer"] !== undefined) return short(e.exact.get("answer")) + (typeof d["by"] === "string" ? " · " + d["by"] : "");
  if (d["to"] !== undefined) return Array.isArray(d["to"]) ? (d["to"] as unknown[]).join(", ") : String(d["to"]);
  if (e.exact.has("delta")) return short(e.exact.get("delta"));
  if (e.exact.has("value")) return short(e.exact.get("value"));
  return typeof d["status"] === "string" ? tx("status." + d["status"], d["status"]) : "";
}

function short(v: Value | undefined): string {
  const text = v === undefined ? "" : typeof v === "string" ? v : encode(v);
  return text.length > 160 ? text.slice(0, 160) + "…" : text;
}

/** What nodes and models said. */
function Spoken({ said }: { said: State }): JSX.Element {
  const notes = [...said.messages.map((m) => [m, "message"] as const), ...said.statuses.map((m) => [m, "status"] as const), ...said.diagnostics.map((m) => [m, "diagnostic"] as const)]
    .sort((a, b) => a[0].seq - b[0].seq);
  return (
    <div class="spoken">
      {said.segments.map((x, i) => (
        <article key={"s" + i} aria-busy={!x.ended}>
          <p class="sub"><Said text={x.task} /></p>
          <p class="said" dir="auto">{x.text}{!x.ended && <span class="caret" />}</p>
        </article>
      ))}
      {said.tools.map((x, i) => (
        <article key={"t" + i}>
          <p class="sub"><Said text={x.task} /><span class="chip">{t("said.tool")} <Said text={x.name} /></span><Status status={x.status} /></p>
          <pre class="json" tabIndex={0} dir="ltr">{JSON.stringify(x.arguments, undefined, 2)}{x.result !== undefined ? "\n→ " + JSON.stringify(x.result, undefined, 2) : ""}</pre>
        </article>
      ))}
      {notes.map(([m, kind]) => (
        <article key={"n" + m.seq}>
          <p class="sub"><Said text={m.task} /><span class="chip">{t(`said.${kind}`)}</span></p>
          <p class="said" dir="auto">{typeof m.data["text"] === "string" ? m.data["text"] : JSON.stringify(m.data)}</p>
        </article>
      ))}
    </div>
  );
}
