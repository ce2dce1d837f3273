// The console of fermata serve. Data comes from /api alone, is shown as text, and what is shown is asked for again.

import { computed, effect } from "@preact/signals";
import { render, type ComponentType, type JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { countQuestions, me as askMe, reachable, Refusal } from "./api";
import { language, languages, loadLanguage, number, t, tx, type Language } from "./i18n";
import { refresh, useLive } from "./live";
import { borrow, logOut, may, person, wanted } from "./login";
import { DefinitionPage, DefinitionsPage } from "./pages/definitions";
import { InboxPage } from "./pages/inbox";
import { LoginPage } from "./pages/login";
import { RunPage } from "./pages/run";
import { RunsPage } from "./pages/runs";
import { follow, link, segments } from "./router";
import { me, rename, setTheme, show, theme, type Theme } from "./settings";
import { store, storedNames } from "./storage";
import { App as Link, Empty, Failure, Icon, Loading, Mark, Toasts } from "./ui/parts";
import { Palette, paletteOpen } from "./ui/palette";

type Talks = typeof import("./pages/talks");

/** The pages of conversations, which are loaded when one is looked at first. */
function Talked(p: { dialogue: string | undefined; id: string | undefined }): JSX.Element {
  const loaded = useLive("pages of conversations", (): Promise<Talks> => import("./pages/talks").catch(() => {
    throw new Refusal("", 0, "unreachable");
  }), 0);
  const pages = loaded.data.value;
  if (!pages) return loaded.error.value ? <Failure error={loaded.error.value} again={loaded.again} /> : <Loading />;
  const One = pages.TalkPage as ComponentType<{ dialogue: string; id: string }>;
  return p.dialogue === undefined || p.id === undefined ? <pages.TalksPage /> : <One key={p.dialogue + "/" + p.id} dialogue={p.dialogue} id={p.id} />;
}

const page = computed(() => segments.value[0] ?? "");

function Page(): JSX.Element {
  const [first, name, more, end] = segments.value;
  if (first === "conversations" && end === undefined && (name === undefined) === (more === undefined)) return <Talked dialogue={name} id={more} />;
  if (more === undefined) {
    if (first === undefined) return may("tasks") ? <InboxPage /> : <RunsPage />;
    if (first === "runs") return name === undefined ? <RunsPage /> : <RunPage key={name} id={name} />;
    if (first === "definitions") return name === undefined ? <DefinitionsPage /> : <DefinitionPage key={name} name={name} />;
  }
  return <Empty icon="search" title={t("error.noPage")}><Link class="button" href="/">{t("nav.inbox")}</Link></Empty>;
}

function App(): JSX.Element {
  return wanted.value === "" ? <Shell /> : <LoginPage />;
}

function Shell(): JSX.Element {
  useLive("me", askMe, 15_000);
  const tasks = may("tasks");
  const waiting = useLive("waiting " + tasks, async (s) => (tasks ? countQuestions("state", s) : []), tasks ? 4000 : 0);
  const open = (waiting.data.value ?? []).filter((c) => c.value === "open" || c.value === "claimed").reduce((n, c) => n + c.n, 0);
  const main = useRef<HTMLElement>(null);
  const before = useRef(segments.value.join("/"));
  useEffect(() => { // who comes from a link begins at the heading of the page
    const here = segments.value.join("/");
    if (before.current === here) return;
    before.current = here;
    requestAnimationFrame(() => (main.current?.querySelector<HTMLElement>("h1") ?? main.current)?.focus({ preventScroll: true }));
  }, [segments.value]);
  const item = (href: string, name: string, icon: string, text: string, n = 0): JSX.Element => (
    <Link href={href} current={page.value === name}>
      <Icon name={icon} /><span>{text}</span>{n > 0 && <b class="count" aria-label={t("nav.waiting", { n: number(n) })}>{number(n)}</b>}
    </Link>
  );
  return (
    <div class="shell" onClick={follow}>
      <a class="skip" href="#main">{t("skip")}</a>
      <header class="bar">
        <Link href="/" class="brand" label="Fermata"><Mark /><span>Fermata</span></Link>
        <nav aria-label={t("nav")}>
          {tasks && item("/", "", "inbox", t("nav.inbox"), open)}
          {may("view") && item(link(["conversations"]), "conversations", "talk", t("nav.talks"))}
          {may("view") && item(link(["runs"]), "runs", "runs", t("nav.runs"))}
          {may("view") && item(link(["definitions"]), "definitions", "definitions", t("nav.definitions"))}
        </nav>
        <button type="button" class="find" onClick={() => (paletteOpen.value = true)}>
          <Icon name="search" /><span>{t("find")}</span><kbd>{/Mac|iP/.test(navigator.platform) ? "⌘K" : "Ctrl K"}</kbd>
        </button>
        <Settings />
      </header>
      {!reachable.value && (
        <div class="gone" role="alert"><Icon name="alert" /><span>{t("error.gone")}</span><button type="button" onClick={refresh}>{t("again")}</button></div>
      )}
      <main id="main" ref={main} tabIndex={-1}><Page /></main>
      <Toasts />
      <Palette />
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
      <button type="button" onClick={() => {
        for (const name of [...storedNames("draft."), ...storedNames("talk.")]) store(name, undefined); // the next person at this desk is another one
        logOut();
      }}>{t("login.out")}</button>
    </div>
  );
}

function Settings(): JSX.Element {
  return (
    <details class="settings">
      <summary><Icon name="person" /><span><bdi>{(person.value?.known && person.value.name) || me.value || t("me.nobody")}</bdi></span></summary>
      <div class="menu">
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
addEventListener("click", (e) => { // a menu closes when something else is meant
  for (const menu of document.querySelectorAll<HTMLDetailsElement>("details.settings[open]")) if (!menu.contains(e.target as Node)) menu.open = false;
});

effect(show);
async function begin(): Promise<void> {
  try {
    await askMe();
  } catch (error) {
    if (wanted.value === "none" && (await borrow())) await askMe();
  }
}

void Promise.allSettled([loadLanguage(), begin()]).then(() => render(<App />, document.getElementById("app")!));
