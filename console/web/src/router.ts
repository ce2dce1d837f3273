// Pages by their addresses.

import { computed, signal } from "@preact/signals";

const place = signal(new URL(location.href));

addEventListener("popstate", () => (place.value = new URL(location.href)));

/** The segments of the path, decoded: ["runs", "run_1"]. */
export const segments = computed(() => place.value.pathname.split("/").filter((s) => s !== "").map(decoded));

export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function parameter(name: string): string {
  return place.value.searchParams.get(name) ?? "";
}

/** An address with parameters; those that are empty are left out. */
export function link(path: readonly string[], parameters: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== ""));
  const text = query.toString();
  return "/" + path.map(encodeURIComponent).join("/") + (text ? "?" + text : "");
}

/** Goes to an address. Replacing it leaves no step behind, as for filters that are typed. */
export function go(address: string, replace = false): void {
  const before = place.value.pathname;
  if (replace) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
  place.value = new URL(location.href);
  if (before !== place.value.pathname) scrollTo(0, 0);
}

/** Changes parameters of the address. */
export function change(parameters: Readonly<Record<string, string>>, replace = false): void {
  const url = new URL(place.value);
  for (const [name, value] of Object.entries(parameters)) {
    if (value === "") url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  go(url.pathname + url.search, replace);
}

/** Follows links of this app without loading the page anew. */
export function follow(event: MouseEvent): void {
  const anchor = (event.target as Element | null)?.closest?.("a");
  if (!anchor || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  if (anchor.origin !== location.origin || anchor.target || anchor.hasAttribute("download") || !anchor.dataset["app"]) return;
  event.preventDefault();
  go(anchor.pathname + anchor.search);
}
