// A form as people fill it in. The model says what there is; what is wrong stands at its field.

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import texts from "../../i18n/form.en.json";
import { addTexts, t, tx } from "../i18n";
import { Icon, Said } from "../ui/parts";
import { fixed, summary, type Entry, type Field, type Form } from "./model";

addTexts(texts);

/** What is wrong, by the place in the answer: "items/0/name". */
export type Wrong = ReadonlyMap<string, string>;

interface Parts {
  readonly form: Form;
  readonly entries: readonly Entry[];
  readonly set: (entries: Entry[]) => void;
  readonly wrong: Wrong;
  readonly id: string;
  /** Where the form is in the answer. */
  readonly at: string;
  readonly disabled?: boolean;
}

const fewOptions = 7;

export function Fields({ form, entries, set, wrong, id, at, disabled = false }: Parts): JSX.Element {
  const change = (i: number, e: Entry): void => set(form.fields.map((_, n) => (n === i ? e : entries[n] ?? {})));
  const one = (f: Field, i: number): JSX.Element | null => {
    if (fixed(f)) return null;
    const place = [at, ...f.path].filter((x) => x !== "").join("/");
    return (
      <One key={i} field={f} entry={entries[i] ?? {}} set={(e) => change(i, e)} wrong={wrong} id={id} at={place} disabled={disabled}
        alone={!form.object} />
    );
  };
  // members of an object stand together, under its title
  const groups: { title: string; fields: [Field, number][] }[] = [];
  form.fields.forEach((f, i) => {
    const title = f.titles.length > 1 ? f.titles.slice(0, -1).join(" · ") : "";
    const last = groups.at(-1);
    if (last && last.title === title) last.fields.push([f, i]);
    else groups.push({ title, fields: [[f, i]] });
  });
  return (
    <>
      {groups.map((g, n) => {
        const fields = g.fields.map(([f, i]) => one(f, i));
        return g.title === "" ? fields : <fieldset key={n} class="group"><legend><Said text={g.title} /></legend>{fields}</fieldset>;
      })}
    </>
  );
}

interface OneParts {
  readonly field: Field;
  readonly entry: Entry;
  readonly set: (e: Entry) => void;
  readonly wrong: Wrong;
  readonly id: string;
  readonly at: string;
  readonly disabled: boolean;
  /** It is the whole answer. */
  readonly alone: boolean;
}

function titleOf(f: Field): string {
  const title = f.titles.length > 1 ? f.titles.at(-1)! : f.title;
  return f.titles.length > 0 && title === f.path.at(-1) ? spoken(title) : title;
}

/** A member's name as a title: "given_name" is "Given name". */
export function spoken(name: string): string {
  const words = name.replace(/[_-]+/g, " ").replace(/([a-z])([A-Z])/g, "$1 $2").trim();
  return words === "" ? name : words[0]!.toUpperCase() + words.slice(1);
}

