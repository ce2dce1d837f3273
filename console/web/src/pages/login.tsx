// Asks for a login, where the server wants one: a token, or one at an issuer.

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import texts from "../../i18n/login.en.json";
import { me, Refusal } from "../api";
import { addTexts, t, type Key } from "../i18n";
import { logIn, place, wanted } from "../login";
import { Icon, Mark } from "../ui/parts";

addTexts(texts);

const reasons: Readonly<Record<string, Key>> = { refused: "login.refused", ended: "login.ended", out: "login.out.done" };

export default function LoginPage(): JSX.Element {
  const text = useSignal("");
  const busy = useSignal(false);
  const problem = useSignal("");
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const said = problem.value || (reasons[wanted.value] ? t(reasons[wanted.value]!) : "");
  const bad = problem.value !== "" || wanted.value === "refused";
  const submit = async (e: Event): Promise<void> => {
    e.preventDefault();
    if (busy.value) return;
    problem.value = "";
    if (text.value.trim() === "") problem.value = t("login.needed");
    else if (!logIn(text.value)) problem.value = t("login.refused");
    else {
      busy.value = true;
      try {
        await me();
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        text.value = "";
        if (error.status !== 401) problem.value = error.status === 0 ? t("error.unreachable") : error.message;
      } finally {
        busy.value = false;
      }
    }
    field.current?.focus();
  };
  if (place.value) return (
    <main class="login" id="main">
      <div class="card">
        <p class="brand"><Mark /><span>Fermata</span></p>
        <h1>{t("login.title")}</h1>
        <p class="faint" role="status">{said || t("login.at")}</p>
        <a class="button primary" href={place.value + "?to=" + encodeURIComponent(location.pathname + location.search)}>{t("login.sign")}</a>
      </div>
    </main>
  );
  return (
    <main class="login" id="main">
      <form class="card" onSubmit={(e) => void submit(e)} noValidate aria-labelledby="login">
        <p class="brand"><Mark /><span>Fermata</span></p>
        <h1 id="login">{t("login.title")}</h1>
        <p class="faint">{t("login.help")}</p>
        <div class="field" data-wrong={bad ? "1" : undefined}>
          <label for="token">{t("login.token")}</label>
          <input ref={field} id="token" type="password" autocomplete="off" spellcheck={false} autocapitalize="off" maxLength={500} value={text.value} aria-required={true}
            aria-invalid={bad ? true : undefined} aria-describedby={said ? "login-said" : undefined} onInput={(e) => (text.value = e.currentTarget.value)} />
        </div>
        <div role="alert" id="login-said">{said && <p class={bad ? "wrong" : "faint"}>{bad && <Icon name="alert" />}{said}</p>}</div>
        <button class="primary" disabled={busy.value}>{t("login.do")}</button>
        <p class="faint">{t("login.make")} <code>fermata tokens create</code></p>
      </form>
    </main>
  );
}
