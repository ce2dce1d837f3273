// Breakpoints: nodes before or behind which a run is held (law J19).

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useId, useMemo } from "preact/hooks";
import texts from "../../i18n/fork.en.json";
import type { Stops } from "../api";
import { addTexts, number, t } from "../i18n";
import { rebuilt } from "./drawing";
import { Icon, Said } from "./parts";

addTexts(texts);

export const noStops: Stops = { before: [], after: [] };

/** The paths of the nodes of a drawing. */
export function nodesOf(svg: string): string[] {
  const nodes = [...(rebuilt(svg)?.querySelectorAll("g.node > title") ?? [])].map((title) => (title.textContent ?? "").replace(/: \w+$/, ""));
  return [...new Set(nodes.filter((path) => path !== ""))];
}

export function Breaks({ svg, stops, set }: { svg: string; stops: Stops; set: (stops: Stops) => void }): JSX.Element | null {
  const nodes = useMemo(() => nodesOf(svg), [svg]);
  const node = useSignal("");
  const id = useId();
  if (nodes.length === 0) return null;
  const chosen = node.value || nodes[0]!;
  const add = (side: keyof Stops): void => {
    if (!stops[side].includes(chosen)) set({ ...stops, [side]: [...stops[side], chosen] });
  };
  const count = stops.before.length + stops.after.length;
  return (
    <details class="more">
      <summary><Icon name="right" />{t("breaks")}{count > 0 && <b class="count" aria-label={t("breaks.count", { n: number(count) })}>{number(count)}</b>}</summary>
      <p class="help">{t("breaks.help")}</p>
      <div class="stops">
        <label for={id} class="unseen">{t("breaks.node")}</label>
        <select id={id} value={chosen} onChange={(e) => (node.value = e.currentTarget.value)}>
          {nodes.map((path) => <option key={path} value={path}>{path}</option>)}
        </select>
        <button type="button" onClick={() => add("before")}>{t("breaks.before")}</button>
        <button type="button" onClick={() => add("after")}>{t("breaks.after")}</button>
      </div>
      {count > 0 && (
        <ul class="chips">
          {(["before", "after"] as const).flatMap((side) => stops[side].map((path) => (
            <li key={side + path}>
              <button type="button" class="chip" onClick={() => set({ ...stops, [side]: stops[side].filter((x) => x !== path) })}>
                <Icon name="hand" />{t(`breaks.is.${side}`)} <Said text={path} /><Icon name="cross" /><span class="unseen">{t("breaks.remove")}</span>
              </button>
            </li>
          )))}
        </ul>
      )}
    </details>
  );
}
