// The small parts that pages are made of.

import { signal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { Refusal } from "../api";
import { duration, moment, t, tx, type Key } from "../i18n";
import { now } from "../live";
import { link } from "../router";
import { ahead, steady } from "../run/told";

const paths: Readonly<Record<string, string>> = {
  inbox: "M3 12.5V5a2 2 0 0 1 2-2h10a2 2 0 0 1 2 2v7.5M3 12.5h3.8l1.2 2h4l1.2-2H17M3 12.5V15a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2v-2.5",
  runs: "M4 5h12M4 10h12M4 15h7",
  definitions: "M4 3.5h5v5H4zM11 11.5h5v5h-5zM6.5 8.5v3.5a2 2 0 0 0 2 2H11",
  search: "M9 15A6 6 0 1 0 9 3a6 6 0 0 0 0 12ZM13.5 13.5 17 17",
  play: "M6 4l10 6-10 6z",
  check: "M4 10.5l4 4 8-9",
  cross: "M5 5l10 10M15 5L5 15",
  pause: "M7 4v12M13 4v12",
  hand: "M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14ZM8 7.5v5M12 7.5v5",
  fork: "M5 3v4a3 3 0 0 0 3 3h4a3 3 0 0 1 3 3v4M5 10v7",
  calendar: "M4 5h12v11.5H4zM4 8.5h12M7 3v3.5M13 3v3.5",
  pulse: "M2.5 10.5h3.5l2-5.5 4 10 2-4.5h3.5",
  compare: "M4 4h5v12H4zM11 4h5v12h-5M6 8h1M13 8h1M6 11h1",
  swap: "M4 7h11M12 4l3 3-3 3M16 13H5M8 10l-3 3 3 3",
  clock: "M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14ZM10 6v4l2.5 2",
  person: "M10 10a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM4 17c.6-3.2 2.9-5 6-5s5.4 1.8 6 5",
  retry: "M16 10a6 6 0 1 1-2-4.5M16 3v3.5h-3.5",
  stop: "M5 5h10v10H5z",
  copy: "M7 7V4h9v9h-3M4 7h9v9H4z",
  talk: "M4 4h12a1.5 1.5 0 0 1 1.5 1.5v7A1.5 1.5 0 0 1 16 14h-5l-4 3v-3H4a1.5 1.5 0 0 1-1.5-1.5v-7A1.5 1.5 0 0 1 4 4Z",
  up: "M10 16V4M5 9l5-5 5 5",
  right: "M8 5l5 5-5 5",
  left: "M12 5l-5 5 5 5",
  down: "M5 8l5 5 5-5",
  plus: "M10 4v12M4 10h12",
  alert: "M10 3 2.5 16.5h15zM10 8.5v3.5M10 14.2v.2",
  sun: "M10 13.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7ZM10 2v1.5M10 16.5V18M2 10h1.5M16.5 10H18M4.3 4.3l1.1 1.1M14.6 14.6l1.1 1.1M15.7 4.3l-1.1 1.1M5.4 14.6l-1.1 1.1",
  tag: "M3 10V4h6l8 8-6 6zM6.5 7.5v.1",
  hourglass: "M6 3h8M6 17h8M7 3c0 4 6 5 6 7s-6 3-6 7M13 3c0 4-6 5-6 7s6 3 6 7",
};

export function Icon({ name }: { name: string }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path d={paths[name] ?? ""} />
    </svg>
  );
}

/** The fermata: hold this note for as long as it takes. */
export function Mark(): JSX.Element {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <path d="M4 22a12 12 0 0 1 24 0" />
      <circle cx="16" cy="21" r="3" />
    </svg>
  );
}

const statusIcons: Readonly<Record<string, string>> = {
  running: "play", paused: "pause", completed: "check", failed: "cross", cancelled: "stop", expired: "hourglass", blocked: "alert", held: "hand", off: "pause",
  waiting: "pause", finished: "check", skipped: "right", retrying: "retry",
};

export function statusText(status: string): string {
  return tx("status." + status, status);
}

export function Status({ status }: { status: string }): JSX.Element {
  return (
    <span class="status" data-status={status}>
      <Icon name={statusIcons[status] ?? "clock"} />
      {statusText(status)}
    </span>
  );
}

/** How long ago something was, or how soon it will be. */
export function Ago({ at }: { at: number }): JSX.Element {
  const away = now.value - at;
  const text = Math.abs(away) < 5000 ? t("time.now") : away > 0 ? t("time.ago", { d: duration(rounded(away)) }) : t("time.in", { d: duration(ahead(-away)) });
  return <time dateTime={new Date(at).toISOString()} title={moment(at)}>{text}</time>;
}