function One(p: OneParts): JSX.Element {
  const f = p.field;
  const key = p.id + "-" + p.at.replace(/[^A-Za-z0-9_-]/g, (c) => "." + c.codePointAt(0)!.toString(16));
  const problem = p.wrong.get(p.at);
  const title = titleOf(f) || (p.alone ? t("form.answer") : "");
  const about = [f.help && key + "-help", problem && key + "-wrong"].filter(Boolean).join(" ") || undefined;
  const hint = hintOf(f);
  const optional = !f.required && !p.alone && !f.start.text && !f.start.choices;
  const attributes = {
    id: key, disabled: p.disabled, "aria-invalid": problem ? true as const : undefined,
    "aria-describedby": [about, hint && key + "-hint"].filter(Boolean).join(" ") || undefined,
    "aria-required": f.required || undefined,
  };
  const below = (
    <>
      {f.help && <p id={key + "-help"} class="help"><Said text={f.help} /></p>}
      {hint && <p id={key + "-hint"} class="help">{hint}</p>}
      {problem && <p id={key + "-wrong"} class="wrong"><Icon name="alert" /><Said text={problem} /></p>}
    </>
  );
  const text = p.entry.text ?? "";
  const write = (e: Event): void => p.set({ text: (e.currentTarget as HTMLInputElement | HTMLTextAreaElement).value });
  const heading = <>{<Said text={title} />}{optional && <span class="optional"> {t("form.optional")}</span>}</>;
  const labelled = (control: ComponentChildren): JSX.Element => (
    <div class="field" data-wrong={problem ? "1" : undefined}>
      <label for={key}>{heading}</label>
      {control}
      {below}
    </div>
  );
  const grouped = (control: ComponentChildren): JSX.Element => (
    <fieldset class="field" data-wrong={problem ? "1" : undefined} aria-describedby={about} aria-invalid={problem ? true : undefined} disabled={p.disabled}>
      <legend>{heading}</legend>
      {control}
      {below}
    </fieldset>
  );
  switch (f.kind) {
    case "text":
      return labelled(<input type="text" dir="auto" value={text} onInput={write} {...attributes} autocomplete="off" />);
    case "integer":
    case "number":
      return labelled(
        <input type="text" class="short" inputMode={f.kind === "integer" ? "numeric" : "decimal"} value={text} onInput={write} {...attributes} autocomplete="off" />);
    case "prose":
      return labelled(<Area text={text} write={write} attributes={attributes} rows={p.alone ? 4 : 3} />);
    case "list":
      return labelled(<Area text={text} write={write} attributes={attributes} rows={3} />);
    case "json":
      return labelled(<Area text={text} write={write} attributes={attributes} rows={4} code />);
    case "flag":
      return grouped(<Radios name={key} labels={[t("yes"), t("no")]} chosen={p.entry.choices?.[0]} set={(i) => p.set({ choices: [i] })} />);
    case "choice": {
      const labels = f.options.map((o) => (o.value === true ? t("yes") : o.value === false ? t("no") : o.label));
      const chosen = p.entry.choices?.[0];
      const choose = (i: number): void => p.set(i < 0 ? {} : { choices: [i] });
      if (labels.length <= fewOptions) return grouped(<Radios name={key} labels={labels} chosen={chosen} set={choose} none={!f.required} />);
      return labelled(
        <select value={chosen ?? -1} onChange={(e) => choose(Number(e.currentTarget.value))} {...attributes}>
          <option value={-1}>{f.required ? t("form.pick") : t("form.leaveOut")}</option>
          {labels.map((label, i) => <option key={i} value={i}>{label}</option>)}
        </select>);
    }
    case "many": {
      const chosen = p.entry.choices ?? [];
      return grouped(
        <div class="choices">
          {f.options.map((o, i) => (
            <label key={i} class="choice">
              <input type="checkbox" checked={chosen.includes(i)} onChange={(e) => p.set({
                choices: f.options.flatMap((_, n) => ((n === i ? e.currentTarget.checked : chosen.includes(n)) ? [n] : [])),
              })} />
              <Said text={o.label} />
            </label>
          ))}
        </div>);
    }
    case "items":
      return grouped(<Items {...p} />);
    case "variant":
      return grouped(<Variant {...p} name={key} />);
  }
}

/** What a field takes, where that does not show. */
function hintOf(f: Field): string {
  if (f.kind === "list") return f.items === "text" ? t("form.aLine") : t("form.numberALine");
  if (f.kind === "json") return t("form.asJSON");
  return "";
}

/** A field of several lines that is as high as its text. */
function Area({ text, write, attributes, rows, code = false }: {
  text: string; write: (e: Event) => void; attributes: object; rows: number; code?: boolean;
}): JSX.Element {
  const high = Math.min(18, Math.max(rows, text.split("\n").reduce((n, line) => n + 1 + Math.floor(line.length / 90), 0)));
  return <textarea dir={code ? "ltr" : "auto"} class={code ? "code" : ""} rows={high} value={text} onInput={write} spellcheck={!code} {...attributes} />;
}

