import type { ServerResponse } from "node:http";
import type { Script } from "../model/scripted/index.ts";
import { anthropicWire } from "./anthropic-wire.ts";
import { createDecider, type Decision, refuse } from "./decide-answer.ts";
import { encodeEvents } from "./encode-events.ts";
import type { ModelServerOptions } from "./model-server.ts";
import { openaiWire } from "./openai-wire.ts";
import type { OpenRequest, RecordedRequest } from "./recorded-request.ts";
import { sendEvents } from "./send-events.ts";
import type { ServerFault } from "./server-fault.ts";
import type { Wire } from "./wire.ts";

export interface Answerer {
  answer(request: OpenRequest, response: ServerResponse, signal: AbortSignal): Promise<RecordedRequest["end"]>;
  setScript(script: Script): void;
  addFault(fault: ServerFault): void;
  unused(): readonly string[];
}

export interface AnswererOptions extends Required<Pick<ModelServerOptions, "faults" | "clock" | "models">> {
  readonly script: Script;
  readonly cwd: string | undefined;
}

const wires: Record<string, Wire> = { "/v1/messages": anthropicWire, "/v1/chat/completions": openaiWire };

/** Answers requests of any supported protocol from a script, with the configured faults. */
export function createAnswerer({ script, faults: given, clock, cwd, models }: AnswererOptions): Answerer {
  const decider = createDecider(script, { clock, cwd });
  const faults = given.map((fault) => ({ fault, left: fault.times ?? 1 }));
  return {
    unused: () => decider.unused(),
    setScript: (next) => decider.setScript(next),
    addFault: (fault) => void faults.push({ fault, left: fault.times ?? 1 }),
    async answer(request, response, signal) {
      const wire = wires[request.path] ?? anthropicWire;
      const fault = takeFault(request);
      await pause(fault.beforeHeadersMs, signal);
      const decision = early(request, wire, fault) ?? (await decider.decide(request, wire, signal));
      if (decision.type === "reset") return reset(response);
      if (decision.type === "refuse") return sendRefusal(request, response, decision);

      const { answer } = decision;
      const joined = { ...fault, ...decision.fault };
      const { stream } = answer.request;
      decision.begin();
      request.status = 200;
      const type = stream ? "text/event-stream; charset=utf-8" : "application/json";
      response.writeHead(200, { "content-type": type, "request-id": `req_${request.number}`, ...joined.headers });
      response.flushHeaders();
      if (losesAnswer(joined)) decision.lost();
      else signal.addEventListener("abort", () => request.end === "open" && decision.lost(), { once: true });
      await pause(joined.beforeBodyMs, signal);
      const events = stream
        ? encodeEvents(wire.frames(answer), joined, wire)
        : [Buffer.from(JSON.stringify(wire.whole(answer)))];
      const betweenEventsMs = joined.betweenEventsMs ?? answer.reply.chunkDelayMs;
      return sendEvents(response, events, { fault: joined, clock, betweenEventsMs, signal });
    },
  };

  /** Decides requests that do not reach the script. */
  function early({ method, path }: RecordedRequest, wire: Wire, fault: ServerFault): Decision | undefined {
    if (fault.reset) return { type: "reset" };
    if (fault.status !== undefined && fault.errorAfterEvents === undefined) return refuse(wire, fault);
    if (method === "GET" && path === "/v1/models") return { type: "refuse", status: 200, content: modelList(models) };
    if (method === "POST" && path in wires) return undefined;
    return refuse(wire, { status: 404, message: `no such endpoint: ${method} ${path}` });
  }

  function takeFault(request: RecordedRequest): ServerFault {
    const found = faults.find(({ fault, left }) => {
      if (left <= 0) return false;
      if (typeof fault.request === "function") return fault.request(request);
      return fault.request === undefined || fault.request === request.number;
    });
    if (!found) return {};
    found.left -= 1;
    return found.fault;
  }

  async function pause(ms: number | undefined, signal: AbortSignal): Promise<void> {
    if (ms !== undefined && ms > 0) await clock.sleep(ms, signal);
  }
}

const losing: ReadonlySet<unknown> = new Set(["bad-json", "missing-stop", "duplicate-index"]);

const losesAnswer = (fault: ServerFault): boolean =>
  losing.has(fault.malformed) ||
  [
    fault.cutAfterBytes,
    fault.cutAfterEvents,
    fault.endAfterEvents,
    fault.stallAfterEvents,
    fault.errorAfterEvents,
  ].some((it) => it !== undefined);

function sendRefusal(
  request: OpenRequest,
  response: ServerResponse,
  { status, content, headers }: Extract<Decision, { type: "refuse" }>,
): RecordedRequest["end"] {
  request.status = status;
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(typeof content === "string" ? content : JSON.stringify(content));
  return status < 400 ? "answered" : "refused";
}

function modelList(models: readonly string[]): object {
  const data = models.map((id) => ({
    id,
    type: "model",
    object: "model",
    display_name: id,
    created: 0,
    created_at: "2026-01-01T00:00:00Z",
    owned_by: "troupe",
  }));
  return { object: "list", data, has_more: false, first_id: models[0] ?? null, last_id: models.at(-1) ?? null };
}

function reset(response: ServerResponse): "cut" {
  response.socket?.resetAndDestroy();
  return "cut";
}
