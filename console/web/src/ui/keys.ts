// Keys of lists, which count while a row has the focus.

/** Moves the focus to the same place of the row above or below: ↑ ↓ and k j. Rows are those that the selector finds. */
export function walk(event: KeyboardEvent, rows: string, places: string): void {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const step = event.key === "ArrowDown" || event.key === "j" ? 1 : event.key === "ArrowUp" || event.key === "k" ? -1 : 0;
  const here = event.target as Element;
  const row = here.closest(rows);
  if (step === 0 || !row || here.matches("input:not([type=checkbox]), select, textarea")) return;
  const all = [...(event.currentTarget as Element).querySelectorAll(rows)];
  const place = [...row.querySelectorAll(places)].indexOf(here);
  const next = all[all.indexOf(row) + step]?.querySelectorAll<HTMLElement>(places);
  if (!next || next.length === 0) return;
  event.preventDefault();
  next[Math.min(Math.max(place, 0), next.length - 1)]!.focus();
}