function Radios({ name, labels, chosen, set, none = false }: {
  name: string; labels: string[]; chosen: number | undefined; set: (i: number) => void; none?: boolean;
}): JSX.Element {
  const all = labels.map((label, i) => [label, i] as const);
  return (
    <div class="choices">
      {all.map(([label, i]) => (
        <label key={i} class="choice">
          <input type="radio" name={name} checked={chosen === i} onChange={() => set(i)} />
          <Said text={label} />
        </label>
      ))}
      {none && (
        <label key="none" class="choice none">
          <input type="radio" name={name} checked={chosen === undefined} onChange={() => set(-1)} />
          {t("form.leaveOut")}
        </label>
      )}
    </div>
  );
}

function Items({ field: f, entry, set, wrong, id, at, disabled }: OneParts): JSX.Element {
  const forms = entry.forms ?? [];
  const item = f.forms[0]!();
  const box = useRef<HTMLDivElement>(null);
  const fresh = useRef(false);
  useEffect(() => {
    if (!fresh.current) return;
    fresh.current = false;
    box.current?.querySelector<HTMLElement>(":scope > .part:last-of-type :is(input,textarea,select)")?.focus();
  }, [forms.length]);
  const change = (i: number, entries: readonly Entry[]): void => set({ forms: forms.map((x, n) => (n === i ? entries : x)) });
  const title = titleOf(f);
  return (
    <div ref={box} class="parts">
      {forms.map((entries, i) => (
        <fieldset key={i} class="part">
          <legend class="unseen">{title} {i + 1}: <Said text={summary(f, entries)} /></legend>
          <div class="row">
            <Fields form={item} entries={entries} set={(next) => change(i, next)} wrong={wrong} id={id} at={at === "" ? String(i) : `${at}/${i}`} disabled={disabled} />
          </div>
          <button type="button" class="quiet square" aria-label={t("form.remove", { what: `${title} ${i + 1}` })} title={t("form.removeIt")}
            onClick={() => set({ forms: forms.filter((_, n) => n !== i) })}><Icon name="cross" /></button>
        </fieldset>
      ))}
      {(f.bound[1] < 0 || forms.length < f.bound[1]) && (
        <button type="button" class="add" onClick={() => {
          fresh.current = true;
          set({ forms: [...forms, item.starts()] });
        }}><Icon name="plus" />{t("form.add")}</button>
      )}
    </div>
  );
}

function Variant({ field: f, entry, set, wrong, id, at, disabled, name }: OneParts & { name: string }): JSX.Element {
  const only = f.forms.length === 1;
  const chosen = only && f.required ? 0 : entry.choices?.[0];
  const choose = (i: number): void => set(i < 0 ? {} : { choices: [i], forms: [f.forms[i]!().starts()] });
  useEffect(() => {
    if (only && f.required && !entry.forms) choose(0);
  });
  const form = chosen === undefined ? undefined : f.forms[chosen]!();
  const entries = entry.forms?.[0] ?? form?.starts() ?? [];
  return (
    <>
      {only && !f.required && (
        <label class="choice"><input type="checkbox" checked={chosen !== undefined} onChange={(e) => choose(e.currentTarget.checked ? 0 : -1)} />{t("form.fillIn")}</label>
      )}
      {!only && <Radios name={name} labels={f.options.map((o) => tx("variant." + o.label, o.label))} chosen={chosen} set={choose} none={!f.required} />}
      {form && (
        <div class="within">
          <Fields form={form} entries={entries} set={(next) => set({ choices: [chosen!], forms: [next] })} wrong={wrong} id={id} at={at} disabled={disabled} />
        </div>
      )}
    </>
  );
}

/** Moves to the first field with something wrong. */
export function toWrong(form: HTMLElement | null): void {
  requestAnimationFrame(() => {
    const field = form?.querySelector<HTMLElement>("[data-wrong]");
    field?.querySelector<HTMLElement>("input,textarea,select,button")?.focus();
  });
}
