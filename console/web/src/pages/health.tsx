// What needs somebody: whether the server and its store answer, which runs stand still, and what cannot be loaded.

import type { JSX } from "preact";
import texts from "../../i18n/health.en.json";
import { countRuns, folder, get, questions, Refusal, runs, type Question } from "../api";
import { addTexts, number, t, tn } from "../i18n";
import { now, useLive, type Live } from "../live";
import { may } from "../login";
import { link } from "../router";
import { schedules } from "../schedules";
import { promptOf } from "../ui/asked";
import { Ago, App, Failure, Heading, Icon, Loading, Said, statusText } from "../ui/parts";
import { Table } from "../ui/runs";

addTexts(texts);

interface Ready {
  readonly ms: number;
  /** Why it takes no requests; "" for ready. */
  readonly problem: string;
}

/** Whether the server takes requests and its store answers, and how soon. */
async function ready(signal: AbortSignal): Promise<Ready> {
  const began = performance.now();
  try {
    await get("/readyz", signal);
    return { ms: performance.now() - began, problem: "" };
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 503) throw error;
    return { ms: performance.now() - began, problem: error.message };
  }
}

const soon = 3_600_000; // deadlines that are shown

export default function HealthPage(): JSX.Element {
  const state = useLive("ready", ready, 5000);
  const version = useLive("version", async (s) => (await get<{ info: { version: string } }>("/openapi.json", s)).info.version, 0);
  const counts = useLive("health counts", (s) => countRuns({ by: "status" }, s), 5000, "runs");
  const stuck = useLive("health stuck", async (s) => (await runs({ status: "blocked,failed,expired", order: "updated", limit: "8" }, s)).rows, 5000, "runs");
  const files = useLive("health files", (s) => folder(s), 10_000, "definitions");
  const timed = useLive("health schedules", schedules, 15_000, "schedules");
  const tasks = may("tasks");
  const due = useLive("health due " + tasks, async (s) => (tasks ? (await questions({ order: "due", limit: "20", skip: "dialogue" }, s)).rows : []), tasks ? 5000 : 0, "interrupts");
  const late = (due.data.value ?? []).filter((q) => q.deadline !== undefined && q.deadline / 1000 < now.value + soon);
  const faults = files.data.value?.faults ?? [];
  const warned = (files.data.value?.definitions ?? []).filter((d) => (d.notes?.length ?? 0) > 0);
  const n = (status: string): number => counts.data.value?.find((c) => c.value === status)?.n ?? 0;
  const bad = n("blocked") + n("failed") + n("expired") > 0 || faults.length > 0 || late.length > 0 || (state.data.value?.problem ?? "") !== "";
  const known = state.data.value !== undefined && counts.data.value !== undefined && files.data.value !== undefined;
  return (
    <>
      <Heading title={t("nav.health")} lead={known ? t(bad ? "health.bad" : "health.good") : ""} />
      <dl class="facts-grid">
        <Fact live={state} title={t("health.server")} of={(x) => ({ text: t(x.problem ? "health.notReady" : "health.ready"), more: x.problem || t("health.took", { ms: number(Math.round(x.ms)) }), look: x.problem ? "failed" : "completed" })} />
        <Fact live={version} title={t("health.version")} of={(v) => ({ text: v, more: "", look: "" })} />
        <Fact live={timed} title={t("nav.schedules")} of={(x) => {
          const paused = x.schedules.filter((s) => s.paused).length;
          return { text: number(x.schedules.length), more: !x.fires ? t("health.firesNot") : paused > 0 ? tn("health.paused", paused) : "", look: x.fires ? "" : "paused", href: link(["schedules"]) };
        }} />
        <Fact live={files} title={t("nav.definitions")} of={(x) => ({
          text: number(x.definitions.length), more: x.faults.length > 0 ? tn("health.faults", x.faults.length) : "", look: x.faults.length > 0 ? "failed" : "", href: link(["definitions"]),
        })} />
      </dl>
      <section aria-labelledby="h-runs">
        <h2 id="h-runs">{t("nav.runs")}</h2>
        {counts.error.value && !counts.data.value ? <Failure error={counts.error.value} again={counts.again} /> : (
          <ul class="tally">
            {["running", "paused", "blocked", "failed", "expired", "completed", "cancelled"].map((s) => (
              <li key={s}><App href={link(["runs"], { status: s })} class="tally-one"><b>{counts.data.value ? number(n(s)) + (counts.data.value.find((c) => c.value === s)?.more ? "+" : "") : "–"}</b><span><span class="dot" data-status={s} />{statusText(s)}</span></App></li>
            ))}
          </ul>
        )}
      </section>
      {faults.length > 0 && (
        <section aria-labelledby="h-faults">
          <h2 id="h-faults">{t("health.faultsTitle")}</h2>
          <ul class="faults">
            {faults.map((f) => (
              <li key={f.file} class="card">
                <h3 class="id">{f.file}</h3>
                {f.definition && <p class="faint">{t("health.stillServed", { name: f.definition })}</p>}
                <ul>{f.problems.map((p, i) => <li key={i}>{p.line !== undefined && <span class="id spot">{p.line}{p.column !== undefined && ":" + p.column}</span>}<span dir="auto">{p.message}</span></li>)}</ul>
              </li>
            ))}
          </ul>
        </section>
      )}
      {late.length > 0 && (
        <section aria-labelledby="h-late">
          <h2 id="h-late">{t("health.late")}</h2>
          <ul class="card flush listed">{late.map((q) => <Late key={q.requestId} q={q} />)}</ul>
        </section>
      )}
      <section aria-labelledby="h-stuck">
        <h2 id="h-stuck">{t("health.stuck")}</h2>
        {stuck.error.value && !stuck.data.value ? <Failure error={stuck.error.value} again={stuck.again} />
          : !stuck.data.value ? <Loading rows={3} />
          : stuck.data.value.length === 0 ? <p class="faint good-line"><Icon name="check" />{t("health.stuckNone")}</p> : <Table rows={stuck.data.value} />}
      </section>
      {warned.length > 0 && (
        <section aria-labelledby="h-notes">
          <h2 id="h-notes">{t("health.notes")}</h2>
          <ul class="card flush listed">
            {warned.map((d) => <li key={d.name}><App href={link(["definitions", d.name])}><Said text={d.name} /></App>{d.notes!.map((note, i) => <span key={i} class="faint" dir="auto">{note}</span>)}</li>)}
          </ul>
        </section>
      )}
    </>
  );
}

function Late({ q }: { q: Question }): JSX.Element {
  return (
    <li>
      <App href={link([], { q: q.requestId })}><Said text={promptOf(q)} /></App>
      <span class="due"><Icon name="hourglass" />{t("question.due")} <Ago at={q.deadline! / 1000} /></span>
    </li>
  );
}

/** One figure about the server, or why it is not known. */
function Fact<T>({ live, title, of }: { live: Live<T>; title: string; of: (value: T) => { text: string; more: string; look: string; href?: string } }): JSX.Element {
  const x = live.data.value === undefined ? undefined : of(live.data.value);
  return (
    <div class="card fact" data-status={x?.look || undefined}>
      <dt>{x?.href ? <App href={x.href}>{title}</App> : title}</dt>
      <dd>{x ? <><b>{x.text}</b>{x.more && <span class="more">{x.more}</span>}</> : <b class="faint">{live.error.value ? t("health.unknown") : "…"}</b>}</dd>
    </div>
  );
}
