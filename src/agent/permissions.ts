import { type CreateId, rejectOnAbort } from "../platform/index.ts";
import type {
  CommandPlace,
  PermissionAnswer,
  PermissionDecision,
  RequestId,
  StoredEvent,
  ToolCallPart,
  ChangePatch,
  Surroundings,
} from "../protocol/index.ts";
import { parseInput, type Tool } from "../tool/index.ts";
import {
  type ApprovalNote,
  type DeniedAgent,
  deniedByLead,
  deniedByTimeout,
  deniedByUser,
  deniedCall,
  refusalReason,
} from "./fragments/calls/denied-call.ts";
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
      readonly note?: ApprovalNote | undefined;
      /** The agent's own copy of what it reads in the main checkout. */
      readonly copy?: string | undefined;
      /** The working directory, if the call changes a file outside of it. */
      readonly outside?: string | undefined;
      /** Where a command runs. */
      readonly place?: CommandPlace | undefined;
    }
  | {
      readonly behavior: "deny";
      readonly message: string;
      /** The reason alone, for the reports about the agent. */
      readonly reason?: string | undefined;
      /** `failed`: no permission is missing, the call itself is wrong. */
      readonly outcome?: "failed" | undefined;
    };

export type PermissionQuestion = Omit<Extract<StoredEvent, { type: "permission.asked" }>, "type">;

export interface PermissionPorts {
  /** The decision of the mode and the rules on the files, command or address that this call really touches. */
  readonly decide: (tool: Tool, input: unknown) => Promise<PermissionDecision>;
  /** Undefined if no user is available. Rejects when `signal` aborts. */
  readonly ask: (question: PermissionQuestion, signal: AbortSignal) => Promise<PermissionAnswer> | undefined;
  /** Called before a lasting answer takes effect. */
  readonly remember: (answer: PermissionAnswer, suggestions: readonly string[]) => Promise<void>;
  /** The text around the change that a call makes. */
  readonly around?: (tool: Tool, input: unknown) => Promise<Surroundings | ChangePatch | undefined>;
  readonly hooks?: AgentHooks | undefined;
  readonly createId: CreateId;
  /** The agent, as the text of a refusal needs it. */
  readonly agent: () => DeniedAgent;
}

export function createPermissions(ports: PermissionPorts): Permissions {
  let end: string | undefined;
  const allow = async (request: AllowRequest): Promise<Allowance> => {
    const { tool, input, hook } = request;
    const decided = await ports.decide(tool, input);
    const decision = hook ? applyHookVerdict(decided, { ...hook, title: tool.title(input) }) : decided;
    switch (decision.behavior) {
      case "allow":
        return {
          behavior: "allow",
          input: request.input,
          copy: decision.copy,
          outside: decision.outside,
          place: decision.place,
        };
      case "deny":
        return denial(request, decision);
      case "ask":
        return ask(request, decision);
    }
  };

  /** Refuses a call without an answer of a person. */
  const denial = (
    { tool, input }: Pick<AllowRequest, "tool" | "input">,
    decision: Exclude<PermissionDecision, { behavior: "allow" }>,
    because?: string,
  ): Allowance => {
    const verb = verbOf(tool, input);
    const message = deniedCall({ verb, title: tool.title(input), decision, agent: ports.agent(), because });
    const outcome = decision.refusal?.cause === "syntax" ? "failed" : undefined;
    return { behavior: "deny", message, reason: refusalReason(decision), outcome };
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
      return byHook.input
        ? recheckInput(request, byHook.input.value)
        : { behavior: "allow", input: request.input, place: decision.place && insidePlace };

    const around = await ports.around?.(tool, request.input);
    const requestId = ports.createId<RequestId>("ask");
    const question: PermissionQuestion = {
      requestId,
      ...questionOf(request, decision),
      ...(around && ("patch" in around ? { patch: around.patch } : { around })),
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
        if (decision.endsUnattended) end = `${tool.name} needs an answer, and no user is available`;
        return { behavior: "deny", message: decision.unattended };
      }
      return denial(request, decision);
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
      await settle({ behavior: "deny", by: by === "timeout" ? "policy" : by, ...(message && { message }) });
      if (by === "timeout") return { behavior: "deny", message: deniedByTimeout(message, decision.next?.late) };
      if (by === "policy") return denial(request, decision, message);
      const refusal = by === "lead" ? deniedByLead(message) : deniedByUser(message);
      return { behavior: "deny", message: [refusal, decision.next?.refused].filter(Boolean).join("\n") };
    }
    await ports.remember(answer, decision.suggestions);
    const note = answer.message;
    const { by = "user" } = answer;
    await settle({ behavior: "allow", scope: answer.scope, by, ...(note && { message: note }) });
    const place = placeAfter(answer, decision.place);
    const allowance: Allowance =
      answer.input === undefined
        ? { behavior: "allow", input: request.input, place }
        : await recheckInput(request, answer.input, place);
    return allowance.behavior === "allow" && note ? { ...allowance, note: { text: note, by } } : allowance;
  };

  /** The policy has not seen input that comes with an answer: it is validated and checked like the model's own. */
  const recheckInput = async (
    { tool }: AllowRequest,
    input: unknown,
    place: CommandPlace | undefined = insidePlace,
  ): Promise<Allowance> => {
    const parsed = parseInput(tool, input);
    if (!parsed.ok) return { behavior: "deny", message: `Not run: the changed input is not valid: ${parsed.message}` };
    const again = await ports.decide(tool, parsed.value);
    if (again.behavior === "deny") return denial({ tool, input: parsed.value }, again);
    return { behavior: "allow", input: parsed.value, place: again.behavior === "allow" ? again.place : place };
  };

  const takeEnd = () => {
    const why = end;
    end = undefined;
    return why;
  };
  return { allow, takeEnd };
}

function questionOf(
  { tool, input, call }: AllowRequest,
  decision: Extract<PermissionDecision, { behavior: "ask" }>,
): Omit<PermissionQuestion, "requestId"> {
  const { place, hasWalls } = decision;
  return {
    callId: call.callId,
    tool: tool.name,
    input,
    question: decision.question,
    suggestions: [...decision.suggestions],
    ...askReason(decision),
    ...(place && hasWalls && { sandbox: place.walls === "open" ? "outside" : "inside" }),
  };
}

/** Where a command runs that no person has allowed: the yes of a hook or of a lead's model does not open the walls. */
const insidePlace: CommandPlace = { walls: "work", git: true };

/** Where a command runs after this answer. The question said where it runs. */
function placeAfter(
  { by, network }: Extract<PermissionAnswer, { behavior: "allow" }>,
  place: CommandPlace | undefined,
): CommandPlace | undefined {
  if (place === undefined) return undefined;
  if (by === "lead") return insidePlace;
  return network ? { ...insidePlace, network } : place;
}

/** The word for what did not happen. */
function verbOf(tool: Tool, input: unknown): string {
  const subject = tool.subject(input);
  switch (subject.kind) {
    case "command":
      return "run";
    case "path":
      return subject.change ? "changed" : "read";
    case "url":
      return "fetched";
    case "none":
    case "own":
    case "name":
    case "mcp":
      return "called";
  }
}

/** The reason to show with a question. A question of the mode needs none, because the user chose the mode. */
function askReason({ reason, rule }: Extract<PermissionDecision, { behavior: "ask" }>): { readonly reason?: string } {
  if (reason !== undefined) return { reason };
  if (rule === "hook" || rule.startsWith("mode ")) return {};
  return { reason: rule.startsWith("ask ") ? `the rule ${rule}` : rule };
}
