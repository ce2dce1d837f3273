// The console of fermata serve. Data comes from /api alone, is shown as text, and what is shown is asked for again.

import { computed, effect } from "@preact/signals";
import { render, type JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { countQuestions, me as askMe, reachable } from "./api";
import { language, languages, loadLanguage, number, t, tx, type Key, type Language } from "./i18n";
import { refresh, useFeed, useLive } from "./live";
import { borrow, logOut, may, person, wanted } from "./login";
import { load, placeOf, prepare, Show } from "./pages";
import { follow, link, segments } from "./router";
import { me, paletteOpen, rename, setTheme, show, theme, type Theme } from "./settings";
import { store, storedNames } from "./storage";
import { App as Link, Empty, Icon, Mark, Toasts } from "./ui/parts";

/** Pages that are looked at less often: on a narrow screen they are in the menu of the person. */
const further: readonly [string, string, Key][] = [["schedules", "calendar", "nav.schedules"], ["health", "pulse", "nav.health"]];

const page = computed(() => segments.value[0] ?? "");

function Page(): JSX.Element {
  const place = placeOf(segments.value);
  if (place) return place.shown;
  return <Empty icon="search" title={t("error.noPage")}><Link class="button" href="/">{t("nav.inbox")}</Link></Empty>;
}

function App(): JSX.Element {
  return wanted.value === "" ? <Shell /> : <Show name="login" given={{}} />;
}

function Shell(): JSX.Element {
  useLive("me", askMe, 15_000);
  useFeed(may("view"));
  const tasks = may("tasks");
  const waiting = useLive("waiting " + tasks, async (s) => (tasks ? countQuestions("state", s) : []), tasks ? 4000 : 0, "interrupts");
  const open = (waiting.data.value ?? []).filter((c) => c.value === "open" || c.value === "claimed").reduce((n, c) => n + c.n, 0);
  const main = useRef<HTMLElement>(null);
  const before = useRef(segments.value.join("/"));
  useEffect(() => { // who comes from a link begins at the heading of the page
    const here = segments.value.join("/");
    if (before.current === here) return;
    before.current = here;
    requestAnimationFrame(() => (main.current?.querySelector<HTMLElement>("h1") ?? main.current)?.focus({ preventScroll: true }));
  }, [segments.value]);
  const item = (href: string, name: string, icon: string, text: string, n = 0, rank = ""): JSX.Element => (
    <Link href={href} class={rank} current={page.value === name}>
      <Icon name={icon} /><span>{text}</span>{n > 0 && <b class="count" aria-label={t("nav.waiting", { n: number(n) })}>{number(n)}</b>}
    </Link>
  );
  return (
    <div class="shell" onClick={follow} onPointerOver={prepare} onFocusIn={prepare}>
      <a class="skip" href="#main">{t("skip")}</a>
      <header class="bar">
        <Link href="/" class="brand" label="Fermata"><Mark /><span>Fermata</span></Link>
        <nav aria-label={t("nav")}>
          {tasks && item("/", "", "inbox", t("nav.inbox"), open)}
          {may("view") && item(link(["conversations"]), "conversations", "talk", t("nav.talks"))}
          {may("view") && item(link(["runs"]), "runs", "runs", t("nav.runs"))}
          {may("view") && item(link(["definitions"]), "definitions", "definitions", t("nav.definitions"))}
          {may("view") && further.map(([name, icon, text]) => item(link([name]), name, icon, t(text), 0, "further"))}
        </nav>
        <button type="button" class="find" onClick={() => (paletteOpen.value = true)} onPointerOver={() => void load("palette").catch(() => undefined)}>
          <Icon name="search" /><span>{t("find")}</span><kbd>{/Mac|iP/.test(navigator.platform) ? "⌘K" : "Ctrl K"}</kbd>
        </button>
        <Settings />
      </header>
      {!reachable.value && (
        <div class="gone" role="alert"><Icon name="alert" /><span>{t("error.gone")}</span><button type="button" onClick={() => refresh()}>{t("again")}</button></div>
      )}
      <main id="main" ref={main} tabIndex={-1}><Page /></main>
      <Toasts />
      {paletteOpen.value && <Show name="palette" given={{}} />}
    </div>
  );
}

/** Who has logged in; or, where nobody has to, a name to be typed. */
function Who(): JSX.Element {
  const p = person.value;
  if (!p?.known) {
    return (
      <>
        <label>{t("me.name")}<input type="text" dir="auto" autocomplete="name" value={me.value} onInput={(e) => rename(e.currentTarget.value)} /></label>
        <p class="help">{t("me.help")}</p>
      </>
    );
  }
  return (
    <div class="who">
      <p><strong><bdi>{p.name}</bdi></strong>{p.name !== p.id && <span class="faint"> <bdi>{p.id}</bdi></span>}</p>
      {p.role && <p class="faint">{t("me.role", { role: tx("role." + p.role, p.role) })}</p>}
      {p.taskRoles && <p class="faint">{t("me.answers", { roles: p.taskRoles.join(", ") })}</p>}
      {p.login !== "proxy" && <button type="button" onClick={() => {
        for (const name of [...storedNames("draft."), ...storedNames("talk.")]) store(name, undefined); // the next person at this desk is another one
        void logOut();
      }}>{t("login.out")}</button>}
    </div>
  );
}

function Settings(): JSX.Element {
  return (
    <details class="settings">
      <summary><Icon name="person" /><span><bdi>{(person.value?.known && person.value.name) || me.value || t("me.nobody")}</bdi></span></summary>
      <div class="menu">
        {may("view") && <div class="further">{further.map(([name, icon, text]) => <Link key={name} href={link([name])} current={page.value === name}><Icon name={icon} />{t(text)}</Link>)}</div>}
        <Who />
        <label>{t("theme")}
          <select value={theme.value} onChange={(e) => setTheme(e.currentTarget.value as Theme)}>
            <option value="auto">{t("theme.auto")}</option><option value="light">{t("theme.light")}</option><option value="dark">{t("theme.dark")}</option>
          </select>
        </label>
        <label>{t("language")}
          <select value={language.value} onChange={(e) => void loadLanguage(e.currentTarget.value as Language)}>
            {languages.map((l) => <option key={l} value={l} lang={l}>{l === "de" ? "Deutsch" : "English"}</option>)}
          </select>
        </label>
      </div>
    </details>
  );
}

addEventListener("keydown", (e) => {
  if ((e.metaKey || e.ctrlKey) && !e.shiftKey && !e.altKey && e.key.toLowerCase() === "k") {
    e.preventDefault();
    paletteOpen.value = !paletteOpen.value;
  }
});
addEventListener("click", (e) => { // a menu closes when something else is meant, or a page of it was chosen
  for (const menu of document.querySelectorAll<HTMLDetailsElement>("details.settings[open]")) if (!menu.contains(e.target as Node) || (e.target as Element).closest("a")) menu.open = false;
});

effect(show);
async function begin(): Promise<void> {
  try {
    await askMe();
  } catch (error) {
    if (wanted.value === "none" && (await borrow(() => void askMe().catch(() => undefined)))) await askMe();
  }
}

/** The file of the page comes beside the language and the person, not after them. */
const first = (): Promise<unknown> => load(placeOf(segments.value)?.name ?? "runs");

void Promise.allSettled([loadLanguage(), begin(), first()]).then(() => render(<App />, document.getElementById("app")!));
