// What operators do about a run, after a dialog has said what happens then.

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import texts from "../../i18n/run.en.json";
import { cancel, changeHold, retry, type Run } from "../api";
import { addTexts, t, tn } from "../i18n";
import type { Standing } from "./model";
import { me } from "../settings";
import { useDoing } from "../ui/doing";
import { Dialog, Icon } from "../ui/parts";
import { named, NameField, Problems } from "../ui/who";

addTexts(texts);

export type Act = "retry" | "cancel" | "hold";

interface Asking {
  readonly r: Run;
  readonly s: Standing;
  readonly status: string;
  readonly close: () => void;
}

/** The dialog of what somebody is about to do. */
export default function ActDialog({ act, ...asking }: Asking & { act: Act }): JSX.Element {
  return act === "retry" ? <Retry {...asking} /> : act === "cancel" ? <Cancel {...asking} /> : <Holding {...asking} />;
}

function Retry({ r, s, close }: Asking): JSX.Element {
  const doing = useDoing();
  const failed = [...s.tasks.values()].filter((x) => x.status === "failed").map((x) => x.id);
  const kept = [...s.tasks.values()].filter((x) => x.status === "finished").length;
  return (
    <Dialog title={t("retry.title")} open close={close}>
      <p>{failed.length > 0 ? t("retry.text", { tasks: failed.join(", ") }) : t("retry.textPlain")}</p>
      {kept > 0 && <p>{tn("retry.kept", kept)}</p>}
      <Problems list={doing.problem ? [doing.problem] : []} />
      <div class="foot">
        <button type="button" class="primary" disabled={doing.busy} onClick={() => void doing.go(() => retry(r.run), t("retry.done")).then((ok) => {
          if (ok) close();
        })}><Icon name="retry" />{t("retry")}</button>
        <button type="button" onClick={close}>{t("notNow")}</button>
      </div>
    </Dialog>
  );
}

function Cancel({ r, s, status, close }: Asking): JSX.Element {
  const reason = useSignal("");
  const doing = useDoing();
  const busy = [...s.tasks.values()].filter((x) => x.status === "running").map((x) => x.id);
  return (
    <Dialog title={t("cancel.title")} open close={close}>
      <p>{t("cancel.text")}</p>
      <ul>
        {busy.length > 0 && status === "running" && <li>{t("cancel.tasks", { tasks: busy.join(", ") })}</li>}
        {r.interrupts.length > 0 && <li>{tn("cancel.questions", r.interrupts.length)}</li>}
        <li>{t("cancel.kept")}</li>
      </ul>
      <div class="field">
        <label for="cancel-why">{t("cancel.reason")}<span class="optional"> {t("form.optional")}</span></label>
        <input id="cancel-why" type="text" dir="auto" value={reason.value} onInput={(e) => (reason.value = e.currentTarget.value)} />
      </div>
      <Problems list={doing.problem ? [doing.problem] : []} />
      <div class="foot">
        <button type="button" class="danger" disabled={doing.busy} onClick={() => void doing.go(() => cancel(r.run, reason.value, me.value), t("cancel.done")).then((ok) => {
          if (ok) close();
        })}><Icon name="stop" />{t("cancel.do")}</button>
        <button type="button" onClick={close}>{t("notNow")}</button>
        <NameField id="cancel-me" />
      </div>
    </Dialog>
  );
}

/** Stops a run for a while, or lets it go on; either way with a reason. */
function Holding({ r, s, close }: Asking): JSX.Element {
  const note = useSignal("");
  const doing = useDoing();
  const held = s.hold;
  const busy = [...s.tasks.values()].filter((x) => x.status === "running").map((x) => x.id);
  const does = async (): Promise<void> => {
    if (!named()) return;
    if (!(await doing.go(() => changeHold(r.run, held ? "release" : "hold", note.value.trim(), me.value), t(held ? "hold.released" : "hold.done")))) return;
    close();
  };
  return (
    <Dialog title={t(held ? "hold.releaseTitle" : "hold.title")} open close={close}>
      <form class="form" noValidate onSubmit={(e) => {
        e.preventDefault();
        void does();
      }}>
        {held ? <p>{t(held.before || held.after ? "hold.releaseStep" : "hold.releaseText")}</p> : (
          <>
            <p>{t("hold.text")}</p>
            <ul>
              {busy.length > 0 && <li>{t("hold.tasks", { tasks: busy.join(", ") })}</li>}
              <li>{r.interrupts.length > 0 ? tn("hold.questions", r.interrupts.length) : t("hold.kept")}</li>
              <li>{t("hold.deadline")}</li>
            </ul>
          </>
        )}
        <div class="field">
          <label for="hold-why">{t("cancel.reason")}{held && <span class="optional"> {t("form.optional")}</span>}</label>
          <input id="hold-why" type="text" dir="auto" value={note.value} onInput={(e) => (note.value = e.currentTarget.value)} autofocus />
        </div>
        <Problems list={doing.problem ? [doing.problem] : []} />
        <div class="foot">
          <button class="primary" disabled={doing.busy || (!held && note.value.trim() === "")}><Icon name={held ? "play" : "hand"} />{t(held ? "hold.releaseDo" : "hold.do")}</button>
          <button type="button" onClick={close}>{t("notNow")}</button>
          <NameField id="hold-me" />
        </div>
      </form>
    </Dialog>
  );
}
