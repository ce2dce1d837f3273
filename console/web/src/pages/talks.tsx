// All conversations, those that wait for a person first.

import type { JSX } from "preact";
import { countRuns, definitions, questions, runs, type Question } from "../api";
import { addTexts, number, t } from "../i18n";
import { useLive } from "../live";
import { may } from "../login";
import { change, go, link, parameter } from "../router";
import { lastWords, stateOfRow, type State } from "../talk/model";
import { Ago, App, Empty, Failure, Heading, Icon, Loading, Said, shortID } from "../ui/parts";
import { looks, plain, Stands } from "../talk/stands";
import runTexts from "../../i18n/runs.en.json";
import texts from "../../i18n/talks.en.json";

addTexts(runTexts);
addTexts(texts);

/** A conversation that waits for people other than its user. */
interface Waits {
  readonly plan: string;
  readonly q: Question;
}

const tabs = ["", "handoff", "busy", "open", "over"] as const;
const statuses: Readonly<Record<string, string>> = { open: "running,paused", over: "completed,failed,blocked,cancelled,expired" };

export default function TalksPage(): JSX.Element {
  const tab = parameter("state");
  const plan = parameter("dialogue");
  const cursor = parameter("cursor");
  const query: Record<string, string> = {
    kind: "dialogue", order: "updated", limit: "50", ...(plan ? { plan } : {}), ...(statuses[tab] ? { status: statuses[tab] } : {}), ...(cursor ? { cursor } : {}),
  };
  const listed = useLive("talks" + JSON.stringify(query), (s) => runs(query, s));
  const known = useLive("dialogues", async (s) => {
    const [served, held] = await Promise.all([definitions(s), countRuns({ kind: "dialogue", by: "plan" }, s)]);
    return { served: served.filter((d) => d.conversations), names: [...new Set([...served.filter((d) => d.conversations).map((d) => d.name), ...held.map((c) => c.value)])].sort() };
  }, 10_000);
  const asks = may("tasks"); // who may look at questions
  const names = !asks ? [] : plan ? [plan] : known.data.value?.names ?? [];
  const waiting = useLive("talks wait " + names.join("\n"), async (s) => {
    const of = async (name: string): Promise<Waits[]> => (await questions({ plan: name, skip: "dialogue", limit: "200" }, s)).rows.map((q) => ({ plan: name, q }));
    return (await Promise.all(names.map(of))).flat();
  }, 3000);
  const paused = (listed.data.value?.rows ?? []).filter((r) => asks && r.status === "paused").map((r) => r.run);
  const prompts = useLive("talks ask " + paused.join(), async (s) => new Map(paused.length === 0 ? []
    : (await questions({ run: paused.join(), limit: "200" }, s)).rows.filter((q) => q.kind === "dialogue").map((q) => [q.run, q.prompt ?? ""])), 5000);
  const present = waiting.data.value ?? [];
  const handed = new Map(present.filter((w) => w.q.kind === "dialogue").map((w) => [w.q.run, w]));
  const others = new Map(present.filter((w) => w.q.kind !== "dialogue").map((w) => [w.q.run, w]));
  const rows = listed.data.value?.rows ?? [];
  const asked = tab === "handoff" ? handed : tab === "busy" ? others : undefined;
  const first = cursor === "" && tab !== "over" && tab !== "busy" ? [...handed.values()] : tab === "busy" ? [...others.values()] : [];
  const rest = asked ? [] : rows.filter((r) => !first.some((w) => w.q.run === r.run));
  const error = listed.error.value ?? known.error.value;
  const nothing = first.length + rest.length === 0;
  return (
    <>
      <Heading title={t("nav.talks")} lead={t("talks.lead")} />
      <div class="filters">
        <nav class="tabs counted" aria-label={t("talks.byState")}>
          {tabs.map((name) => (
            <App key={name} href={link(["conversations"], { state: name, dialogue: plan })} current={tab === name}>
              {name === "handoff" || name === "busy" ? <><span class="dot" data-status={looks[name]} />{t(`talks.${name}`)}<b>{number((name === "handoff" ? handed : others).size)}</b></>
                : t(`talks.${name || "all"}`)}
            </App>
          ))}
        </nav>
        <label class="inline">{t("talks.dialogue")}
          <select value={plan} onChange={(e) => change({ dialogue: e.currentTarget.value, cursor: "" })}>
            <option value="">{t("talks.every")}</option>
            {(known.data.value?.names ?? []).map((name) => <option key={name} value={name}>{name}</option>)}
          </select>
        </label>
      </div>
      {error && !(listed.data.value && known.data.value) ? <Failure error={error} again={() => {
        listed.again();
        known.again();
      }} />
        : !listed.data.value || !known.data.value ? <Loading rows={6} />
        : nothing ? (
          <Empty icon="talk" title={tab || plan ? t("talks.noneHere") : t("talks.none")}>
            <p>{tab || plan ? t("talks.noneHereText") : known.data.value.served.length > 0 ? t("talks.noneText") : t("talks.noDialogues")}</p>
            {known.data.value.served.slice(0, 6).map((d) => <App key={d.name} class="button" href={link(["definitions", d.name])}><Icon name="talk" /><Said text={d.name} /></App>)}
          </Empty>
        ) : (
          <>
            <div class="card flush">
              <table class="runs">
                <thead><tr>
                  <th scope="col">{t("status")}</th><th scope="col">{t("talks.dialogue")}</th><th scope="col">{t("runs.about")}</th>
                  <th scope="col" class="right">{t("runs.started")}</th><th scope="col" class="right">{t("runs.changed")}</th>
                </tr></thead>
                <tbody>
                  {first.map((w) => {
                    const row = rows.find((r) => r.run === w.q.run);
                    return <Row key={w.q.run} run={w.q.run} plan={w.plan} state={w.q.kind === "dialogue" ? "handoff" : "busy"} about={w.q.kind === "dialogue" ? lastWords(plain(w.q.input)) : w.q.prompt ?? ""}
                      who={w.q.claimedByName ?? w.q.claimedBy ?? w.q.requiredRole ?? ""} began={row ? Date.parse(row.created) : undefined} changed={row ? Date.parse(row.updated) : (w.q.opened ?? 0) / 1000} />;
                  })}
                  {rest.map((r) => <Row key={r.run} run={r.run} plan={r.plan} state={stateOfRow(r.status, handed.has(r.run), others.has(r.run))} about={r.error ?? others.get(r.run)?.q.prompt ?? prompts.data.value?.get(r.run) ?? ""} who={others.get(r.run)?.q.requiredRole ?? ""}
                    began={Date.parse(r.created)} changed={Date.parse(r.updated)} />)}
                </tbody>
              </table>
            </div>
            {!asked && (listed.data.value.next || cursor) && (
              <div class="pager">
                {cursor && <App class="button" href={link(["conversations"], { state: tab, dialogue: plan })}>{t("first")}</App>}
                {listed.data.value.next && <App class="button" href={link(["conversations"], { state: tab, dialogue: plan, cursor: listed.data.value.next })}>{t("next")}</App>}
              </div>
            )}
          </>
        )}
    </>
  );
}

function Row({ run, plan, state, about, who, began, changed }: {
  run: string; plan: string; state: State; about: string; who: string; began: number | undefined; changed: number;
}): JSX.Element {
  const href = link(["conversations", plan, run]);
  return (
    <tr onClick={(e) => !(e.target as Element).closest("a,button") && getSelection()?.toString() === "" && go(href)}>
      <td class="stands"><Stands state={state} /></td>
      <td class="name"><App href={href}><Said text={plan} /></App><span class="id">{shortID(run)}</span></td>
      <td class="about">{about && <span class={state === "failed" ? "why" : ""} dir="auto">{about}</span>}{who && <span class="chip"><Icon name="person" /><Said text={who} /></span>}</td>
      <td class="right began">{began !== undefined && <Ago at={began} />}</td>
      <td class="right changed"><Ago at={changed} /></td>
    </tr>
  );
}
