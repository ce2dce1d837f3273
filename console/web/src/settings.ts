// Who sits here, and how the page looks. It goes on record with what is done: the person who has logged in, or a name as it was typed.

import { computed, signal } from "@preact/signals";
import { person } from "./login";
import { store, stored } from "./storage";

const typed = signal(stored("name") ?? "");

export const me = computed(() => (person.value?.known ? person.value.id ?? "" : typed.value));

export function rename(name: string): void {
  typed.value = name;
  store("name", name);
}

export type Theme = "auto" | "light" | "dark";

const known = stored("theme");
export const theme = signal<Theme>(known === "light" || known === "dark" ? known : "auto");

export function setTheme(next: Theme): void {
  theme.value = next;
  store("theme", next === "auto" ? undefined : next);
  show();
}

export function show(): void {
  if (theme.value === "auto") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme.value;
}

/** Whether ⌘K is open: what goes to any page. */
export const paletteOpen = signal(false);
