// What waits for people. The list on one side, the question on the other; on a narrow page one after the other.

import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import texts from "../../i18n/inbox.en.json";
import { countQuestions, questions, runs, type Question } from "../api";
import { addTexts, number, t, tn } from "../i18n";
import { refresh, useLive } from "../live";
import { may } from "../login";
import { change, go, link, parameter } from "../router";
import { staleDrafts } from "../run/told";
import { me } from "../settings";
import { store, storedNames } from "../storage";
import { Ago, App, Empty, Failure, Heading, Icon, Loading, Said } from "../ui/parts";
import { walk } from "../ui/keys";
import { askedOf, promptOf, taskName } from "../ui/asked";
import QuestionCard from "../ui/question";

addTexts(texts);

const size = "50";
const everyState = "open,claimed,answered,expired,withdrawn";

export default function InboxPage(): JSX.Element {
  const view = parameter("view") || "all";
  const role = parameter("role");
  const order = parameter("order") === "due" ? "due" : "";
  const cursor = parameter("cursor");
  const query: Record<string, string> = {
    limit: size, skip: "dialogue", ...(view === "mine" ? { holder: me.value || "-" } : {}), ...(view === "open" ? { state: "open" } : {}),
    ...(role ? { role } : {}), ...(order ? { order } : {}), ...(cursor ? { cursor } : {}),
  };
  const { data, error, again } = useLive(JSON.stringify(query), (s) => questions(query, s), undefined, "interrupts");
  const roles = useLive("roles", (s) => countQuestions("role", s), 10_000, "interrupts");
  const looks = may("view");
  const plans = useLive("plans " + looks, async (s) => (looks ? new Map((await runs({ status: "paused,running", limit: "200", order: "updated" }, s)).rows.map((r) => [r.run, r.plan])) : new Map<string, string>()), 5000);
  const asked = parameter("q");
  const rows = data.value?.rows ?? [];
  const at = rows.findIndex((q) => q.requestId === asked);
  // What somebody reads does not vanish under their hands when somebody else answers: it stays until they turn to another one.
  const held = useRef<Question | undefined>(undefined);
  const answered = useRef("");
  if (asked !== "" && held.current?.requestId !== asked) held.current = undefined;
  const before = held.current?.requestId === answered.current ? undefined : held.current;
  const shown = rows[at] ?? (before ? rows.find((q) => q.requestId === before.requestId) : asked === "" ? rows[0] : undefined);
  const alone = useLive("asked " + asked, async (s) => (asked === "" ? undefined : (await questions({ prefix: asked, limit: "1", state: everyState }, s)).rows[0]), 0);
  const linked = asked === "" || asked === answered.current ? undefined : alone.data.value; // by a link, from another page of the list
  const kept = shown ?? before ?? linked;
  held.current = kept;
  const closed = shown === undefined && kept !== undefined && (kept === linked ? kept.state !== "open" && kept.state !== "claimed" : data.value !== undefined);
  const pane = useRef<HTMLDivElement>(null);

  useEffect(() => { // drafts of questions that are closed are of no use, and this list is all there is
    if (!data.value || data.value.next || view !== "all" || role || cursor) return;
    for (const name of staleDrafts(storedNames("draft.int_"), [...rows.map((q) => q.requestId), asked])) store(name, undefined);
  }, [data.value]);

  const next = (): void => {
    answered.current = kept?.requestId ?? "";
    const rest = rows.filter((q) => q.requestId !== answered.current);
    const following = rest[Math.min(Math.max(rows.findIndex((q) => q.requestId === answered.current), 0), rest.length - 1)];
    change({ q: following && parameter("q") ? following.requestId : "" }, true);
    refresh();
    requestAnimationFrame(() => (pane.current?.querySelector<HTMLElement>(".prompt") ?? document.querySelector<HTMLElement>("h1"))?.focus());
  };
  const names = (roles.data.value ?? []).filter((r) => r.value !== "");
  const tabs: [string, string][] = [["all", t("inbox.all")], ["open", t("inbox.open")], ["mine", t("inbox.mine")]];
  return (
    <div class={"inbox" + (asked ? " chosen" : "")}>
      <Heading title={t("nav.inbox")} />
      <div class="filters">
        <nav class="tabs" aria-label={t("filter")}>
          {tabs.map(([name, text]) => <App key={name} href={link([], { view: name === "all" ? "" : name, role, order })} current={view === name}>{text}</App>)}
        </nav>
        {names.length > 0 && (
          <label class="inline">{t("inbox.role")}
            <select value={role} onChange={(e) => change({ role: e.currentTarget.value, cursor: "", q: "" })}>
              <option value="">{t("inbox.everyRole")}</option>
              {names.map((r) => <option key={r.value} value={r.value}>{r.value} ({number(r.n)})</option>)}
            </select>
          </label>
        )}
        <label class="inline">{t("sort")}
          <select value={order} onChange={(e) => change({ order: e.currentTarget.value, cursor: "" })}>
            <option value="">{t("sort.oldest")}</option>
            <option value="due">{t("sort.due")}</option>
          </select>
        </label>
      </div>
      {error.value && !data.value ? <Failure error={error.value} again={again} />
        : !data.value ? <Loading />
        : rows.length === 0 && !kept ? (
          <Empty icon="inbox" title={view === "all" && !role ? t("inbox.empty") : t("inbox.emptyHere")}>
            <p>{view === "all" && !role ? t("inbox.emptyText") : t("inbox.emptyHereText")}</p>
            {may("start") && <App class="button primary" href={link(["definitions"])}>{t("inbox.start")}</App>}
          </Empty>
        ) : (
          <div class="split">
            <div class="list">
              <p class="unseen" role="status">{tn("inbox.count", rows.length)}</p>
              <ul onKeyDown={(e) => walk(e, "li", "a")}>
                {rows.map((q) => (
                  <li key={q.requestId}>
                    <App href={link([], { view: view === "all" ? "" : view, role, order, cursor, q: q.requestId })} current={q === shown} class="item">
                      <span class="title" dir="auto">{promptOf(q)}</span>
                      <span class="sub">
                        <Said text={plans.data.value?.get(q.run) ?? taskName(q.task)} />
                        {askedOf(q) && <span class={q.claimedBy ? "claimed" : ""}><Icon name="person" /><Said text={askedOf(q)} /></span>}
                        {q.opened && <Ago at={q.opened / 1000} />}
                      </span>
                      {q.deadline && <span class="sub due"><span><Icon name="hourglass" />{t("question.due")} <Ago at={q.deadline / 1000} /></span></span>}
                    </App>
                  </li>
                ))}
              </ul>
              {(data.value.next || cursor) && (
                <div class="pager">
                  {cursor && <App class="button" href={link([], { view: view === "all" ? "" : view, role, order })}>{t("first")}</App>}
                  {data.value.next && <App class="button" href={link([], { view: view === "all" ? "" : view, role, order, cursor: data.value.next })}>{t("next")}</App>}
                </div>
              )}
            </div>
            <div class="pane" ref={pane}>
              <button type="button" class="quiet back" onClick={() => go(link([], { view: view === "all" ? "" : view, role, order, cursor }))}><Icon name="left" />{t("nav.inbox")}</button>
              {kept ? <QuestionCard key={kept.requestId} q={kept} plan={plans.data.value?.get(kept.run)} answered={next} closed={closed} />
                : <Empty icon="check" title={t("inbox.gone")}><p>{t("inbox.goneText")}</p></Empty>}
            </div>
          </div>
        )}
    </div>
  );
}
