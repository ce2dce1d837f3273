// Forks a run at an entry, with other values: a run of its own, while this one stays what happened.

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import texts from "../../i18n/fork.en.json";
import { drawing, newKey, Refusal, stateAt, type Run, type Stops } from "../api";
import { addTexts, number, t } from "../i18n";
import { encode, JSONError, parse, type Value } from "../json";
import { go, link } from "../router";
import { me } from "../settings";
import { Breaks, noStops } from "../ui/breaks";
import { Difference } from "../ui/difference";
import { Dialog, Icon, say } from "../ui/parts";
import { NameField, Problems } from "../ui/who";
import { isSame, type Difference as Found } from "./compared";
import { fork, tryFork, type Forking } from "./diff";

addTexts(texts);

interface Row {
  readonly path: string;
  readonly value: string;
}

export default function ForkDialog({ r, at, close }: { r: Run; at: number; close: () => void }): JSX.Element {
  const rows = useSignal<readonly Row[]>([{ path: "", value: "" }]);
  const stops = useSignal<Stops>(noStops);
  const tried = useSignal<Found | undefined>(undefined);
  const problem = useSignal("");
  const busy = useSignal(false);
  const known = useSignal<{ readonly state: Value; readonly svg: string } | undefined>(undefined);
  const key = useRef({ of: "", key: "" });
  const id = useId();
  useEffect(() => {
    const over = new AbortController();
    Promise.all([stateAt(r.run, at, over.signal), drawing(r.run, at, over.signal).catch(() => "")]).then(([state, svg]) => (known.value = { state, svg }), (error: unknown) => {
      if (error instanceof Refusal) problem.value = error.message;
    });
    return () => over.abort();
  }, [r.run, at]);
  const names = known.value?.state instanceof Map ? [...known.value.state.keys()] : [];
  const change = (i: number, next: Partial<Row>): void => {
    tried.value = undefined;
    rows.value = rows.value.map((row, j) => (i === j ? { ...row, ...next } : row));
  };
  const wanted = (): Forking => ({ at, set: new Map(rows.value.filter((x) => x.path.trim() !== "").map((x) => [x.path.trim(), jsonOf(x.value)])), stops: stops.value, by: me.value });
  const doing = async (work: () => Promise<void>): Promise<void> => {
    if (busy.value) return;
    busy.value = true;
    problem.value = "";
    try {
      await work();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      problem.value = error.status === 0 ? t("error.unreachable") : error.message;
    } finally {
      busy.value = false;
    }
  };
  const does = (): Promise<void> => doing(async () => {
    const f = wanted();
    const of = JSON.stringify([f.at, [...f.set], f.stops]);
    if (key.current.of !== of) key.current = { of, key: newKey() };
    const made = await fork(r.run, f, key.current.key);
    say(t("fork.done"));
    close();
    go(link(["runs", made]));
  });
  return (
    <Dialog title={t("fork.title", { n: number(at) })} open close={close} class="wide">
      <form class="form" noValidate onSubmit={(e) => {
        e.preventDefault();
        void does();
      }}>
        <p>{t("fork.text", { n: number(at) })}</p>
        <fieldset class="field">
          <legend>{t("fork.set")}<span class="optional"> {t("form.optional")}</span></legend>
          <p class="help">{t("fork.setHelp")}</p>
          <datalist id={id}>{names.map((name) => <option key={name} value={name} />)}</datalist>
          {rows.value.map((row, i) => (
            <div key={i} class="setting">
              <input type="text" list={id} spellcheck={false} aria-label={t("fork.path")} placeholder={t("fork.path")} value={row.path} onInput={(e) => change(i, { path: e.currentTarget.value })}
                onChange={(e) => { // the value that is there is the one to begin with
                  const had = known.value?.state instanceof Map ? known.value.state.get(e.currentTarget.value) : undefined;
                  if (had !== undefined && row.value === "") change(i, { path: e.currentTarget.value, value: typeof had === "string" ? had : encode(had) });
                }} />
              <input type="text" class="code" spellcheck={false} aria-label={t("fork.value")} placeholder={t("fork.value")} value={row.value} onInput={(e) => change(i, { value: e.currentTarget.value })} onFocus={(e) => e.currentTarget.select()} />
            </div>
          ))}
          <button type="button" class="small" onClick={() => (rows.value = [...rows.value, { path: "", value: "" }])}><Icon name="plus" />{t("fork.more")}</button>
        </fieldset>
        {known.value && <Breaks svg={known.value.svg} stops={stops.value} set={(s) => (stops.value = s)} />}
        {tried.value && (
          <div class="tried" role="status">
            {isSame(tried.value) ? <p class="note slight">{t("fork.same")}</p> : (
              <>
                <p class="note slight">{t("fork.would")}</p>
                <Difference d={tried.value} names={{ a: t("fork.thisRun"), b: t("fork.fork") }} />
              </>
            )}
          </div>
        )}
        <Problems list={problem.value ? [problem.value] : []} />
        <div class="foot">
          <button class="primary" disabled={busy.value}><Icon name="fork" />{t("fork.do")}</button>
          <button type="button" disabled={busy.value} onClick={() => void doing(async () => {
            tried.value = await tryFork(r.run, wanted());
          })}>{t("fork.try")}</button>
          <button type="button" class="quiet" onClick={close}>{t("notNow")}</button>
          <NameField id="fork-me" />
        </div>
      </form>
    </Dialog>
  );
}

/** What somebody typed, as JSON: what is none is a text. */
function jsonOf(typed: string): string {
  try {
    return encode(parse(typed));
  } catch (error) {
    if (!(error instanceof JSONError)) throw error;
    return JSON.stringify(typed);
  }
}
