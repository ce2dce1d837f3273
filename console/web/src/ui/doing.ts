// Does something that people have confirmed.

import { useSignal } from "@preact/signals";
import { Refusal } from "../api";
import { t } from "../i18n";
import { refresh } from "../live";
import { say } from "./parts";

/** Does something about a run after it was confirmed. */
export function useDoing(): { busy: boolean; problem: string; reset: () => void; go: (work: () => Promise<void>, done: string) => Promise<boolean> } {
  const busy = useSignal(false);
  const problem = useSignal("");
  return {
    busy: busy.value,
    problem: problem.value,
    reset: () => (problem.value = ""),
    async go(work, done) {
      busy.value = true;
      problem.value = "";
      try {
        await work();
        say(done);
        refresh();
        return true;
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        problem.value = error.status === 0 ? t("error.unreachable") : error.message;
        return false;
      } finally {
        busy.value = false;
      }
    },
  };
}
