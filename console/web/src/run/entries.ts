// Entries of a journal in a line.

import texts from "../../i18n/run.en.json";
import { addTexts, tx } from "../i18n";
import { encode, type Value } from "../json";
import type { Entry } from "./model";

addTexts(texts);

/** What happened; a claim says which, and who. */
export function eventText(e: Entry): string {
  const kind = e.type === "interrupt.updated" ? String(e.data["do"] ?? "") : e.type === "run.resumed" ? String(e.data["reason"] ?? "") : "";
  const otherwise = tx("event." + e.type, e.type);
  return kind ? tx(`event.${e.type}.${kind}`, otherwise) : otherwise;
}

/** What an event is about, in a line. */
export function gistOf(e: Entry): string {
  const d = e.data;
  if (e.type === "interrupt.updated") return [d["by"], d["note"]].filter((x) => typeof x === "string" && x !== "").join(" · ");
  if (e.type === "run.resumed") return typeof d["by"] === "string" ? d["by"] : "";
  for (const name of ["error", "prompt", "reason", "text", "name", "step"]) if (typeof d[name] === "string" && d[name] !== "") return d[name] as string;
  if (d["answer"] !== undefined) return short(e.exact.get("answer")) + (typeof d["by"] === "string" ? " · " + d["by"] : "");
  if (d["to"] !== undefined) return Array.isArray(d["to"]) ? (d["to"] as unknown[]).join(", ") : String(d["to"]);
  if (e.exact.has("delta")) return short(e.exact.get("delta"));
  if (e.exact.has("value")) return short(e.exact.get("value"));
  return typeof d["status"] === "string" ? tx("status." + d["status"], d["status"]) : "";
}

export function short(v: Value | undefined): string {
  const text = v === undefined ? "" : typeof v === "string" ? v : encode(v);
  return text.length > 160 ? text.slice(0, 160) + "…" : text;
}
