// Who is logged in. The token is in this tab's sessionStorage, and goes nowhere but into the header of requests: there is no cookie
// that a page of another origin could use (docs/adr/103-logins-by-tokens.md).

import { signal } from "@preact/signals";

export interface Person {
  /** Whether the server knows anybody. */
  readonly known: boolean;
  readonly id?: string;
  readonly name?: string;
  readonly role?: string;
  readonly rights: readonly string[];
  readonly taskRoles?: readonly string[];
}

/** The person that the server takes this tab for; undefined before it has said so. */
export const person = signal<Person | undefined>(undefined);

/** Why a token is asked for; "" while none is. */
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
  wanted.value = token === "" ? (wanted.value || "none") : person.value?.known ? "ended" : "refused";
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

export function logOut(): void {
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
  if (e.data.out && token !== "") {
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
