// Values as people read them: names and texts, lists of alike things as tables. All of it is text.

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { Num, pretty, type Obj, type Value } from "../json";
import { t, tn } from "../i18n";
import { steady } from "../run/told";
import { Copy } from "./parts";

const longText = 900;
const manyRows = 30;
const deepest = 4;

export function Shown({ value, depth = 0 }: { value: Value | undefined; depth?: number }): JSX.Element {
  if (value === undefined || value === null) return <span class="nothing">{t("value.none")}</span>;
  if (typeof value === "boolean") return <span class="flag">{value ? t("yes") : t("no")}</span>;
  if (value instanceof Num) return <span class="num">{value.text}</span>;
  if (typeof value === "string") return <Text text={value} />;
  if (Array.isArray(value)) return value.length === 0 ? <span class="nothing">{t("value.emptyList")}</span> : <List list={value} depth={depth} />;
  if (value.size === 0) return <span class="nothing">{t("value.empty")}</span>;
  if (depth >= deepest) return <pre class="json" tabIndex={0} dir="ltr">{steady(pretty(value))}</pre>;
  return <Members object={value} depth={depth} />;
}

export function Text({ text }: { text: string }): JSX.Element {
  const all = useSignal(false);
  if (text === "") return <span class="nothing">{t("value.emptyText")}</span>;
  const long = text.length > longText && !all.value;
  return (
    <span class="said">
      <bdi>{steady(long ? text.slice(0, longText) + "…" : text)}</bdi>
      {long && <button type="button" class="linkish" onClick={() => (all.value = true)}>{t("value.all")}</button>}
    </span>
  );
}

function Members({ object, depth }: { object: Obj; depth: number }): JSX.Element {
  return (
    <dl class="members">
      {[...object].map(([name, v]) => (
        <div key={name} class={v instanceof Map || Array.isArray(v) || (typeof v === "string" && v.length > 80) ? "wide" : ""}>
          <dt><bdi>{name}</bdi></dt>
          <dd><Shown value={v} depth={depth + 1} /></dd>
        </div>
      ))}
    </dl>
  );
}

function List({ list, depth }: { list: Value[]; depth: number }): JSX.Element {
  const all = useSignal(false);
  const rows = all.value ? list : list.slice(0, manyRows);
  const more = list.length - rows.length;
  const button = more > 0 && <button type="button" class="linkish" onClick={() => (all.value = true)}>{tn("value.more", more)}</button>;
  const names = columns(list);
  if (names) {
    return (
      <div class="scroll" tabIndex={0} role="group" aria-label={t("value.table")}>
        <table class="values">
          <thead><tr>{names.map((name) => <th key={name} scope="col"><bdi>{name}</bdi></th>)}</tr></thead>
          <tbody>
            {rows.map((row, i) => (
              <tr key={i}>{names.map((name) => {
                const v = (row as Obj).get(name);
                return <td key={name} class={v instanceof Num ? "right" : ""}>{v === undefined ? "" : <Shown value={v} depth={deepest} />}</td>;
              })}</tr>
            ))}
          </tbody>
        </table>
        {button}
      </div>
    );
  }
  return (
    <div>
      <ol class="items">{rows.map((v, i) => <li key={i}><Shown value={v} depth={depth + 1} /></li>)}</ol>
      {button}
    </div>
  );
}

/** The columns of a list of flat objects; undefined for other lists. */
function columns(list: Value[]): string[] | undefined {
  const names = new Set<string>();
  for (const row of list) {
    if (!(row instanceof Map) || row.size === 0) return undefined;
    for (const [name, v] of row) {
      if (v instanceof Map || (Array.isArray(v) && v.length > 0)) return undefined;
      names.add(name);
    }
  }
  return names.size <= 6 ? [...names] : undefined;
}

/** A value with its JSON behind a click. */
export function Card({ title, value }: { title: string; value: Value | undefined }): JSX.Element {
  const raw = useSignal(false);
  const text = value === undefined ? "null" : pretty(value);
  return (
    <section class="card" aria-label={title}>
      <header>
        <h2>{title}</h2>
        <button type="button" class="quiet small" aria-pressed={raw.value} onClick={() => (raw.value = !raw.value)}>JSON</button>
        <Copy text={text} label={t("copy")} />
      </header>
      {raw.value ? <pre class="json" tabIndex={0} dir="ltr">{steady(text)}</pre> : <Shown value={value} />}
    </section>
  );
}
