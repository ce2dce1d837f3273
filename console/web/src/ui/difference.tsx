// What differs between two points of runs: values, tasks and answers, one side beside the other.

import type { ComponentChildren, JSX } from "preact";
import texts from "../../i18n/compare.en.json";
import { addTexts, t, tn } from "../i18n";
import type { AnswerSide, Change, Difference as Found, TaskSide } from "../run/compared";
import { Said, Status } from "./parts";
import { Shown } from "./value";

addTexts(texts);

export interface Names {
  readonly a: string;
  readonly b: string;
}

/** The sections of a difference that have something in them. */
export function Difference({ d, names }: { d: Found; names: Names }): JSX.Element {
  return (
    <>
      {d.state.length > 0 && <Part id="state" title={t("compare.state")} names={names}>{d.state.map((c) => <Changed key={c.path} c={c} names={names} />)}</Part>}
      {d.output.length > 0 && <Part id="output" title={t("compare.output")} names={names}>{d.output.map((c) => <Changed key={c.path} c={c} names={names} />)}</Part>}
      {d.answers.length > 0 && (
        <Part id="answers" title={t("compare.answers")} names={names}>
          {d.answers.map((x, i) => (
            <Line key={x.task + i} of={<><Said text={x.prompt || x.task} />{x.prompt && <span class="id">{x.task}</span>}</>} names={names} a={<Answer x={x.a} />} b={<Answer x={x.b} />} />
          ))}
        </Part>
      )}
      {d.tasks.length > 0 && (
        <Part id="tasks" title={t("compare.tasks")} names={names}>
          {d.tasks.map((x) => (
            <>
              <Line key={x.task} of={<Said text={x.task} />} names={names} a={<Task x={x.a} />} b={<Task x={x.b} />} />
              {x.output.map((c) => <Changed key={x.task + c.path} c={c} names={names} of={x.task} />)}
            </>
          ))}
        </Part>
      )}
    </>
  );
}

function Part({ id, title, names, children }: { id: string; title: string; names: Names; children: ComponentChildren }): JSX.Element {
  return (
    <section class="card" aria-labelledby={"diff-" + id}>
      <header><h2 id={"diff-" + id}>{title}</h2></header>
      <table class="sides">
        <thead><tr><th scope="col"><span class="unseen">{t("compare.what")}</span></th><th scope="col"><Letter side="a" />{names.a}</th><th scope="col"><Letter side="b" />{names.b}</th></tr></thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}

/** Which side something is of: A or B, in its colour. */
export function Letter({ side }: { side: "a" | "b" }): JSX.Element {
  return <b class="letter" data-side={side} aria-hidden="true">{side.toUpperCase()}</b>;
}

function Line({ of, a, b, names }: { of: ComponentChildren; a: ComponentChildren; b: ComponentChildren; names: Names }): JSX.Element {
  return (
    <tr>
      <th scope="row">{of}</th>
      <td data-side="a"><span class="narrow"><Letter side="a" /><span class="unseen">{names.a}</span></span>{a}</td>
      <td data-side="b"><span class="narrow"><Letter side="b" /><span class="unseen">{names.b}</span></span>{b}</td>
    </tr>
  );
}

function Changed({ c, names, of }: { c: Change; names: Names; of?: string }): JSX.Element {
  const value = (v: Change["old"]): JSX.Element => (v === undefined ? <span class="nothing">{t("compare.absent")}</span> : <Shown value={v} depth={2} />);
  return <Line of={<>{of && <span class="id">{of}</span>}<Said text={placeText(c.path)} /></>} names={names} a={value(c.old)} b={value(c.new)} />;
}

/** A JSON Pointer as people read it: /items/0/price is items › 0 › price. */
function placeText(pointer: string): string {
  if (pointer === "") return t("compare.whole");
  return pointer.slice(1).split("/").map((s) => s.replaceAll("~1", "/").replaceAll("~0", "~")).join(" › ");
}

function Task({ x }: { x: TaskSide | undefined }): JSX.Element {
  if (!x) return <span class="nothing">{t("compare.noTask")}</span>;
  return (
    <>
      <Status status={x.state === "open" ? "running" : x.state} />
      {x.attempts > 1 && <span class="faint"> {tn("compare.attempts", x.attempts)}</span>}
      {x.route && <span class="faint"> → <Said text={x.route.startsWith("\0") ? x.route.slice(1) : x.route} /></span>}
      {x.error && <p class="wrong" dir="auto">{x.error}</p>}
    </>
  );
}

function Answer({ x }: { x: AnswerSide | undefined }): JSX.Element {
  if (!x) return <span class="nothing">{t("compare.notAsked")}</span>;
  return (
    <>
      {x.answer === undefined ? <span class="nothing">{x.state === "open" || x.state === "claimed" ? t("compare.open") : t("compare.unanswered")}</span> : <Shown value={x.answer} depth={2} />}
      {x.by && <span class="faint who-by"> · <Said text={x.by} /></span>}
    </>
  );
}
