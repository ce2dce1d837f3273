// Who sits here, and how the page looks. The server has no login yet: the name goes on record with what is done.

import { signal } from "@preact/signals";
import { store, stored } from "./storage";

export const me = signal(stored("name") ?? "");

export function rename(name: string): void {
  me.value = name;
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
