import { setImmediate as nextRound } from "node:timers/promises";
import { type Clock, rejectOnAbort } from "../../platform/index.ts";
import {
  type ModelAnswer,
  type ModelClient,
  type ModelEvent,
  type ModelFailure,
  TroupeError,
  type Usage,
} from "../../protocol/index.ts";
import { type Ask, askFrom } from "./ask.ts";
import { failureOf } from "./fault-failure.ts";
import { loadScript, scriptFrom } from "./load-script.ts";
import { playScript } from "./play-script.ts";
import { createPromptMeasure, outputTokensOf } from "./prompt-blocks.ts";
import { createPromptCache } from "./prompt-cache.ts";
import { deltasOf } from "./reply.ts";
import type { AnswerFunction, Script } from "./script.ts";

/** Makes one attempt at a time and does not retry. The wrapper decides what follows a fault. */
export interface ScriptedModel extends ModelClient {
  /** Every request so far and its result; `open` while it is being answered. */
  readonly calls: readonly ScriptedCall[];
  unused(): readonly string[];
  /** Throws a `TroupeError` that names the unused steps. */
  assertAllUsed(): void;
}

export interface ScriptedCall {
  readonly ask: Ask;
  readonly at: number;
  /** The rule or step that answered. */
  readonly source?: string;
  readonly end: "open" | "finished" | ModelFailure["kind"];
}

export interface ScriptedModelOptions {
  readonly clock: Clock;
  /** The value of `{{cwd}}`, and the base folder of a relative `file`. */
  readonly cwd?: string;
  /** The name of the script in messages and in the model's `ref`. */
  readonly file?: string;
}

export async function loadScriptedModel(file: string, options: ScriptedModelOptions): Promise<ScriptedModel> {
  return createScriptedModel(await loadScript(file, options.cwd), { ...options, file });
}

export function createScriptedModel(source: Script | AnswerFunction, options: ScriptedModelOptions): ScriptedModel {
  const { clock, cwd, file = "script" } = options;
  const script = scriptFrom(source, file);
  const player = playScript(script, { file, callId: ({ agent, turn }, index) => `call_${agent}_${turn}_${index + 1}` });
  const cache = createPromptCache({ clock });
  const measure = createPromptMeasure();
  const calls: ScriptedCall[] = [];
  const contextWindow = script.model?.contextWindow ?? 200_000;

  return {
    ref: `scripted/${file}`,
    contextWindow,
    maxOutputTokens: script.model?.maxOutputTokens ?? 32_000,
    calls,
    unused: () => player.unused(),
    assertAllUsed() {
      const left = player.unused();
      if (left.length === 0) return;
      throw new TroupeError("script", `script ${file} did not run to its end. Not used: ${left.join(", ")}`);
    },
    async *stream(request, signal) {
      const call = openCall(askFrom(request, cwd));
      try {
        yield* attempt(call, signal);
      } catch (error) {
        if (!signal.aborted) throw error;
        yield call.fail({ kind: "aborted", message: "the request was aborted" });
      }
    },
  };

  /** Throws the signal's reason as soon as it aborts. */
  async function* attempt(call: OpenCall, signal: AbortSignal): AsyncGenerator<ModelEvent, void, undefined> {
    signal.throwIfAborted();
    const blocks = measure.blocksOf(call.ask.request);
    const size = blocks.reduce((sum, block) => sum + block.tokens, 0);
    if (size > contextWindow) {
      yield call.fail(overflow(size));
      return;
    }
    const move = await rejectOnAbort(player.next(call.ask), signal);
    if (move.type === "none") {
      yield call.fail({ kind: "bad_request", message: move.message, status: 400 });
      return;
    }
    call.source = move.source;
    const { reply } = move;
    const fault = move.type === "fault" ? move.fault : undefined;
    // Look up the cache when the request arrives: entries stored later by other requests do not count.
    const account = cache.look(file, blocks);
    await pause(reply.delayMs, signal);

    const usage = { ...account.tokens, outputTokens: outputTokensOf(reply.parts), ...reply.usage };
    if (fault?.after !== undefined || !fault) {
      account.store();
      call.started = { ...usage, outputTokens: 0 };
      let sent = 0;
      for (const delta of deltasOf(reply)) {
        if (sent === fault?.after) break;
        if (sent > 0) await pause(reply.chunkDelayMs, signal);
        if (++sent % 64 === 0) await nextRound();
        signal.throwIfAborted();
        yield delta;
      }
    }
    signal.throwIfAborted();
    if (fault) yield call.fail(await failureOf(fault, signal));
    else yield call.finish({ parts: [...reply.parts], stopReason: reply.stopReason, usage });
  }

  function openCall(ask: Ask): OpenCall {
    const at = clock.now();
    const place = calls.push(Object.freeze({ ask, at, end: "open" })) - 1;
    const end = (how: ScriptedCall["end"]) => {
      const { source } = call;
      calls[place] = Object.freeze({ ask, at, ...(source && { source }), end: how });
    };
    const call: OpenCall = {
      ask,
      finish(answer) {
        end("finished");
        return { type: "finished", answer };
      },
      fail(failure) {
        end(failure.kind);
        return { type: "failed", failure, ...(call.started && { usage: call.started }) };
      },
    };
    return call;
  }

  function overflow(size: number): ModelFailure {
    const message = `prompt is too long: ${size} tokens > ${contextWindow} maximum`;
    return { kind: "context_overflow", message, status: 400 };
  }

  async function pause(ms: number, signal: AbortSignal): Promise<void> {
    if (ms > 0) await clock.sleep(ms, signal);
  }
}

interface OpenCall {
  readonly ask: Ask;
  source?: string;
  /** The cost of the request even if its answer is lost. Unknown before the answer begins. */
  started?: Usage;
  finish(answer: ModelAnswer): ModelEvent;
  fail(failure: ModelFailure): ModelEvent;
}
