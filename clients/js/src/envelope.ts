/** What every event of a run comes in; see docs/formats.md for the types and their data. */
export interface Envelope {
  /** Version of the envelope: 1. */
  readonly v: number;
  /** Number of the entry in the run's journal, from 1 without a gap. */
  readonly seq: number;
  /** 0 for a stored event; above 0 for the transient ones that follow it. */
  readonly sub: number;
  /** When, in UTC. */
  readonly ts: string;
  readonly run: string;
  /** The task that it is about: "review#2". Left out for events of the run. */
  readonly task?: string;
  /** The call within the task, the same after a restart. */
  readonly opId?: string;
  /** "node.finished" */
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}
