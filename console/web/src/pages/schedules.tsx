// When runs begin by themselves: each schedule with its next times and its last runs.

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import texts from "../../i18n/schedules.en.json";
import { addTexts, language, moment, number, t, tx } from "../i18n";
import { now, useLive } from "../live";
import { may } from "../login";
import { link } from "../router";
import { me } from "../settings";
import { fire, pause, schedules, type Schedule } from "../schedules";
import { Ago, App, Dialog, Empty, Failure, Heading, Icon, Loading, Said, Status, statusText } from "../ui/parts";
import { useDoing } from "../ui/doing";
import { named, NameField, Problems } from "../ui/who";

addTexts(texts);

export default function SchedulesPage(): JSX.Element {
  const { data, error, again } = useLive("schedules", schedules, 10_000, "schedules");
  const wanted = useSignal("");
  const all = data.value?.schedules ?? [];
  const shown = all.filter((s) => `${s.schedule} ${s.description ?? ""}`.toLocaleLowerCase().includes(wanted.value.trim().toLocaleLowerCase()));
  return (
    <>
      <Heading title={t("nav.schedules")} lead={t("schedules.lead")} />
      {data.value && !data.value.fires && all.length > 0 && <p class="note warned"><Icon name="alert" /><span>{t("schedules.notHere")}</span></p>}
      {error.value && !data.value ? <Failure error={error.value} again={again} />
        : !data.value ? <Loading rows={4} />
        : all.length === 0 ? (
          <Empty icon="calendar" title={t("schedules.none")}>
            <p>{t("schedules.noneText")}</p>
            <pre class="json" dir="ltr">{"schedules:\n  - {id: nightly, cron: \"30 2 * * *\"}"}</pre>
          </Empty>
        ) : (
          <>
            {all.length > 8 && (
              <div class="filters"><label class="inline search grow">{t("find")}<input type="search" value={wanted.value} onInput={(e) => (wanted.value = e.currentTarget.value)} /></label></div>
            )}
            <p class="unseen" role="status">{t("schedules.count", { n: number(shown.length) })}</p>
            <ul class="schedules">{shown.map((s) => <One key={s.schedule} s={s} />)}</ul>
            {shown.length === 0 && <Empty icon="search" title={t("schedules.noMatch")} />}
          </>
        )}
    </>
  );
}

function One({ s }: { s: Schedule }): JSX.Element {
  const [next, ...later] = s.next;
  const id = "schedule-" + s.schedule;
  return (
    <li class="card schedule" data-paused={s.paused ? "1" : undefined} aria-labelledby={id}>
      <header>
        <div>
          <h2 id={id}><Said text={s.schedule} />{s.paused && <Status status="off" />}</h2>
          {s.description && <p class="text" dir="auto">{s.description}</p>}
        </div>
        {may("start") && <Acts s={s} />}
      </header>
      <dl class="times">
        <div>
          <dt>{t("schedules.rule")}</dt>
          <dd>{language.value === "en" ? <span class="rule">{s.rule}</span> : <span class="rule" lang="en">{s.rule}</span>}<span class="sub"><code>{s.cron}</code><span>{s.timeZone}</span></span></dd>
        </div>
        <div>
          <dt>{t("schedules.next")}</dt>
          <dd>
            {next ? <><span class="soon"><Ago at={Date.parse(next.time)} /></span><ul class="sub">{[next, ...later].map((o) => <li key={o.run}>{inZone(o.time, s.timeZone)}</li>)}</ul></>
              : <span class="nothing">{s.paused ? t("schedules.noneWhilePaused") : t("schedules.never")}</span>}
          </dd>
        </div>
        <div>
          <dt>{t("schedules.last")}</dt>
          <dd>
            {s.last.length === 0 ? <span class="nothing">{t("schedules.noRuns")}</span> : (
              <ol class="lasts">
                {s.last.map((r) => (
                  <li key={r.run}><App href={link(["runs", r.run])} class="last"><span class="dot" data-status={r.status} /><span>{statusText(r.status)}</span><Ago at={Date.parse(r.created)} /></App></li>
                ))}
              </ol>
            )}
          </dd>
        </div>
      </dl>
      <footer class="sub">
        <App href={link(["definitions", s.definition])}><Icon name="definitions" /><Said text={s.definition} /></App>
        <span>{tx("schedules.overlap." + s.overlap, s.overlap)}</span>
        <span>{tx("schedules.catchUp." + s.catchUp, s.catchUp)}</span>
        {s.pausedBy && <span class="off"><Icon name="person" />{t("schedules.pausedBy", { who: s.pausedBy.by || t("me.nobody") })}{s.pausedBy.note && <>: <Said text={s.pausedBy.note} /></>}</span>}
        {s.last.length > 0 && <App href={link(["runs"], { label: "fermata.schedule:" + s.schedule })}>{t("schedules.all")}</App>}
      </footer>
    </li>
  );
}

