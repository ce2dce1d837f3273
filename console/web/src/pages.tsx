// The pages, each a file of its own that is loaded when somebody looks at it first, or is about to.

import type { ComponentType, JSX } from "preact";
import { me, Refusal } from "./api";
import { t } from "./i18n";
import { useLive } from "./live";
import { may } from "./login";
import { decoded } from "./router";
import { Empty, Failure, Loading } from "./ui/parts";

const files = {
  inbox: () => import("./pages/inbox"),
  runs: () => import("./pages/runs"),
  run: () => import("./pages/run"),
  definitions: () => import("./pages/definitions"),
  definition: () => import("./pages/definition"),
  talks: () => import("./pages/talks"),
  talk: () => import("./pages/talk"),
  schedules: () => import("./pages/schedules"),
  health: () => import("./pages/health"),
  compare: () => import("./pages/compare"),
  login: () => import("./pages/login"),
  palette: () => import("./ui/palette"),
  question: () => import("./ui/question"), // on the page of a run that waits
  act: () => import("./run/acts"),
  many: () => import("./run/many"),
  fork: () => import("./run/forking"),
};

type Files = typeof files;
export type Name = keyof Files;
/** What a page is given. */
type GivenTo<N extends Name> = Awaited<ReturnType<Files[N]>>["default"] extends (p: infer P extends object) => unknown ? P : object;

/** A page, as an address says. */
export interface Place {
  readonly name: Name;
  readonly shown: JSX.Element;
}

function place<N extends Name>(name: N, given: GivenTo<N>): Place {
  return { name, shown: <Show key={[name, ...Object.values(given)].join("/")} name={name} given={given} /> };
}

/** The page of an address; undefined for none. */
export function placeOf([first, name, more, ...rest]: readonly string[]): Place | undefined {
  if (rest.length > 0) return undefined;
  if (first === "conversations" && name !== undefined && more !== undefined) return place("talk", { dialogue: name, id: more });
  if (more !== undefined) return undefined;
  if (name === undefined) {
    switch (first) {
      case undefined: return place(may("tasks") ? "inbox" : "runs", {});
      case "runs": return place("runs", {});
      case "definitions": return place("definitions", {});
      case "conversations": return place("talks", {});
      case "schedules": return place("schedules", {});
      case "health": return place("health", {});
      case "compare": return place("compare", {});
    }
  } else if (first === "runs") return place("run", { id: name });
  else if (first === "definitions") return place("definition", { name });
  return undefined;
}

const loaded = new Map<Name, ComponentType<object>>();

/** Loads a page. Where the server answers and its file is gone, the server has another console than this one by now. */
export async function load(name: Name): Promise<ComponentType<object>> {
  const had = loaded.get(name);
  if (had) return had;
  try {
    const one = (await files[name]()).default as ComponentType<object>;
    loaded.set(name, one);
    return one;
  } catch {
    await me(); // which fails where nothing answers
    throw new Refusal("", 404, "updated");
  }
}

/** Loads the page that a link leads to, before somebody follows it. */
export function prepare(event: Event): void {
  const anchor = (event.target as Element | null)?.closest?.("a");
  if (!anchor?.dataset["app"] || anchor.origin !== location.origin) return;
  const place = placeOf(anchor.pathname.split("/").filter((s) => s !== "").map(decoded));
  if (place) void load(place.name).catch(() => undefined); // following the link says why
}

/** Shows a page, or a part of one; while it comes, that it does. */
export function Show<N extends Name>({ name, given, rows = 6 }: { name: N; given: GivenTo<N>; rows?: number }): JSX.Element {
  const { data, error, again } = useLive("file of " + name, () => load(name), 0);
  const Page = loaded.get(name) ?? data.value;
  if (Page) return <Page {...given} />;
  if (error.value?.code === "updated") {
    return (
      <Empty icon="retry" title={t("page.updated")}>
        <p>{t("page.updatedText")}</p>
        <button type="button" class="primary" onClick={() => location.reload()}>{t("page.reload")}</button>
      </Empty>
    );
  }
  return error.value ? <Failure error={error.value} again={again} /> : <Loading rows={rows} />;
}
