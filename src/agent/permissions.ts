import { type CreateId, rejectOnAbort } from "../platform/index.ts";
import type {
  PermissionAnswer,
  PermissionDecision,
  RequestId,
  StoredEvent,
  ToolCallPart,
  Surroundings,
} from "../protocol/index.ts";
import { parseInput, type Tool } from "../tool/index.ts";
import { deniedByLead, deniedByUser, deniedByPolicy, deniedUnattended } from "./fragments/calls/denied-call.ts";
import { deniedByHook } from "./fragments/calls/hook-feedback.ts";
import { type AgentHooks, type BeforeCall, applyHookVerdict } from "./hooks.ts";
import type { Recorder } from "./recorder.ts";

/** Decides whether a call may run, and asks if necessary. */
export interface Permissions {
  allow(request: AllowRequest): Promise<Allowance>;
  /** The reason why the run should end after these calls. Reading it clears it. */
  takeEnd?(): string | undefined;
}

export interface AllowRequest {
  readonly tool: Tool;
  readonly input: unknown;
  readonly call: ToolCallPart;
  readonly signal: AbortSignal;
  readonly recorder: Recorder;
  /** The result of the hooks before the call. */
  readonly hook?: BeforeCall | undefined;
}

export type Allowance =
  | {
      readonly behavior: "allow";
      readonly input: unknown;
      /** A comment for the model that came with the approval. */
      readonly note?: string | undefined;
    }
  | { readonly behavior: "deny"; readonly message: string };

export type PermissionQuestion = Omit<Extract<StoredEvent, { type: "permission.asked" }>, "type">;

export interface PermissionPorts {
  /** The decision of the mode and the rules on the files, command or address that this call really touches. */
  readonly decide: (tool: Tool, input: unknown) => Promise<PermissionDecision>;
  /** Undefined if no user is available. Rejects when `signal` aborts. */
  readonly ask: (question: PermissionQuestion, signal: AbortSignal) => Promise<PermissionAnswer> | undefined;
  /** Called before a lasting answer takes effect. */
  readonly remember: (answer: PermissionAnswer, suggestions: readonly string[]) => Promise<void>;
  /** The text around the change that a call makes. */
  readonly around?: (tool: Tool, input: unknown) => Promise<Surroundings | undefined>;
  readonly hooks?: AgentHooks | undefined;
  readonly createId: CreateId;
}

export function createPermissions(ports: PermissionPorts): Permissions {
  let end: string | undefined;
  const allow = async (request: AllowRequest): Promise<Allowance> => {
    const { tool, input, hook } = request;
    const decided = await ports.decide(tool, input);
    const decision = hook ? applyHookVerdict(decided, { ...hook, title: tool.title(input) }) : decided;
    switch (decision.behavior) {
      case "allow":
        return { behavior: "allow", input: request.input };
      case "deny":
        return { behavior: "deny", message: deniedByPolicy(decision.reason) };
      case "ask":
        return ask(request, decision);
    }
  };

  const ask = async (
    request: AllowRequest,
    decision: Extract<PermissionDecision, { behavior: "ask" }>,
  ): Promise<Allowance> => {
    const { recorder, signal, tool } = request;
    const { suggestions } = decision;
    const call = { callId: request.call.callId, tool: tool.name, input: request.input, suggestions };
    const byHook = await ports.hooks?.beforeAsking(call, signal);
    if (byHook?.behavior === "deny") return { behavior: "deny", message: deniedByHook(byHook.message) };
    if (byHook)
      return byHook.input ? recheckInput(request, byHook.input.value) : { behavior: "allow", input: request.input };

    const around = await ports.around?.(tool, request.input);
    const requestId = ports.createId<RequestId>("ask");
    const question: PermissionQuestion = {
      requestId,
      callId: request.call.callId,
      tool: tool.name,
      input: request.input,
      question: decision.question,
      suggestions: [...decision.suggestions],
      ...askReason(decision),
      ...(around && { around }),
    };
    // Ask before publishing the question: a viewer may answer it at once.
    const answered = ports.ask(question, signal);
    answered?.catch(() => undefined); // handled below
    await recorder.record({ type: "permission.asked", ...question }, signal);
    const settle = (settled: Omit<Extract<StoredEvent, { type: "permission.settled" }>, "type" | "requestId">) =>
      recorder.record({ type: "permission.settled", requestId, ...settled });

    if (answered) ports.hooks?.asking(decision.question);
    if (!answered) {
      await settle({ behavior: "deny", by: "policy", message: "no user to ask" });
      if (decision.unattended !== undefined) {
        end = `${tool.name} needs an answer, and no user is available`;
        return { behavior: "deny", message: decision.unattended };
      }
      return { behavior: "deny", message: deniedUnattended(tool.name, decision.question) };
    }
    let answer: PermissionAnswer;
    try {
      // The answering side may ignore the signal.
      answer = await rejectOnAbort(answered, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
      await settle({ behavior: "deny", by: "interrupt" });
      return { behavior: "deny", message: deniedByUser("The user interrupted instead of answering.") };
    }
    if (answer.behavior === "deny") {
      const { by = "user", message } = answer;
      await settle({ behavior: "deny", by, ...(message && { message }) });
      return { behavior: "deny", message: refusals[by](message) };
    }
    await ports.remember(answer, decision.suggestions);
    const note = answer.message;
    await settle({ behavior: "allow", scope: answer.scope, by: "user", ...(note && { message: note }) });
    const allowance: Allowance =
      answer.input === undefined
        ? { behavior: "allow", input: request.input }
        : await recheckInput(request, answer.input);
    return allowance.behavior === "allow" ? { ...allowance, note } : allowance;
  };

  /** The policy has not seen input that comes with an answer: it is validated and checked like the model's own. */
  const recheckInput = async ({ tool }: AllowRequest, input: unknown): Promise<Allowance> => {
    const parsed = parseInput(tool, input);
    if (!parsed.ok)
      return { behavior: "deny", message: deniedByPolicy(`the changed input is not valid: ${parsed.message}`) };
    const again = await ports.decide(tool, parsed.value);
    if (again.behavior === "deny") return { behavior: "deny", message: deniedByPolicy(again.reason) };
    return { behavior: "allow", input: parsed.value };
  };

  const takeEnd = () => {
    const why = end;
    end = undefined;
    return why;
  };
  return { allow, takeEnd };
}

const refusals = {
  user: deniedByUser,
  lead: deniedByLead,
  policy: (message: string | undefined) => deniedByPolicy(message ?? "no user is connected to give permission"),
};

/** The reason to show with a question. A question of the mode needs none, because the user chose the mode. */
function askReason({ reason, rule }: Extract<PermissionDecision, { behavior: "ask" }>): { readonly reason?: string } {
  if (reason !== undefined) return { reason };
  if (rule === "hook" || rule.startsWith("mode ")) return {};
  return { reason: rule.startsWith("ask ") ? `the rule ${rule}` : rule };
}
