import { createHash } from "node:crypto";
import {
  askFrom,
  createPromptCache,
  type Move,
  outputTokensOf,
  playScript,
  type Script,
} from "../model/scripted/index.ts";
import { type Clock, rejectOnAbort } from "../platform/index.ts";
import type { OpenRequest, RecordedRequest } from "./recorded-request.ts";
import { type ServerFault, serverFaultFrom } from "./server-fault.ts";
import type { Wire, WireAnswer, WireRequest } from "./wire.ts";

export type Decision =
  | { readonly type: "reset" }
  | {
      readonly type: "refuse";
      readonly status: number;
      readonly content: unknown;
      readonly headers?: ServerFault["headers"];
    }
  | { readonly type: "speak"; readonly answer: WireAnswer; readonly fault: ServerFault; begin(): void; lost(): void };

export interface Decider {
  decide(request: OpenRequest, wire: Wire, signal: AbortSignal): Promise<Decision>;
  setScript(script: Script): void;
  unused(): readonly string[];
}

/** Answers a request from the script. If an answer is lost on the way, the same request gets it again. */
export function createDecider(first: Script, { clock, cwd }: { clock: Clock; cwd: string | undefined }): Decider {
  const token = clock.now().toString(36);
  let made = 0;
  let script = first;
  let player = play(first);
  const cache = createPromptCache({ clock });
  const lost = new Map<string, Move>();

  return {
    unused: () => player.unused(),
    setScript(next) {
      script = next;
      player = play(next);
    },
    async decide(request, wire, signal) {
      const parsed = wire.parse(request.body);
      if ("refusal" in parsed) return refuse(wire, { status: 400, message: parsed.refusal });
      const size = parsed.blocks.reduce((sum, block) => sum + block.tokens, 0);
      const window = script.model?.contextWindow ?? Number.POSITIVE_INFINITY;
      if (size > window) return overflow(wire, `prompt is too long: ${size} tokens > ${window} maximum`);

      const key = keyOf(request);
      const move =
        lost.get(key) ?? (await rejectOnAbort(player.next(askFrom(requestOf(parsed, request), cwd)), signal));
      lost.delete(key);
      if (move.type === "none") return refuse(wire, { status: 400, message: move.message });
      const { reply, source } = move;
      request.answer = { source, parts: reply.parts };
      // Look up the cache when the request arrives: entries stored later by other requests do not count.
      const account = cache.look(parsed.model, parsed.blocks);
      if (reply.delayMs > 0) await clock.sleep(reply.delayMs, signal);
      const usage = { ...wire.usage(account.tokens), outputTokens: outputTokensOf(reply.parts), ...reply.usage };
      const answer = { id: `${token}${request.number}`, request: parsed, reply, usage, at: request.at };
      const begin = () => account.store();
      if (move.type === "answer")
        return { type: "speak", answer, fault: {}, begin, lost: () => void lost.set(key, move) };

      const fault = serverFaultFrom(move.fault, wire.frames(answer));
      if (fault.reset) return { type: "reset" };
      if (move.fault.kind === "context_overflow") return overflow(wire, fault.message ?? "prompt is too long");
      if (fault.status !== undefined && fault.errorAfterEvents === undefined) return refuse(wire, fault);
      return { type: "speak", answer, fault, begin, lost: () => undefined };
    },
  };

  function play(next: Script) {
    return playScript(next, { file: "of the server", callId: () => `toolu_${token}_${++made}` });
  }
}

export function refuse(
  wire: Wire,
  { status = 500, message = `status ${status}`, body, headers }: ServerFault,
): Decision {
  return { type: "refuse", status, content: body ?? wire.error({ status, message }), ...(headers && { headers }) };
}

function overflow(wire: Wire, message: string): Decision {
  return { type: "refuse", status: 400, content: wire.error({ status: 400, message, overflow: true }) };
}

/** Requests do not name the agent; a test may name it in a header. */
function requestOf({ system, tools, messages, maxOutputTokens }: WireRequest, request: RecordedRequest) {
  const turn = messages.filter(({ role }) => role === "assistant").length + 1;
  const caller = { agentPath: agentOf(request), agentType: "", turn, purpose: "answer" as const };
  return { system, tools, messages, maxOutputTokens, caller };
}

function agentOf({ headers }: RecordedRequest): string {
  const agent = headers["x-troupe-agent"];
  return typeof agent === "string" ? agent : "lead";
}

const keyOf = (request: RecordedRequest): string =>
  `${agentOf(request)} ${request.path} ${createHash("sha256").update(request.rawBody).digest("base64")}`;
