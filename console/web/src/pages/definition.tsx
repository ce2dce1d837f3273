// One definition: its drawing, the form that starts a run, and its newest runs.

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import texts from "../../i18n/definitions.en.json";
import { definition, newKey, Refusal, runs, start, type Definition } from "../api";
import { useFilling } from "../form/state";
import { Fields, toWrong } from "../form/view";
import { addTexts, language, t } from "../i18n";
import { useLive } from "../live";
import { may } from "../login";
import { go, link } from "../router";
import { me } from "../settings";
import { schedules } from "../schedules";
import { begin } from "../talk/api";
import { Breaks, noStops } from "../ui/breaks";
import { Drawing } from "../ui/drawing";
import { Ago, App, Failure, Heading, Icon, kindText, Loading, Said, say, Status } from "../ui/parts";
import { named, NameField, Problems } from "../ui/who";
import { Table } from "../ui/runs";

addTexts(texts);

export default function DefinitionPage({ name }: { name: string }): JSX.Element {
  const { data, error, again } = useLive("definition " + name, (s) => definition(name, s), 10_000, "definitions");
  const last = useLive("runs of " + name, (s) => runs({ plan: name, limit: "8" }, s), undefined, "runs");
  const timed = useLive("schedules of " + name, async (s) => (await schedules(s)).schedules.filter((x) => x.definition === name), 15_000, "schedules");
  const d = data.value;
  if (error.value && !d) return <><Heading title={name} /><Failure error={error.value} again={again} /></>;
  if (!d) return <><Heading title={name} /><Loading /></>;
  return (
    <>
      <p class="crumb"><App href={link(["definitions"])}><Icon name="left" />{t("nav.definitions")}</App></p>
      <Heading title={d.name} {...(d.description ? { lead: d.description } : {})} />
      {d.notes?.map((note, i) => <p key={i} class="note warned"><Icon name="alert" /><Said text={note} /></p>)}
      <div class="columns">
        <section class="card" aria-labelledby="start">
          <header><h2 id="start">{t(d.conversations ? "talk.begin" : "start.title")}</h2></header>
          {may(d.conversations ? "talk" : "start") ? <StartForm d={d} /> : <p class="faint">{t("start.mayNot")}</p>}
        </section>
        <section class="card" aria-labelledby="drawing">
          <header><h2 id="drawing">{t("drawing")}</h2><span class="sub">{kindText(d.kind)}{d.version ? " · " + t("version", { v: d.version }) : ""}</span></header>
          <Drawing svg={d.svg} label={t("drawing.of", { name: d.name })} />
        </section>
      </div>
      {timed.data.value && timed.data.value.length > 0 && (
        <section aria-labelledby="timed">
          <h2 id="timed">{t("nav.schedules")}</h2>
          <ul class="card flush listed">
            {timed.data.value.map((s) => (
              <li key={s.schedule}>
                <App href={link(["schedules"])}><Said text={s.schedule} /></App><span class="faint">{s.rule}</span>
                {s.paused ? <Status status="off" /> : s.next[0] && <span class="faint"><Ago at={Date.parse(s.next[0].time)} /></span>}
              </li>
            ))}
          </ul>
        </section>
      )}
      <section aria-labelledby="last">
        <h2 id="last">{t(d.conversations ? "talk.begun" : "definitions.last")}</h2>
        {last.data.value ? (last.data.value.rows.length > 0
          ? <><Table rows={last.data.value.rows} plans={false} /><p>{d.conversations ? <App href={link(["conversations"], { dialogue: name })}>{t("talk.all")}</App> : <App href={link(["runs"], { plan: name })}>{t("definitions.all")}</App>}</p></>
          : <p class="faint">{t(d.conversations ? "talk.noneBegun" : "definitions.noRuns")}</p>) : <Loading rows={2} />}
      </section>
    </>
  );
}

function StartForm({ d }: { d: Definition }): JSX.Element {
  const fill = useFilling(d.inputs === true ? new Map() : d.inputs, undefined);
  const anything = !(d.inputs instanceof Map) || d.inputs.size === 0;
  const nothing = fill.form.object && fill.form.fields.length === 0 || (d.inputs instanceof Map && d.inputs.get("type") === "object" && !hasProperties(d.inputs));
  const talks = d.conversations !== undefined;
  const spoken = useSignal(d.languages?.includes(language.value) ? language.value as string : d.languages?.[0] ?? "");
  const stops = useSignal(noStops);
  const busy = useSignal(false);
  const problems = useSignal<readonly string[]>([]);
  const key = useRef({ value: "", key: "" });
  const ref = useRef<HTMLFormElement>(null);
  const submit = async (e: Event): Promise<void> => {
    e.preventDefault();
    if (busy.value) return;
    const empty = nothing || (anything && !fill.entries.value.some((x) => x.text));
    const value = empty ? "{}" : fill.answer();
    if (value === undefined || (!talks && !named())) {
      toWrong(ref.current);
      return;
    }
    busy.value = true;
    problems.value = [];
    const said = value + spoken.value + JSON.stringify(stops.value);
    if (key.current.value !== said) key.current = { value: said, key: newKey() };
    try {
      if (talks) {
        const id = await begin(d.name, value, spoken.value, key.current.key);
        key.current = { value: "", key: "" };
        go(link(["conversations", d.name, id]));
        return;
      }
      const started = await start(d.name, value, stops.value, me.value, key.current.key);
      key.current = { value: "", key: "" };
      say(t("start.started"));
      go(link(["runs", started.run]));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      problems.value = error.problems.length > 0 ? fill.refused(error.problems) : [error.status === 0 ? t("error.unreachable") : error.message];
      toWrong(ref.current);
    } finally {
      busy.value = false;
    }
  };
  return (
    <form ref={ref} class="form" onSubmit={(e) => void submit(e)} noValidate>
      {nothing ? !talks && <p class="faint">{t("start.noInputs")}</p>
        : <Fields form={fill.form} entries={fill.entries.value} set={fill.set} wrong={fill.wrong.value} id="input" at="" />}
      {d.languages && (
        <div class="field">
          <label for="language">{t("talk.language")}</label>
          <select id="language" value={spoken.value} onChange={(e) => (spoken.value = e.currentTarget.value)}>
            {d.languages.map((tag) => <option key={tag} value={tag} lang={tag}>{new Intl.DisplayNames(language.value, { type: "language" }).of(tag)}</option>)}
          </select>
        </div>
      )}
      {!talks && <Breaks svg={d.svg} stops={stops.value} set={(s) => (stops.value = s)} />}
      <Problems list={problems.value} />
      <div class="foot">
        <button class="primary" disabled={busy.value}><Icon name={talks ? "talk" : "play"} />{t(talks ? "talk.beginDo" : "start.start")}</button>
        {!talks && <NameField id="start-me" />}
      </div>
    </form>
  );
}

function hasProperties(s: Map<string, unknown>): boolean {
  const p = s.get("properties");
  return p instanceof Map && p.size > 0;
}