/** Less is said of what is long ago. */
function rounded(ms: number): number {
  for (const unit of [86_400_000, 3_600_000, 60_000]) if (ms >= unit) return Math.floor(ms / unit) * unit;
  return Math.floor(ms / 1000) * 1000;
}

/** A text that somebody wrote: it runs in its own direction. */
export function Said({ text, class: name }: { text: string; class?: string }): JSX.Element {
  return <bdi class={name ?? ""}>{steady(text)}</bdi>;
}

export function shortID(id: string): string {
  return id.length > 16 ? id.slice(0, 8) + "…" + id.slice(-6) : id;
}

export function App({ href, children, class: name, label, current }: {
  href: string; children: ComponentChildren; class?: string; label?: string; current?: boolean | undefined;
}): JSX.Element {
  return (
    <a href={href} data-app="1" class={name ?? ""} aria-label={label} aria-current={current ? "page" : undefined}>{children}</a>
  );
}

/** Where a run is looked at: a conversation has a page of its own. */
export function runPath(r: { readonly run: string; readonly plan: string; readonly kind: string }): string {
  return r.kind === "dialogue" ? link(["conversations", r.plan, r.run]) : link(["runs", r.run]);
}

export function RunLink({ run }: { run: string }): JSX.Element {
  return <App href={link(["runs", run])} class="id">{shortID(run)}</App>;
}

export function Copy({ text, label }: { text: string; label: string }): JSX.Element {
  return (
    <button type="button" class="quiet square" title={label} aria-label={label} onClick={() => {
      navigator.clipboard?.writeText(text).then(() => say(t("copied")), () => say(t("copied.not"), "failed"));
    }}><Icon name="copy" /></button>
  );
}

export function Empty({ icon, title, children }: { icon: string; title: string; children?: ComponentChildren }): JSX.Element {
  return (
    <div class="empty">
      <span class="disc"><Icon name={icon} /></span>
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** Rows that are still to come. */
export function Loading({ rows = 4 }: { rows?: number }): JSX.Element {
  return (
    <div class="loading" role="status">
      <span class="unseen">{t("loading")}</span>
      {Array.from({ length: rows }, (_, i) => <span key={i} class="bone" />)}
    </div>
  );
}

/** Why something cannot be shown. A server that is gone has the banner for it. */
export function Failure({ error, again }: { error: Refusal; again?: () => void }): JSX.Element {
  if (error.status === 0) return <p class="faint">{t("error.notLoaded")}</p>;
  return (
    <div class="note failed" role="alert">
      <Icon name="alert" />
      <div>
        <strong>{error.status === 404 ? t("error.missing") : t("error.failed")}</strong>
        <p><Said text={error.message} /></p>
      </div>
      {again && <button type="button" onClick={again}>{t("again")}</button>}
    </div>
  );
}

interface Told {
  readonly text: string;
  readonly kind: string;
  readonly n: number;
}

const told = signal<readonly Told[]>([]);
let tellings = 0;

/** Says something for a few seconds, also to screen readers. */
export function say(text: string, kind: "done" | "failed" = "done"): void {
  const one = { text, kind, n: ++tellings };
  told.value = [...told.value.slice(-2), one];
  setTimeout(() => (told.value = told.value.filter((x) => x !== one)), kind === "failed" ? 9000 : 4500);
}

export function Toasts(): JSX.Element {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {told.value.map((x) => (
        <div key={x.n} class={"toast " + x.kind}><Icon name={x.kind === "failed" ? "alert" : "check"} />{x.text}</div>
      ))}
    </div>
  );
}

/** A dialog that asks before something is done. */
export function Dialog({ title, open, close, children, class: name }: {
  title: string; open: boolean; close: () => void; children: ComponentChildren; class?: string;
}): JSX.Element {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    if (open && !ref.current?.open) ref.current?.showModal();
    if (!open && ref.current?.open) ref.current.close();
  }, [open]);
  useEffect(() => () => ref.current?.close(), []); // which gives the focus back
  return (
    <dialog ref={ref} class={name ?? ""} aria-labelledby={id} onClose={close} onClick={(e) => e.target === ref.current && close()}>
      {open && <div class="inside"><h2 id={id}>{title}</h2>{children}</div>}
    </dialog>
  );
}

export function Heading({ title, children, lead }: { title: string; children?: ComponentChildren; lead?: string }): JSX.Element {
  useEffect(() => {
    document.title = title + " · Fermata";
  }, [title]);
  return (
    <header class="heading">
      <div>
        <h1 tabIndex={-1}><Said text={title} /></h1>
        {lead && <p class="lead"><Said text={lead} /></p>}
      </div>
      {children && <div class="acts">{children}</div>}
    </header>
  );
}

export function kindText(kind: string): string {
  return tx("kind." + kind, kind);
}

export type { Key };
