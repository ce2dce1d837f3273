// Texts, in the language of the reader. English texts come with the files that use them, from ../i18n/NAME.en.json; another language is
// one catalogue, which is loaded where it is wanted.

import { signal } from "@preact/signals";
import en from "../i18n/en.json";
import type compare from "../i18n/compare.en.json";
import type definitions from "../i18n/definitions.en.json";
import type fork from "../i18n/fork.en.json";
import type form from "../i18n/form.en.json";
import type health from "../i18n/health.en.json";
import type inbox from "../i18n/inbox.en.json";
import type login from "../i18n/login.en.json";
import type many from "../i18n/many.en.json";
import type question from "../i18n/question.en.json";
import type run from "../i18n/run.en.json";
import type runs from "../i18n/runs.en.json";
import type schedules from "../i18n/schedules.en.json";
import type talks from "../i18n/talks.en.json";
import { stored, store } from "./storage";

export type Key = keyof (typeof en & typeof compare & typeof definitions & typeof fork & typeof form & typeof health & typeof inbox & typeof login & typeof many & typeof question & typeof run & typeof runs & typeof schedules & typeof talks);
type Catalogue = Readonly<Record<string, string>>;

export const languages = ["en", "de"] as const;
export type Language = (typeof languages)[number];

let english: Catalogue = en;
const catalogue = signal<Catalogue>(en);
export const language = signal<Language>("en");

let plurals = new Intl.PluralRules("en");

/** Loads the language that was chosen, or that the browser prefers. */
export async function loadLanguage(chosen?: Language): Promise<void> {
  if (chosen) store("language", chosen);
  const wanted = chosen ?? stored("language") ?? navigator.languages.map((l) => l.slice(0, 2)).find((l) => (languages as readonly string[]).includes(l));
  if (wanted === "de") {
    const de = (await import("./german")).default as Catalogue;
    apply("de", { ...english, ...de });
  } else {
    apply("en", english);
  }
}

const added = new Set<Catalogue>();

/** Adds English texts; another language has them already. Each file that names a text adds those among which it is. */
export function addTexts(texts: Catalogue): void {
  if (added.has(texts)) return;
  added.add(texts);
  english = { ...english, ...texts };
  catalogue.value = { ...english, ...catalogue.value };
}

function apply(next: Language, texts: Catalogue): void {
  plurals = new Intl.PluralRules(next);
  formats.clear();
  language.value = next;
  catalogue.value = texts;
  document.documentElement.lang = next;
}

/** A text with what its {names} stand for. */
export function t(key: Key, with_: Readonly<Record<string, string | number>> = {}): string {
  return fill(catalogue.value[key] ?? key, with_);
}

/** A text that a key names which only running code knows; otherwise where there is none. */
export function tx(key: string, otherwise: string, with_: Readonly<Record<string, string | number>> = {}): string {
  return fill(catalogue.value[key] ?? otherwise, with_);
}

/** A text about a number of things: it is at KEY.one and KEY.other. */
export function tn(key: string, n: number, with_: Readonly<Record<string, string | number>> = {}): string {
  const texts = catalogue.value;
  return fill(texts[`${key}.${plurals.select(n)}`] ?? texts[`${key}.other`] ?? key, { n: number(n), ...with_ });
}

function fill(text: string, with_: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (all, name: string) => String(with_[name] ?? all));
}

const formats = new Map<string, Intl.DateTimeFormat | Intl.NumberFormat>();

function dates(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = JSON.stringify(options);
  let f = formats.get(key) as Intl.DateTimeFormat | undefined;
  if (!f) formats.set(key, (f = new Intl.DateTimeFormat(language.value, options)));
  return f;
}

export function number(n: number): string {
  let f = formats.get("n") as Intl.NumberFormat | undefined;
  if (!f) formats.set("n", (f = new Intl.NumberFormat(language.value)));
  return f.format(n);
}

/** A moment in full. */
export function moment(at: number): string {
  return dates({ dateStyle: "medium", timeStyle: "medium", hourCycle: "h23" }).format(at);
}

/** A time of the day to the millisecond. */
export function clock(at: number): string {
  return dates({ hour: "2-digit", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3, hourCycle: "h23" }).format(at);
}

const units: [Key, number][] = [["unit.d", 86_400_000], ["unit.h", 3_600_000], ["unit.min", 60_000], ["unit.s", 1000]];

/** How long something took: "2 h 5 min", "340 ms". */
export function duration(ms: number): string {
  if (ms < 1000) return t("unit.ms", { n: Math.max(0, Math.round(ms)) });
  for (const [i, [key, size]] of units.entries()) {
    if (ms < size) continue;
    const n = Math.floor(ms / size);
    const next = units[i + 1];
    const rest = next ? Math.floor((ms - n * size) / next[1]) : 0;
    if (!next) return t(key, { n: ms < 10_000 ? (ms / 1000).toFixed(1).replace(/\.0$/, "") : n });
    return rest > 0 && n < 10 ? `${t(key, { n })} ${t(next[0], { n: rest })}` : t(key, { n });
  }
  return "";
}
