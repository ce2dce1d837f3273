// Who does something, and why it was refused.

import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { t } from "../i18n";
import { person } from "../login";
import { me, rename } from "../settings";
import { Icon, Said } from "./parts";

export function Problems({ list }: { list: readonly string[] }): JSX.Element | null {
  if (list.length === 0) return null;
  return <div class="note failed" role="alert"><Icon name="alert" /><div>{list.map((text, i) => <p key={i}><Said text={text} /></p>)}</div></div>;
}

/** Where a name was wanted and not given. */
const nameless = signal(false);

/** Whether somebody has said who they are; else the fields for it say that they are needed. */
export function named(): boolean {
  nameless.value = me.value.trim() === "";
  return !nameless.value;
}

/** Who does it, for the record: four eyes and audits need it. */
export function NameField({ id }: { id: string }): JSX.Element {
  if (person.value?.known) return <span class="me">{t("me.as")} <Said text={person.value.name ?? ""} /></span>;
  const wrong = nameless.value && me.value.trim() === "";
  return (
    <span class="me" data-wrong={wrong ? "1" : undefined}>
      <label for={id}>{t("me.as")}</label>
      <input id={id} type="text" dir="auto" value={me.value} placeholder={t("me.name")} autocomplete="name" aria-required={true}
        aria-invalid={wrong ? true : undefined} aria-describedby={wrong ? id + "-wrong" : undefined} onInput={(e) => rename(e.currentTarget.value)} />
      {wrong && <span id={id + "-wrong"} class="wrong">{t("me.needed")}</span>}
    </span>
  );
}
