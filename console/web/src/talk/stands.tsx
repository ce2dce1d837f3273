// How a conversation stands, as both of its pages show it.

import type { JSX } from "preact";
import texts from "../../i18n/talks.en.json";
import { addTexts, t } from "../i18n";
import { encode, type Value } from "../json";
import type { State } from "./model";
import { Icon } from "../ui/parts";

addTexts(texts);

export const looks: Readonly<Record<State, string>> = { user: "paused", handoff: "blocked", busy: "running", works: "running", over: "completed", failed: "failed" };
const icons: Readonly<Record<State, string>> = { user: "talk", handoff: "person", busy: "hourglass", works: "play", over: "check", failed: "cross" };

export function Stands({ state }: { state: State }): JSX.Element {
  return <span class="status" data-status={looks[state]}><Icon name={icons[state]} />{t(`talk.state.${state}`)}</span>;
}

/** A value as JavaScript has it. */
export function plain(v: Value | undefined): unknown {
  return v === undefined ? undefined : JSON.parse(encode(v));
}
