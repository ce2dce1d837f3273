// The routes of conversations; docs/dialogues.md describes them.

import { at, get, post, reachable, Refusal } from "../api";
import { member, parse, type Value } from "../json";
import { authorization, refused } from "../login";
import { Parser } from "../../../../clients/js/src/sse";
import type { Delivery, Message, Place, Standing, Turn } from "./model";

const of = (dialogue: string, id: string): string => at("dialogues", dialogue, "conversations", id);

/** Begins a conversation once, however often the request is repeated with the key. */
export async function begin(dialogue: string, context: string, language: string, key: string): Promise<string> {
  const headers = { "Idempotency-Key": key, ...(language ? { "Accept-Language": language } : {}) };
  return (await post<{ conversation: string }>(at("dialogues", dialogue, "conversations"), `{"context":${context}}`, headers)).conversation;
}

export async function standingOf(dialogue: string, id: string, signal: AbortSignal): Promise<Standing> {
  return get(of(dialogue, id), signal);
}

export interface Look {
  readonly turns: readonly Turn[];
  readonly flows: readonly Place[];
  readonly slots: Value | undefined;
}

export async function look(dialogue: string, id: string, signal: AbortSignal): Promise<Look> {
  const said = await get<Look>(at("dialogues", dialogue, "review", id), signal);
  return { turns: said.turns, flows: said.flows ?? [], slots: member(parse(JSON.stringify(said)), "slots") };
}

/**
 * Says a message. With the same id it counts once. The words of a person who has taken over answer no question: where the conversation
 * was given back meanwhile, their yes is not the user's.
 */
export async function say(dialogue: string, id: string, m: Message): Promise<Standing> {
  const { id: name, text, question, commands, language, done } = m;
  const body = { id: name, text, ...(m.agent ? { done, question: "handoff" } : { question, commands, language }) };
  return post(of(dialogue, id) + "/messages" + (m.agent ? "?as=agent" : ""), JSON.stringify(body));
}

/** Something that an action shows while it works on it. */
export interface Piece {
  readonly type: string;
  readonly task: string;
  readonly opId?: string;
  readonly data: Record<string, unknown>;
}

export interface Listener {
  readonly said: (d: Delivery) => void;
  readonly piece: (p: Piece) => void;
  /** Everything that was there when the stream was opened has come. */
  readonly open: () => void;
}

/** Listens until the conversation is over. A stream that breaks off is opened again behind the last that came. */
export async function listen(dialogue: string, id: string, to: Listener, signal: AbortSignal): Promise<void> {
  let after = 0;
  for (let wait = 250; !signal.aborted; wait = Math.min(4000, wait * 2)) {
    const login = authorization();
    try {
      const response = await fetch(`${of(dialogue, id)}/messages?after=${after}`, {
        signal, headers: { Accept: "text/event-stream", ...login }, cache: "no-store",
      });
      if (response.status === 401) refused(login);
      if (response.status >= 400 && response.status < 500) throw new Refusal("", response.status, "refused");
      if (response.ok && response.body) {
        reachable.value = true;
        to.open();
        const parser = new Parser();
        const reader = response.body.getReader();
        for (;;) {
          const { done, value } = await reader.read();
          if (done) break;
          wait = 250;
          for (const frame of parser.push(value)) {
            if (frame.event === "end") return;
            if (frame.event === "piece") to.piece(JSON.parse(frame.data) as Piece);
            else if (frame.event === "") {
              const d = JSON.parse(frame.data) as Delivery;
              after = d.seq;
              to.said(d);
            }
          }
        }
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Refusal) throw error;
      reachable.value = false;
    }
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}
