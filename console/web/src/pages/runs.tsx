// All runs, page by page: by status, by definition, by the beginning of their id.

import type { JSX } from "preact";
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { countRuns, definitions, runs } from "../api";
import { number, t, tn } from "../i18n";
import { useLive } from "../live";
import { may } from "../login";
import { load, Show } from "../pages";
import { change, go, link, parameter } from "../router";
import type { Selection } from "../run/bulk";
import { App, Empty, Failure, Heading, Icon, Loading, Said, statusText } from "../ui/parts";
import { Table } from "../ui/runs";

const statuses = ["running", "paused", "failed", "blocked", "completed", "cancelled", "expired"];

/** The kinds of runs that are no conversations. */
const noTalks = "recipe,graph,dataflow";

export default function RunsPage(): JSX.Element {
  const talks = parameter("conversations");
  const status = parameter("status");
  const plan = parameter("plan");
  const prefix = parameter("prefix");
  const label = parameter("label");
  const cursor = parameter("cursor");
  const filter: Record<string, string> = { ...(plan ? { plan } : {}), ...(prefix ? { prefix } : {}), ...(label.includes(":") ? { label } : {}), ...(plan || talks ? {} : { kind: noTalks }) };
  const query = { ...filter, ...(status ? { status } : {}), limit: "50", ...(cursor ? { cursor } : {}) };
  const { data, error, again } = useLive(JSON.stringify(query), (s) => runs(query, s), undefined, "runs");
  const counts = useLive("counts" + JSON.stringify(filter), (s) => countRuns({ ...filter, by: "status" }, s), 5000, "runs");
  const plans = useLive("plansOf" + talks, (s) => countRuns({ by: "plan", ...(talks ? {} : { kind: noTalks }) }, s), 15_000);
  const known = useLive("definitionsOf", (s) => definitions(s), 0);
  const marked = useSignal<readonly string[]>([]); // in the order in which they were marked
  const changes = useSignal<Selection | undefined>(undefined); // runs that somebody wants to change
  const mark = (run: string, on: boolean): void => {
    marked.value = on ? [...marked.value, run] : marked.value.filter((x) => x !== run);
  };
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const count = (value: string): string => {
    const c = counts.data.value?.find((x) => x.value === value);
    return c ? number(c.n) + (c.more ? "+" : "") : "0";
  };
  const served = known.data.value ?? [];
  const names = [...new Set([...(plans.data.value ?? []).map((p) => p.value), ...served.filter((d) => talks || !d.conversations).map((d) => d.name), ...(plan ? [plan] : [])])].sort();
  const filtered = status !== "" || plan !== "" || prefix !== "" || label !== "";
  const shown = statuses.filter((s) => s === status || ["running", "paused", "failed", "completed"].includes(s) || count(s) !== "0");
  const colon = label.indexOf(":");
  const listed: Selection = {
    ...(status ? { status: [status] } : {}), ...(plan ? { plan: [plan] } : {}), ...(prefix ? { prefix } : {}),
    ...(colon >= 0 ? { label: { [label.slice(0, colon)]: label.slice(colon + 1) } } : {}), ...(filter["kind"] ? { kind: filter["kind"].split(",") } : {}),
  };
  const soon = (): void => void load("many").catch(() => undefined);
  return (
    <>
      {changes.value && <Show name="many" given={{ selection: changes.value, close: () => (changes.value = undefined) }} rows={0} />}
      <Heading title={t("nav.runs")}>
        {may("operate") && (data.value?.rows.length ?? 0) > 0 && <button type="button" onPointerOver={soon} onClick={() => (changes.value = listed)}>{t("runs.changeAll")}</button>}
        <App class="button primary" href={link(["definitions"])}><Icon name="play" />{t("runs.start")}</App>
      </Heading>
      <div class="filters">
        <nav class="tabs counted" aria-label={t("runs.byStatus")}>
          <App href={link(["runs"], { plan, prefix, label, conversations: talks })} current={status === ""}>{t("runs.all")}</App>
          {shown.map((s) => (
            <App key={s} href={link(["runs"], { status: s, plan, prefix, label, conversations: talks })} current={status === s}>
              <span class="dot" data-status={s} />{statusText(s)}<b>{count(s)}</b>
            </App>
          ))}
        </nav>
        <label class="inline">{t("definition")}
          <select value={plan} onChange={(e) => change({ plan: e.currentTarget.value, cursor: "" })}>
            <option value="">{t("runs.everyDefinition")}</option>
            {names.map((name) => <option key={name} value={name}>{name}</option>)}
          </select>
        </label>
        <label class="inline search">{t("runs.id")}
          <input type="search" value={prefix} placeholder="run_…" spellcheck={false} onInput={(e) => {
            const text = e.currentTarget.value.trim();
            clearTimeout(timer.current);
            timer.current = setTimeout(() => change({ prefix: text, cursor: "" }, true), 250);
          }} />
        </label>
        {served.some((d) => d.conversations) && (
          <label class="choice small"><input type="checkbox" checked={talks !== ""} onChange={(e) => change({ conversations: e.currentTarget.checked ? "1" : "", plan: "", cursor: "" })} />{t("runs.talks")}</label>
        )}
        {label && <button type="button" class="chip" onClick={() => change({ label: "", cursor: "" })}><Icon name="tag" /><Said text={label} /><Icon name="cross" /><span class="unseen">{t("filter.remove")}</span></button>}
      </div>
      {error.value && !data.value ? <Failure error={error.value} again={again} />
        : !data.value ? <Loading rows={8} />
        : data.value.rows.length === 0 ? (
          <Empty icon="runs" title={filtered ? t("runs.noneHere") : t("runs.none")}>
            <p>{filtered ? t("runs.noneHereText") : t("runs.noneText")}</p>
            {filtered ? <App class="button" href={link(["runs"])}>{t("filter.clear")}</App> : <App class="button primary" href={link(["definitions"])}>{t("runs.start")}</App>}
          </Empty>
        ) : (
          <>
            <Table rows={data.value.rows} marks={{ marked: new Set(marked.value), mark }} />
            {(data.value.next || cursor) && (
              <div class="pager">
                {cursor && <App class="button" href={link(["runs"], { status, plan, prefix, label, conversations: talks })}>{t("first")}</App>}
                {data.value.next && <App class="button" href={link(["runs"], { status, plan, prefix, label, conversations: talks, cursor: data.value.next })}>{t("next")}</App>}
              </div>
            )}
          </>
        )}
      <div class="marked" role="status" data-empty={marked.value.length === 0 ? "1" : undefined}>
        {marked.value.length > 0 && (
          <>
            <Icon name="compare" /><span>{tn("runs.marked", marked.value.length)}</span>
            <button type="button" class="primary" disabled={marked.value.length !== 2} onClick={() => go(link(["compare"], { a: marked.value[0]!, b: marked.value[1]! }))}>{t("runs.compare")}</button>
            {may("operate") && <button type="button" onPointerOver={soon} onClick={() => (changes.value = { run: marked.value })}>{t("runs.change")}</button>}
            <button type="button" class="quiet" onClick={() => (marked.value = [])}>{t("runs.unmark")}</button>
          </>
        )}
      </div>
    </>
  );
}
