// ⌘K: goes to any run, conversation, definition or page.

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { definitions, Refusal, runs, type DefinitionRow, type RunRow } from "../api";
import { t } from "../i18n";
import { may } from "../login";
import { go, link } from "../router";
import { paletteOpen } from "../settings";
import { Icon, runPath, Said, shortID, statusText } from "./parts";

interface Hit {
  readonly href: string;
  readonly icon: string;
  readonly title: string;
  readonly sub: string;
}

export default function Palette(): JSX.Element {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (paletteOpen.value && !ref.current?.open) ref.current?.showModal();
    if (!paletteOpen.value && ref.current?.open) ref.current.close();
  }, [paletteOpen.value]);
  return (
    <dialog ref={ref} class="palette" aria-label={t("palette")} onClose={() => (paletteOpen.value = false)} onClick={(e) => e.target === ref.current && (paletteOpen.value = false)}>
      {paletteOpen.value && <Search />}
    </dialog>
  );
}

function Search(): JSX.Element {
  const wanted = useSignal("");
  const chosen = useSignal(0);
  const known = useSignal<readonly DefinitionRow[]>([]);
  const recent = useSignal<readonly RunRow[]>([]);
  const found = useSignal<readonly RunRow[]>([]);
  useEffect(() => {
    if (!may("view")) return;
    const over = new AbortController();
    definitions(over.signal).then((d) => (known.value = d)).catch(ignore);
    runs({ limit: "100", order: "updated" }, over.signal).then((p) => (recent.value = p.rows)).catch(ignore);
    return () => over.abort();
  }, []);
  useEffect(() => {
    found.value = [];
    if (wanted.value.trim().length < 3 || !may("view")) return;
    const over = new AbortController();
    const timer = setTimeout(() => {
      runs({ limit: "8", prefix: wanted.value.trim() }, over.signal).then((p) => (found.value = p.rows)).catch(ignore);
    }, 150);
    return () => {
      clearTimeout(timer);
      over.abort();
    };
  }, [wanted.value]);
  const words = wanted.value.toLocaleLowerCase().split(/\s+/).filter((w) => w !== "");
  const fits = (text: string): boolean => words.every((w) => text.toLocaleLowerCase().includes(w));
  const pages: Hit[] = [
    ...(may("tasks") ? [{ href: "/", icon: "inbox", title: t("nav.inbox"), sub: "" }] : []),
    ...(may("view") ? [
      { href: link(["conversations"]), icon: "talk", title: t("nav.talks"), sub: "" },
      { href: link(["runs"]), icon: "runs", title: t("nav.runs"), sub: "" },
      { href: link(["definitions"]), icon: "definitions", title: t("nav.definitions"), sub: "" },
      { href: link(["schedules"]), icon: "calendar", title: t("nav.schedules"), sub: "" },
      { href: link(["health"]), icon: "pulse", title: t("nav.health"), sub: "" },
      { href: link(["runs"], { status: "failed" }), icon: "alert", title: t("palette.failed"), sub: "" },
    ] : []),
  ];
  const runHit = (r: RunRow): Hit => ({ href: runPath(r), icon: r.kind === "dialogue" ? "talk" : "runs", title: r.plan, sub: `${statusText(r.status)} · ${shortID(r.run)}` });
  const ids = new Set(found.value.map((r) => r.run));
  const hits: Hit[] = [
    ...pages.filter((p) => fits(p.title)),
    ...known.value.filter((d) => fits(`${d.name} ${d.description ?? ""}`)).slice(0, words.length ? 8 : 5)
      .map((d) => ({ href: link(["definitions", d.name]), icon: d.conversations ? "talk" : "definitions", title: d.name, sub: d.description ?? "" })),
    ...found.value.map(runHit),
    ...recent.value.filter((r) => !ids.has(r.run) && fits(`${r.plan} ${r.run} ${statusText(r.status)} ${r.error ?? ""}`)).slice(0, 6).map(runHit),
  ];
  const at = Math.min(chosen.value, hits.length - 1);
  const choose = (hit: Hit | undefined): void => {
    if (!hit) return;
    paletteOpen.value = false;
    go(hit.href);
  };
  useEffect(() => document.getElementById("hit-" + at)?.scrollIntoView({ block: "nearest" }), [at]);
  return (
    <>
      <div class="top">
        <Icon name="search" />
        <input type="text" role="combobox" aria-expanded={hits.length > 0} aria-controls="hits" aria-activedescendant={hits.length > 0 ? "hit-" + at : undefined}
          aria-label={t("palette.find")} placeholder={t("palette.find")} value={wanted.value} autofocus autocomplete="off" spellcheck={false}
          onInput={(e) => {
            wanted.value = e.currentTarget.value;
            chosen.value = 0;
          }}
          onKeyDown={(e) => {
            const step = e.key === "ArrowDown" ? 1 : e.key === "ArrowUp" ? -1 : 0;
            if (step !== 0) {
              e.preventDefault();
              chosen.value = (at + step + hits.length) % Math.max(1, hits.length);
            } else if (e.key === "Enter") {
              e.preventDefault();
              choose(hits[at]);
            }
          }} />
      </div>
      <ul id="hits" role="listbox" aria-label={t("palette")}>
        {hits.map((hit, i) => (
          <li key={hit.href + i} id={"hit-" + i} role="option" aria-selected={i === at} onClick={() => choose(hit)} onMouseMove={() => (chosen.value = i)}>
            <Icon name={hit.icon} /><span class="title"><Said text={hit.title} /></span><span class="sub" dir="auto">{hit.sub}</span>
          </li>
        ))}
      </ul>
      {hits.length === 0 && <p class="faint nohits" role="status">{t("palette.none")}</p>}
    </>
  );
}

function ignore(error: unknown): void {
  if (!(error instanceof Refusal) && !(error instanceof DOMException)) throw error;
}
