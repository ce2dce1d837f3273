// One run: how it stands, what it waits for, why it failed, and everything that happened, at any entry.

import { useComputed, useSignal, type Signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import texts from "../../i18n/run.en.json";
import { drawing, Refusal, run as loadRun, stateAt, type Question, type Run } from "../api";
import type { Value } from "../json";
import { addTexts, clock, duration, number, t, tn, tx } from "../i18n";
import { now, useLive } from "../live";
import { may } from "../login";
import { load, Show } from "../pages";
import { link } from "../router";
import type { Act } from "../run/acts";
import { useEvents } from "../run/follow";
import { eventText } from "../run/entries";
import { History } from "../run/history";
import { looksOf, standing, toShow, type Entry, type Standing } from "../run/model";
import { Drawing } from "../ui/drawing";
import { Ago, App, Copy, Failure, Heading, Icon, Loading, Said, shortID, Status } from "../ui/parts";
import { promptOf } from "../ui/asked";
import { Card } from "../ui/value";

addTexts(texts);

const open = new Set(["running", "paused", "blocked"]);
const retried = new Set(["failed", "expired", "blocked"]);

const mostSeen = 20;

export default function RunPage({ id }: { id: string }): JSX.Element {
  const info = useLive("run " + id, (s) => loadRun(id, s), 15_000, "runs");
  const { entries, said, ready } = useEvents(id, info.again, info.data.value?.seq ?? 0);
  // What somebody reads or answers does not vanish under their hands when another person answers it.
  const seen = useRef<readonly Question[]>([]);
  const done = useRef(new Set<string>());
  const forks = useSignal(0); // the entry at which somebody wants to fork; 0 for none
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
      {s.undoing && open.has(status) && <Undoing undoing={s.undoing} />}
      {s.hold && open.has(status) && <Held hold={s.hold} waits={r.interrupts.length > 0} />}
      {closed.length + r.interrupts.length > 0 && (
        <section class="asks" aria-labelledby="asks">
          <h2 id="asks" class="unseen">{t("run.waitsFor")}</h2>
          {closed.map((q) => <div key={q.requestId} class="card accent"><Show name="question" given={{ q, heading: "h3", closed: true }} /></div>)}
          {r.interrupts.map((q, i) => r.interrupts.length === 1
            ? <div key={q.requestId} class="card accent"><Show name="question" given={{ q, heading: "h3", plan: talk ? r.plan : undefined, answered: () => done.current.add(q.requestId) }} /></div>
            : (
              <details key={q.requestId} class="card accent ask" name="asks" open={i === 0}>
                <summary><Icon name="person" /><Said text={promptOf(q)} /></summary>
                <Show name="question" given={{ q, heading: "h3", answered: () => done.current.add(q.requestId) }} />
              </details>
            ))}
        </section>
      )}
      {status === "completed" && <Card title={t("run.outputs")} value={r.outputs} />}
      <Scrubber entries={entries.value} at={at} fork={() => (forks.value = at.value || entries.value.length)} />
      {forks.value > 0 && <Show name="fork" given={{ r, at: forks.value, close: () => (forks.value = 0) }} rows={0} />}
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
  const asks = useSignal<Act | undefined>(undefined);
  const operates = may("operate");
  const act = (what: Act, icon: string, text: string, look = ""): JSX.Element => (
    <button type="button" class={look} onClick={() => (asks.value = what)} onPointerOver={() => void load("act").catch(() => undefined)}><Icon name={icon} />{text}</button>
  );
  return (
    <>
      {asks.value && <Show name="act" given={{ act: asks.value, r, s, status, close: () => (asks.value = undefined) }} rows={0} />}
      <Heading title={r.plan}>
        {operates && retried.has(status) && !s.undone && act("retry", "retry", t("retry"), "primary")}
        {operates && open.has(status) && entries.length > 0 && (s.hold ? act("hold", "play", t("hold.release"), "primary") : act("hold", "hand", t("hold")))}
        {operates && open.has(status) && !s.undoing && act("cancel", "stop", t("cancel"))}
        <App class="button" href={link(["definitions", r.plan])}><Icon name="play" />{t("run.startAgain")}</App>
      </Heading>
      <p class="facts">
        <Status status={s.hold && open.has(status) ? "held" : status} />
        <span class="id" title={r.run}>{shortID(r.run)}<Copy text={r.run} label={t("run.copyID")} /></span>
        {first && <span>{t("run.started")} <Ago at={first.at} />{by && <> {t("run.by")} <Said text={by} /></>}</span>}
        {first && <span>{s.ended ? t("run.took", { d: duration(s.ended - s.begun) }) : t("run.since", { d: duration(now.value - s.begun) })}</span>}
        {fork?.run && <span>{t("run.forkOf")} <App class="id" href={link(["runs", fork.run])}>{shortID(fork.run)}</App> <App href={link(["compare"], { a: fork.run, b: r.run })}><Icon name="compare" />{t("run.compare")}</App></span>}
        {labels.map(([key, value]) => <App key={key} class="chip" href={link(["runs"], { label: key + ":" + value })}><Icon name="tag" /><Said text={`${key}: ${value}`} /></App>)}
      </p>
      <p class="unseen" role="status">{t("run.statusIs", { status: tx("status." + status, status) })}</p>
    </>
  );
}

/** Who holds the run, and why nothing begins in it. */
function Held({ hold, waits }: { hold: NonNullable<Standing["hold"]>; waits: boolean }): JSX.Element {
  const at = hold.before || hold.after;
  return (
    <section class="note why paused" aria-labelledby="held">
      <Icon name="hand" />
      <div>
        <h2 id="held">{at ? t(hold.before ? "held.before" : "held.after", { task: at }) : hold.by ? t("held.by", { who: hold.by }) : t("held")}</h2>
        {hold.note && <p class="reason" dir="auto">{hold.note}</p>}
        <p class="faint">{t(at ? "held.break" : "held.since")} <Ago at={hold.since} />{waits && <> · {t("held.waits")}</>}</p>
      </div>
    </section>
  );
}

/** What a run has done is being undone: why, and how it ends then. */
function Undoing({ undoing: { status, error } }: { undoing: NonNullable<Standing["undoing"]> }): JSX.Element {
  return (
    <section class="note why paused" aria-labelledby="undoing">
      <Icon name="swap" />
      <div>
        <h2 id="undoing">{t("undoing")}</h2>
        {error && <p class="reason" dir="auto">{error}</p>}
        <p class="faint">{t("undoing.then", { status: tx("status." + status, status) })}</p>
      </div>
    </section>
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
        {s.undone && <p class="faint">{tn("why.undone", [...s.tasks.values()].filter((x) => x.undoes !== "" && x.status === "finished").length)}</p>}
      </div>
    </section>
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
function Scrubber({ entries, at, fork }: { entries: readonly Entry[]; at: Signal<number>; fork: () => void }): JSX.Element | null {
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
      {may("operate") && <button type="button" class="small" onClick={fork}><Icon name="fork" />{t("run.fork")}</button>}
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
