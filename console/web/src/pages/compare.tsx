// Two runs, or two entries of one, beside each other: from where they differ, and in what.

import type { JSX } from "preact";
import { readEvents } from "../../../../clients/js/src/events";
import texts from "../../i18n/compare.en.json";
import { drawing, run as loadRun, stateAt, type Run } from "../api";
import { addTexts, number, t } from "../i18n";
import type { Value } from "../json";
import { useLive } from "../live";
import { authorization } from "../login";
import { change, link, parameter } from "../router";
import { isSame, type Difference as Found, type Side } from "../run/compared";
import { compare } from "../run/diff";
import { eventText, gistOf } from "../run/entries";
import type { Entry } from "../run/model";
import { Difference, Letter } from "../ui/difference";
import { Drawing } from "../ui/drawing";
import { App, Empty, Failure, Heading, Icon, Loading, Said, shortID, Status } from "../ui/parts";
import { Card } from "../ui/value";

addTexts(texts);

/** All that the page shows. */
interface Both {
  readonly d: Found;
  readonly runs: readonly [Run, Run];
  /** The first entries that differ. */
  readonly first: readonly [Entry | undefined, Entry | undefined];
  readonly states: readonly [Value, Value];
  readonly drawings: readonly [string, string];
}

async function both(a: string, aAt: number, b: string, bAt: number, s: AbortSignal): Promise<Both> {
  const [d, ra, rb] = await Promise.all([compare(a, aAt, b, bAt, s), loadRun(a, s), loadRun(b, s)]);
  const first = (run: string, seq: number): Promise<Entry | undefined> => (d.common < seq ? entryAfter(run, d.common, s) : Promise.resolve(undefined));
  const drawn = (run: string, seq: number): Promise<string> => drawing(run, seq, s).catch(() => ""); // a plan that no process has any more
  const [fa, fb, va, vb, ga, gb] = await Promise.all([
    first(a, d.a.seq || ra.seq), first(b, d.b.seq || rb.seq), stateAt(a, aAt, s), stateAt(b, bAt, s), drawn(a, aAt), drawn(b, bAt),
  ]);
  return { d, runs: [ra, rb], first: [fa, fb], states: [va, vb], drawings: [ga, gb] };
}

/** The stored entry behind one of a run; undefined where there is none. */
async function entryAfter(run: string, after: number, signal: AbortSignal): Promise<Entry | undefined> {
  const over = new AbortController();
  signal.addEventListener("abort", () => over.abort());
  try {
    for await (const e of readEvents({ url: "/api", run, after, follow: false, signal: over.signal, headers: authorization, retry: { attempts: 1 } })) {
      if (e.sub === 0) return { ...e, at: Date.parse(e.ts), exact: new Map() };
    }
  } finally {
    over.abort();
  }
  return undefined;
}

const seqOf = (name: string): number => Math.max(0, Math.trunc(Number(parameter(name)) || 0));

export default function ComparePage(): JSX.Element {
  const [a, b, aAt, bAt] = [parameter("a"), parameter("b"), seqOf("at"), seqOf("withAt")];
  const { data, error, again } = useLive(["compare", a, aAt, b, bAt].join(" "), async (s) => (a && b ? both(a, aAt, b, bAt, s) : undefined), a && b ? 5000 : 0, "runs");
  const x = data.value;
  const names = { a: shortID(a) + (aAt ? " · " + number(aAt) : ""), b: shortID(b) + (bAt ? " · " + number(bAt) : "") };
  return (
    <>
      <p class="crumb"><App href={link(["runs"])}><Icon name="left" />{t("nav.runs")}</App></p>
      <Heading title={t("compare.title")}>
        {a && b && <button type="button" onClick={() => change({ a: b, b: a, at: bAt ? String(bAt) : "", withAt: aAt ? String(aAt) : "" })}><Icon name="swap" />{t("compare.swap")}</button>}
      </Heading>
      {!a || !b ? (
        <Empty icon="compare" title={t("compare.two")}><p>{t("compare.twoText")}</p><App class="button primary" href={link(["runs"])}>{t("nav.runs")}</App></Empty>
      ) : error.value && !x ? <Failure error={error.value} again={again} />
        : !x ? <Loading rows={6} />
        : (
          <>
            <div class="columns pair">
              <Point side="a" s={x.d.a} r={x.runs[0]} at={aAt} of={x.d.b} />
              <Point side="b" s={x.d.b} r={x.runs[1]} at={bAt} of={x.d.a} />
            </div>
            <Verdict x={x} />
            <Difference d={x.d} names={names} />
            {(x.drawings[0] || x.drawings[1]) && (
              <div class="columns pair">
                {(["a", "b"] as const).map((side, i) => (
                  <section key={side} class="card" aria-label={`${side.toUpperCase()}: ${t("drawing")}`}>
                    <header><h2><Letter side={side} />{t("drawing")}</h2></header>
                    <Drawing svg={x.drawings[i]!} label={t("compare.drawingOf", { side: side.toUpperCase() })} />
                  </section>
                ))}
              </div>
            )}
            <div class="columns pair">
              <Card title={t("compare.valueOf", { side: "A" })} value={x.states[0]} />
              <Card title={t("compare.valueOf", { side: "B" })} value={x.states[1]} />
            </div>
          </>
        )}
    </>
  );
}

/** One side: which run it is, and at which entry it is looked at. */
function Point({ side, s, r, at, of }: { side: "a" | "b"; s: Side; r: Run; at: number; of: Side }): JSX.Element {
  const name = side === "a" ? "at" : "withAt";
  return (
    <section class="card point" data-side={side} aria-label={`${side.toUpperCase()}: ${s.plan}`}>
      <h2><Letter side={side} /><App href={link(["runs", s.run])}><Said text={s.plan} /></App><Status status={s.status} /></h2>
      <p class="sub"><span class="id" title={s.run}>{shortID(s.run)}</span>{s.fork && <span>{s.fork.run === of.run ? t("compare.forkOfOther", { n: number(s.fork.seq) }) : t("compare.fork", { n: number(s.fork.seq) })}</span>}</p>
      {s.error && <p class="wrong" dir="auto">{s.error}</p>}
      <label class="inline at"><span class="unseen">{side.toUpperCase()}: </span>{t("compare.at")}
        <input type="number" min={1} max={r.seq} value={at || r.seq} onChange={(e) => {
          const n = Math.trunc(Number(e.currentTarget.value));
          change({ [name]: n > 0 && n < r.seq ? String(n) : "" }, true);
        }} />
        <span>{t("compare.of", { n: number(r.seq) })}</span>
      </label>
    </section>
  );
}

function Verdict({ x }: { x: Both }): JSX.Element {
  const [a, b] = x.first;
  if (isSame(x.d)) return <p class="note good" role="status"><Icon name="check" /><span>{t("compare.same")}</span></p>;
  return (
    <section class="card" aria-labelledby="first">
      <header><h2 id="first">{x.d.common === 0 ? t("compare.fromStart") : t("compare.common", { n: number(x.d.common) })}</h2></header>
      <ol class="firsts">
        {(["a", "b"] as const).map((side) => {
          const e = side === "a" ? a : b;
          return (
            <li key={side}>
              <Letter side={side} />
              {e ? <><span class="seq">{number(e.seq)}</span><b>{eventText(e)}</b>{e.task && <Said text={e.task} />}<span class="gist" dir="auto">{gistOf(e)}</span></> : <span class="nothing">{t("compare.ended")}</span>}
            </li>
          );
        })}
      </ol>
    </section>
  );
}