/** A time on the clock of the schedule, which may be another one than that of the reader. */
function inZone(time: string, zone: string): string {
  const near = Math.abs(Date.parse(time) - now.value) < 180 * 86_400_000;
  try {
    return new Intl.DateTimeFormat(language.value, { weekday: "short", day: "numeric", month: "short", ...(near ? {} : { year: "numeric" }), hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone: zone }).format(Date.parse(time));
  } catch {
    return moment(Date.parse(time)); // a zone that the browser does not know
  }
}

/** What can be done about a schedule, after a dialog. */
function Acts({ s }: { s: Schedule }): JSX.Element {
  const asks = useSignal<"" | "fire" | "pause" | "resume">("");
  const note = useSignal("");
  const doing = useDoing();
  const begin = (what: typeof asks.value): void => {
    doing.reset();
    note.value = "";
    asks.value = what;
  };
  const close = (): void => {
    asks.value = "";
  };
  const does = async (): Promise<void> => {
    if (!named()) return;
    const what = asks.value;
    const ok = what === "fire" ? await doing.go(() => fire(s.schedule, me.value), t("schedules.fired"))
      : await doing.go(() => pause(s.schedule, what === "pause", note.value.trim(), me.value), t(what === "pause" ? "schedules.paused" : "schedules.resumed"));
    if (ok) close();
  };
  const file = s.paused && !s.pausedBy; // the recipe itself says so
  return (
    <div class="acts">
      <button type="button" onClick={() => begin("fire")}><Icon name="play" />{t("schedules.fire")}</button>
      {may("operate") && (s.paused
        ? <button type="button" disabled={file} title={file ? t("schedules.pausedInFile") : undefined} onClick={() => begin("resume")}><Icon name="right" />{t("schedules.resume")}</button>
        : <button type="button" onClick={() => begin("pause")}><Icon name="pause" />{t("schedules.pause")}</button>)}
      <Dialog title={asks.value === "" ? "" : t(`schedules.${asks.value}Title`, { name: s.schedule })} open={asks.value !== ""} close={close}>
        <form class="form" noValidate onSubmit={(e) => {
          e.preventDefault();
          void does();
        }}>
          <p>{asks.value !== "" && t(`schedules.${asks.value}Text`)}</p>
          {asks.value !== "fire" && (
            <div class="field">
              <label for="schedule-why">{t("schedules.reason")}<span class="optional"> {t("form.optional")}</span></label>
              <input id="schedule-why" type="text" dir="auto" value={note.value} onInput={(e) => (note.value = e.currentTarget.value)} />
            </div>
          )}
          <Problems list={doing.problem ? [doing.problem] : []} />
          <div class="foot">
            <button class="primary" disabled={doing.busy}><Icon name={asks.value === "pause" ? "pause" : "play"} />{asks.value !== "" && t(`schedules.${asks.value}`)}</button>
            <button type="button" onClick={close}>{t("notNow")}</button>
            <NameField id="schedule-me" />
          </div>
        </form>
      </Dialog>
    </div>
  );
}
