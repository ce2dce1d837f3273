// Who is logged in. A token is in this tab's sessionStorage, and goes nowhere but into the header of requests: no page of another origin
// can use it (docs/adr/103-logins-by-tokens.md). A session is in a cookie that no script reads (docs/adr/108-logins-at-an-issuer.md).

import { signal } from "@preact/signals";

export interface Person {
  /** Whether the server knows anybody. */
  readonly known: boolean;
  readonly id?: string;
  readonly name?: string;
  readonly role?: string;
  readonly rights: readonly string[];
  readonly taskRoles?: readonly string[];
  /** How they have logged in: token, session, issuer, proxy. */
  readonly login?: string;
}

/** The person that the server takes this tab for; undefined before it has said so. */
export const person = signal<Person | undefined>(undefined);

/** Where a browser logs in; "" where it is by a token. */
export const place = signal("");

/** Why a login is asked for; "" while none is. */
export const wanted = signal<"" | "none" | "refused" | "ended" | "out">("");

const name = "fermata.token";

function kept(): string {
  try {
    return sessionStorage.getItem(name) ?? "";
  } catch {
    return "";
  }
}

let token = kept();

function keep(text: string): void {
  token = text;
  try {
    if (text === "") sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, text);
  } catch {
    // private windows: it lasts as long as the page
  }
}

/** The header of requests. */
export function authorization(): Record<string, string> {
  return token === "" ? {} : { Authorization: "Bearer " + token };
}

/** A request with such a header was refused. That of an earlier token says nothing. */
export function refused(sent: Readonly<Record<string, string>>): void {
  if ((sent["Authorization"] ?? "") !== (authorization()["Authorization"] ?? "")) return;
  wanted.value = person.value?.known ? "ended" : token === "" ? wanted.value || "none" : "refused";
  keep("");
  person.value = undefined;
}

/** Takes a token, which the next request tries. No header takes other characters. */
export function logIn(text: string): boolean {
  const given = text.trim();
  if (!/^[\x21-\x7e]+$/.test(given)) return false;
  keep(given);
  return true;
}

/** Ends the login. Where the issuer has one of its own, the browser goes there to end it. */
export async function logOut(): Promise<void> {
  if (person.value?.login === "session") {
    const response = await fetch("/logout", { method: "POST" });
    if (!response.ok) return;
    const { to } = (await response.json()) as { to: string };
    if (to !== "/") location.assign(to);
  }
  keep("");
  person.value = undefined;
  wanted.value = "out";
  others?.postMessage({ out: true });
}

export function may(right: string): boolean {
  return person.value === undefined || person.value.rights.includes(right);
}

// Tabs of this origin share a login: a new one asks the others, and one that logs out takes them along.
const others = typeof BroadcastChannel === "undefined" ? undefined : new BroadcastChannel("fermata.login");

interface Told {
  readonly ask?: boolean;
  readonly token?: string;
  readonly out?: boolean;
}

let told: (() => void) | undefined;

others?.addEventListener("message", (e: MessageEvent<Told>) => {
  if (e.data.ask && token !== "" && person.value?.known) others.postMessage({ token });
  if (e.data.token && token === "" && told && (wanted.value === "none" || wanted.value === "")) {
    keep(e.data.token);
    told();
  }
  if (e.data.out && person.value?.known) {
    keep("");
    person.value = undefined;
    wanted.value = "out";
  }
});

/**
 * Asks other tabs for their token, and says whether one came; it does not wait long. Where one comes later, as in a busy browser, and
 * nobody has logged in or out since, late is called.
 */
export function borrow(late: () => void): Promise<boolean> {
  if (!others) return Promise.resolve(false);
  return new Promise((resolve) => {
    told = () => {
      told = undefined;
      resolve(true);
    };
    others.postMessage({ ask: true });
    setTimeout(() => {
      if (told) told = late;
      resolve(false);
    }, 100);
  });
}
