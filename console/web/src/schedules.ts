// The server's routes of schedules.

import { at, get, newKey, post } from "./api";

export interface Schedule {
  readonly schedule: string;
  readonly definition: string;
  readonly description?: string;
  readonly cron: string;
  /** The rule in words. */
  readonly rule: string;
  readonly timeZone: string;
  readonly overlap: string;
  readonly catchUp: string;
  readonly paused?: boolean;
  /** Who paused it; none where its recipe does. */
  readonly pausedBy?: { readonly by?: string; readonly note?: string; readonly since: string };
  readonly next: readonly { readonly time: string; readonly run: string }[];
  readonly last: readonly { readonly run: string; readonly status: string; readonly created: string }[];
}

export interface Schedules {
  /** Whether this server starts their runs. */
  readonly fires: boolean;
  readonly schedules: readonly Schedule[];
}

export function schedules(signal?: AbortSignal): Promise<Schedules> {
  return get("/api/schedules", signal);
}

/** Starts a run of a schedule now. */
export async function fire(name: string, by: string): Promise<void> {
  await post(at("schedules", name, "fire"), JSON.stringify(by ? { by } : {}), { "Idempotency-Key": newKey() });
}

/** Pauses a schedule, or lets it go on. */
export async function pause(name: string, paused: boolean, note: string, by: string): Promise<void> {
  await post(at("schedules", name, paused ? "pause" : "resume"), JSON.stringify({ ...(note ? { note } : {}), ...(by ? { by } : {}) }));
}
