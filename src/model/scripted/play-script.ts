import * as z from "zod";
import { messageOf } from "../../protocol/index.ts";
import type { Ask } from "./ask.ts";
import { fillTemplate, quote, TemplateError } from "./fill-template.ts";
import { matches } from "./matches.ts";
import { type Reply, replyFrom } from "./reply.ts";
import { Answer, type AnswerFunction, type Fault, type Script } from "./script.ts";
import { createAnswerSlots, type AnswerSlot } from "./answer-slots.ts";

/** A script's reaction to one request. `source` names the rule or step, for people. */
export type Move =
  | { readonly type: "answer"; readonly source: string; readonly reply: Reply }
  | { readonly type: "fault"; readonly source: string; readonly fault: Fault; readonly reply: Reply }
  | { readonly type: "none"; readonly message: string };

export interface ScriptPlayer {
  /** Takes the step of a list before the first `await`, so concurrent requests never get the same step. */
  next(ask: Ask): Promise<Move>;
  /** Returns the unused steps, and the unused answers of rules with `times`. */
  unused(): readonly string[];
}

export interface PlayOptions {
  readonly file: string;
  /** Must never return an id that the conversation already has. */
  callId(ask: Ask, index: number): string;
}

/** Plays a script. The scripted model and the loopback server differ only in how the answer is sent. */
export function playScript(script: Script, options: PlayOptions): ScriptPlayer {
  const slots = createAnswerSlots(script);
  return {
    unused: () => slots.unused(),
    async next(ask) {
      for (const slot of slots.of(ask)) {
        try {
          if (!matches(slot.when, ask)) continue;
          const { answer } = slot;
          const move = typeof answer === "function" ? await call(answer, slot, ask) : play(answer, slot, ask);
          if (move) return move;
        } catch (error) {
          return { type: "none", message: `script ${options.file}, ${slot.source}: ${reasonOf(error)}` };
        }
      }
      return { type: "none", message: noAnswer(ask) };
    },
  };

  function play(answer: Answer, slot: AnswerSlot, ask: Ask): Move {
    const struck = slot.strikes();
    const filled = script.templates === false ? answer : fillTemplate(answer, ask);
    return moveOf(struck ? filled : { ...filled, fault: undefined }, slot, ask);
  }

  async function call(answer: AnswerFunction, slot: AnswerSlot, ask: Ask): Promise<Move | undefined> {
    slot.take();
    const given = await answer(ask);
    if (given !== undefined) return moveOf(Answer.parse(given), slot, ask);
    slot.release();
    return undefined;
  }

  function moveOf(answer: Answer, { source }: AnswerSlot, ask: Ask): Move {
    const reply = replyFrom(answer, (index) => options.callId(ask, index));
    return answer.fault ? { type: "fault", source, fault: answer.fault, reply } : { type: "answer", source, reply };
  }

  function noAnswer(ask: Ask): string {
    const last = ask.result ? `last result: ${quote(ask.result.text)}` : `last prompt: ${quote(ask.said)}`;
    const steps = slots.listLength(ask);
    const why = steps === undefined ? "" : `: its list has ${steps} ${steps === 1 ? "step" : "steps"}`;
    const purpose = ask.purpose === "answer" ? "" : `, purpose ${ask.purpose}`;
    return `script ${options.file} has no answer for agent ${ask.agent}, turn ${ask.turn}${purpose} (${last})${why}. Add a rule or a step`;
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof TemplateError) return error.message;
  if (!(error instanceof z.ZodError)) return `its function threw: ${messageOf(error)}`;
  const issue = error.issues[0];
  return `its function returned an invalid answer: ${[issue?.path.join("."), issue?.message].filter(Boolean).join(": ")}`;
}
