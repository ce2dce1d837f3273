// A table of runs.

import type { JSX } from "preact";
import texts from "../../i18n/runs.en.json";
import type { RunRow } from "../api";
import { addTexts, number, t } from "../i18n";
import { go, link } from "../router";
import { walk } from "./keys";
import { Ago, App, Icon, runPath, Said, shortID, Status } from "./parts";

addTexts(texts);

/** Runs that somebody has marked. */
export interface Marks {
  readonly marked: ReadonlySet<string>;
  readonly mark: (run: string, on: boolean) => void;
}

export function Table({ rows, plans = true, marks }: { rows: readonly RunRow[]; plans?: boolean; marks?: Marks }): JSX.Element {
  return (
    <div class="card flush">
      <table class="runs">
        <thead>
          <tr>
            {marks && <td class="mark" />}
            <th scope="col">{t("status")}</th>
            <th scope="col">{plans ? t("definition") : t("runs.id")}</th>
            <th scope="col">{t("runs.about")}</th>
            <th scope="col" class="right">{t("runs.started")}</th>
            <th scope="col" class="right">{t("runs.changed")}</th>
          </tr>
        </thead>
        <tbody onKeyDown={(e) => walk(e, "tr", "input, .name a")}>
          {rows.map((r) => (
            <tr key={r.run} data-marked={marks?.marked.has(r.run) ? "1" : undefined} onClick={(e) => !(e.target as Element).closest("a,button,.mark") && getSelection()?.toString() === "" && go(runPath(r))}>
              {marks && (
                <td class="mark">{r.kind !== "dialogue" && <label><input type="checkbox" aria-label={t("runs.mark", { run: r.plan + " " + shortID(r.run) })} checked={marks.marked.has(r.run)} onChange={(e) => marks.mark(r.run, e.currentTarget.checked)} /></label>}</td>
              )}
              <td class="stands"><Status status={isHeld(r) ? "held" : r.status} /></td>
              <td class="name">
                <App href={runPath(r)}>{plans ? <Said text={r.plan} /> : shortID(r.run)}</App>
                {plans && <span class="id">{shortID(r.run)}</span>}
              </td>
              <td class="about"><About r={r} /></td>
              <td class="right began"><Ago at={Date.parse(r.created)} /></td>
              <td class="right changed"><Ago at={Date.parse(r.updated)} /></td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A run that waits has an error only while somebody holds it: by whom, and why. */
function isHeld(r: RunRow): boolean {
  return r.status === "paused" && r.error !== undefined;
}

/** What there is to know of a run in one line. */
function About({ r }: { r: RunRow }): JSX.Element {
  const labels = Object.entries(r.labels ?? {});
  return (
    <>
      {r.error && <span class={isHeld(r) ? "why held" : "why"} dir="auto" title={r.error}>{r.error}</span>}
      {r.waiting > 0 && r.kind !== "dialogue" && <span class="waits"><Icon name="person" />{r.waiting === 1 ? t("runs.waitsOne") : t("runs.waits", { n: number(r.waiting) })}</span>}
      {labels.map(([key, value]) => <App key={key} class="chip" href={link(["runs"], { label: key + ":" + value })}><Said text={`${key}: ${value}`} /></App>)}
    </>
  );
}
