// Questions in a line: what is asked, of whom.

import texts from "../../i18n/question.en.json";
import type { Question } from "../api";
import { addTexts, t } from "../i18n";
import { steady } from "../run/told";

addTexts(texts);

export function taskName(task: string): string {
  return task.replace(/#\d+/g, "");
}

export function promptOf(q: Question): string {
  if (q.kind === "dialogue") return t("talk.handedTitle");
  return steady(q.prompt ?? "") || t("question.of", { task: taskName(q.task) });
}

/** Who may answer, in a few words. */
export function askedOf(q: Question): string {
  if (q.claimedBy) return t("question.claimedBy", { who: q.claimedByName ?? q.claimedBy });
  if (q.assignee) return q.assigneeName ?? q.assignee;
  return q.requiredRole ?? "";
}
