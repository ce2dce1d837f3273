// What happened in a run: when its tasks worked and waited, all entries, and what was said.

import { useSignal, type Signal } from "@preact/signals";
import type { JSX } from "preact";
import { useMemo, useRef } from "preact/hooks";
import texts from "../../i18n/run.en.json";
import type { State } from "../../../../clients/js/src/state";
import { addTexts, clock, duration, moment, number, t, tn } from "../i18n";
import { now } from "../live";
import { eventText, gistOf } from "./entries";
import { endOf, scale, type Entry, type Standing, type Task } from "./model";
import { Empty, Loading, Said, Status } from "../ui/parts";
import { Shown } from "../ui/value";

addTexts(texts);

export function History({ entries, s, said, at, ready }: {
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
    duration(spent("work")), task.undoes ? t("timeline.undoes", { task: task.undoes }) : "", task.undoneBy ? t("timeline.undoneBy", { task: task.undoneBy }) : "", task.by ? t("run.answeredBy", { who: task.by }) : "", waited > 0 ? t("timeline.waited", { d: duration(waited) }) : "",
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
