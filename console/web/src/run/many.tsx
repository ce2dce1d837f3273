// Changes many runs, after a dialog has shown which: those that were marked, or those of a list.

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import texts from "../../i18n/many.en.json";
import { Refusal } from "../api";
import { addTexts, number, t, tn } from "../i18n";
import { refresh } from "../live";
import { link } from "../router";
import { me } from "../settings";
import { App, Dialog, Icon, Loading, Said, shortID, Status } from "../ui/parts";
import { named, NameField, Problems } from "../ui/who";
import { change, selected, type Changed, type Selection, type Total, type Verb } from "./bulk";

addTexts(texts);

const verbs: readonly [Verb, string][] = [["hold", "hand"], ["release", "play"], ["retry", "retry"], ["cancel", "stop"]];

/** Rows that are shown of what would be changed. */
const mostRows = 50;

export default function ManyDialog({ selection, close }: { selection: Selection; close: () => void }): JSX.Element {
  const verb = useSignal<Verb | undefined>(undefined);
  const would = useSignal<readonly Changed[] | undefined>(undefined); // what the dry run told, which is what is done
  const more = useSignal(false);
  const done = useSignal<readonly Changed[]>([]);
  const total = useSignal<Total | undefined>(undefined);
  const busy = useSignal(false);
  const problem = useSignal("");
  const reason = useSignal("");
  const over = useRef(new AbortController());
  const last = useRef<HTMLButtonElement>(null);
  useEffect(() => () => over.current.abort(), []);
  useEffect(() => last.current?.focus(), [total.value]); // what had the focus is gone
  const asks = async (work: (signal: AbortSignal) => Promise<void>): Promise<void> => {
    over.current.abort();
    const mine = (over.current = new AbortController());
    busy.value = true;
    problem.value = "";
    try {
      await work(mine.signal);
    } catch (error) {
      if (mine.signal.aborted) return;
      if (!(error instanceof Refusal)) throw error;
      problem.value = error.status === 0 ? t("many.broke") : error.message;
    } finally {
      if (over.current === mine) busy.value = false;
    }
  };
  const choose = (next: Verb): void => {
    verb.value = next;
    would.value = undefined;
    more.value = false;
    const filter = selected(next, selection);
    if (!filter) {
      over.current.abort();
      problem.value = "";
      would.value = [];
      return;
    }
    void asks(async (signal) => {
      const found: Changed[] = [];
      const all = await change(next, filter, { dryRun: true }, (one) => found.push(one), signal);
      if (signal.aborted) return;
      would.value = found.filter((x) => !x.error);
      more.value = all.more;
    });
  };
  const does = (): void => {
    const [act, runs] = [verb.value, would.value];
    if (!act || !runs || runs.length === 0 || busy.value || !named()) return;
    done.value = [];
    void asks(async (signal) => {
      const about = { ...(reason.value.trim() ? { reason: reason.value.trim() } : {}), ...(me.value ? { by: me.value } : {}) };
      try {
        total.value = await change(act, selected(act, { run: runs.map((r) => r.run) })!, about, (one) => (done.value = [...done.value, one]), signal);
      } finally {
        refresh("runs");
      }
    });
  };
  const act = verb.value;
  const runs = would.value;
  const refused = done.value.filter((x) => x.error);
  const ended = total.value;
  if (ended && act) {
    return (
      <Dialog title={t("many.title")} open close={close} class="many">
        <p role="status">{tn(`many.${act}.done`, ended.done)}{ended.refused > 0 && <> {tn("many.refused", ended.refused)}</>}</p>
        {runs && runs.length > ended.done + ended.refused && <p class="faint">{tn("many.passed", runs.length - ended.done - ended.refused)}</p>}
        {refused.length > 0 && <Rows runs={refused} label={t("many.refusedList")} />}
        {more.value && <p class="note slight">{t("many.again")}</p>}
        <div class="foot"><button type="button" class="primary" ref={last} onClick={close}>{t("many.close")}</button></div>
      </Dialog>
    );
  }
  return (
    <Dialog title={t("many.title")} open close={close} class="many">
      <form class="form" noValidate onSubmit={(e) => {
        e.preventDefault();
        does();
      }}>
        <p>{selection.run ? tn("many.marked", selection.run.length) : t("many.listed")}</p>
        <fieldset class="field" disabled={busy.value && done.value.length > 0}>
          <legend>{t("many.what")}</legend>
          <div class="choices">
            {verbs.map(([name, icon]) => (
              <label key={name} class="choice"><input type="radio" name="many" checked={act === name} onChange={() => choose(name)} /><Icon name={icon} />{t(`many.${name}`)}</label>
            ))}
          </div>
        </fieldset>
        {act && !runs && !problem.value && <Loading rows={3} />}
        <div role="status">{act && runs && <p><strong>{runs.length === 0 ? t("many.none") : tn(`many.${act}.would`, runs.length)}</strong>{runs.length > 0 && <> {t(`many.${act}.text`)}</>}{more.value && <> {t("many.more", { n: number(runs.length) })}</>}</p>}</div>
        {runs && runs.length > 0 && <Rows runs={runs} label={t("many.list")} />}
        {act && act !== "retry" && (
          <div class="field">
            <label for="many-why">{t("many.reason")}{act !== "hold" && <span class="optional"> {t("form.optional")}</span>}</label>
            <input id="many-why" type="text" dir="auto" value={reason.value} onInput={(e) => (reason.value = e.currentTarget.value)} />
          </div>
        )}
        {busy.value && done.value.length > 0 && <p role="status">{t("many.going", { n: number(done.value.length), of: number(runs?.length ?? 0) })}</p>}
        <Problems list={problem.value ? [problem.value] : []} />
        <div class="foot">
          <button class={act === "cancel" ? "danger" : "primary"} disabled={busy.value || !runs || runs.length === 0 || (act === "hold" && reason.value.trim() === "")}>
            {act && runs && runs.length > 0 ? tn(`many.${act}.do`, runs.length) : t("many.do")}
          </button>
          <button type="button" onClick={close}>{t("notNow")}</button>
          <NameField id="many-me" />
        </div>
      </form>
    </Dialog>
  );
}

/** Runs, with why one was refused. */
function Rows({ runs, label }: { runs: readonly Changed[]; label: string }): JSX.Element {
  return (
    <div class="rows" tabIndex={0} role="group" aria-label={label}>
      <ul role="list">
        {runs.slice(0, mostRows).map((r) => (
          <li key={r.run}>
            <Status status={r.status} /><span><Said text={r.plan} /> <App class="id" href={link(["runs", r.run])}>{shortID(r.run)}</App>{r.error && <><br /><span class="why" dir="auto">{r.error.detail ?? r.error.title}</span></>}</span>
          </li>
        ))}
      </ul>
      {runs.length > mostRows && <p class="faint">{tn("more", runs.length - mostRows)}</p>}
    </div>
  );
}
