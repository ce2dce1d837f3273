// What runs can be started of.

import { useComputed, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import texts from "../../i18n/definitions.en.json";
import { countRuns, definitions, type DefinitionRow } from "../api";
import { addTexts, number, t } from "../i18n";
import { useLive } from "../live";
import { link } from "../router";
import { App, Empty, Failure, Heading, Icon, kindText, Loading, Said } from "../ui/parts";

addTexts(texts);

export default function DefinitionsPage(): JSX.Element {
  const { data, error, again } = useLive("definitions", (s) => definitions(s), 10_000, "definitions");
  const running = useLive("open", (s) => countRuns({ by: "plan", status: "running,paused" }, s), 5000, "runs");
  const wanted = useSignal("");
  const shown = useComputed(() => (data.value ?? []).filter((d) => matches(d, wanted.value)));
  const open = (name: string): string => {
    const n = running.data.value?.find((x) => x.value === name);
    return n ? number(n.n) + (n.more ? "+" : "") : "";
  };
  return (
    <>
      <Heading title={t("nav.definitions")} lead={t("definitions.lead")} />
      {error.value && !data.value ? <Failure error={error.value} again={again} />
        : !data.value ? <Loading rows={6} />
        : data.value.length === 0 ? <Empty icon="definitions" title={t("definitions.none")}><p>{t("definitions.noneText")}</p></Empty>
        : (
          <>
            {data.value.length > 8 && (
              <div class="filters">
                <label class="inline search grow">{t("definitions.find")}
                  <input type="search" value={wanted.value} onInput={(e) => (wanted.value = e.currentTarget.value)} />
                </label>
              </div>
            )}
            <p class="unseen" role="status">{t("definitions.count", { n: number(shown.value.length) })}</p>
            <ul class="tiles">
              {shown.value.map((d) => (
                <li key={d.name}>
                  <App href={link(["definitions", d.name])} class="tile">
                    <span class="title"><Said text={d.name} /></span>
                    {d.description && <span class="text" dir="auto">{d.description}</span>}
                    <span class="sub">
                      <span>{kindText(d.kind)}{d.version ? " · " + t("version", { v: d.version }) : ""}</span>
                      {open(d.name) && <span class="live"><span class="dot" data-status="running" />{t("definitions.open", { n: open(d.name) })}</span>}
                      {d.notes && d.notes.length > 0 && <span class="warned"><Icon name="alert" /><span class="unseen">{t("definitions.notes")}</span></span>}
                    </span>
                  </App>
                </li>
              ))}
            </ul>
            {shown.value.length === 0 && <Empty icon="search" title={t("definitions.noMatch")} />}
          </>
        )}
    </>
  );
}

function matches(d: DefinitionRow, wanted: string): boolean {
  const text = (d.name + " " + (d.description ?? "")).toLocaleLowerCase();
  return wanted.toLocaleLowerCase().split(/\s+/).every((word) => text.includes(word));
}
