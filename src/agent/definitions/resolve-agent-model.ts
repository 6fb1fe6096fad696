import {
  familyAliases,
  knownModels,
  type ModelOverrides,
  parseRef,
  resolveModel,
  suggestModel,
} from "../../model/index.ts";
import { TroupeError } from "../../protocol/index.ts";

export interface AgentModelRequest {
  /** The model that the environment sets for all subagents. */
  readonly override?: string | undefined;
  readonly call?: string | undefined;
  readonly definition?: string | undefined;
  /** The ref of the model that the parent runs now. */
  readonly parent: string;
  /** The model settings. */
  readonly overrides?: ModelOverrides | undefined;
}

export type AgentModel =
  | { readonly ok: true; readonly ref: string; readonly from: ModelOrigin }
  | { readonly ok: false; readonly message: string; readonly from: ModelOrigin };

export type ModelOrigin = "environment" | "call" | "definition" | "parent";

/** The model of a subagent: the environment's, else the call's, else the definition's, else the parent's. */
export function resolveAgentModel(request: AgentModelRequest): AgentModel {
  const { override, call, definition, parent } = request;
  const requested: readonly [ModelOrigin, string | undefined][] = [
    ["environment", override],
    ["call", call],
    ["definition", definition],
  ];
  const [from, name] = requested.find(([, text]) => text !== undefined && text.trim() !== "") ?? ["parent", "inherit"];
  const wanted = name?.trim() ?? "inherit";
  if (wanted === "inherit" || wanted === parent) return { ok: true, ref: parent, from };
  // A script is code: an agent that could name one could run anything without permission.
  if (from === "call" && parseRef(wanted)?.provider === "scripted") {
    return { ok: false, from, message: `A call cannot name a script as its model. ${availableModels(request)}` };
  }
  return { ...resolveName(wanted, request), from };
}

type Resolved = { readonly ok: true; readonly ref: string } | { readonly ok: false; readonly message: string };

function resolveName(wanted: string, request: AgentModelRequest): Resolved {
  const { parent, overrides } = request;
  const family = familyName(wanted, overrides);
  if (family !== undefined && familyOfRef(parent) === family) return { ok: true, ref: parent };
  const parentProvider = parseRef(parent)?.provider;
  const aliases = overrides?.aliases ?? {};
  const isAlias = family !== undefined || Object.hasOwn(aliases, wanted);
  let ref: ReturnType<typeof resolveModel>;
  try {
    ref = resolveModel(wanted, { overrides, current: parent });
  } catch (error) {
    if (!TroupeError.is(error)) throw error;
    return { ok: false, message: unknown(wanted, request) };
  }
  if (!isAlias || ref.provider === parentProvider) return { ok: true, ref: ref.ref };
  // The user's alias points to another provider: use the family's model of the parent's provider.
  if (family !== undefined) return { ok: true, ref: resolveModel(family, { current: parent }).ref };
  return {
    ok: false,
    message: `"${wanted}" means ${ref.ref}, which has another provider than ${parent}, and an alias never changes the provider. Name the model in full, or leave it out.`,
  };
}

/** The family that a name means, by itself or by the settings. */
function familyName(name: string, overrides: ModelOverrides | undefined): string | undefined {
  if (Object.hasOwn(familyAliases, name)) return name;
  const aliases = overrides?.aliases ?? {};
  const meant = Object.hasOwn(aliases, name) ? aliases[name] : undefined;
  return meant !== undefined && Object.hasOwn(familyAliases, meant) ? meant : undefined;
}

/** The family of a model: by its name, or because the table lists this model for the family. */
function familyOfRef(ref: string): string | undefined {
  const parsed = parseRef(ref);
  if (parsed?.provider !== "anthropic" && parsed?.provider !== "openai") return undefined;
  return Object.entries(familyAliases).find(
    ([family, byProvider]) =>
      byProvider[parsed.provider as "anthropic" | "openai"] === ref || parsed.id.split(/[-_.:/]/).includes(family),
  )?.[0];
}

function unknown(wanted: string, request: AgentModelRequest): string {
  const near = suggestModel(wanted, Object.keys(request.overrides?.aliases ?? {}));
  const hint = near === undefined ? "" : ` Did you mean ${near}?`;
  return `There is no model ${JSON.stringify(wanted.slice(0, 100))}.${hint} ${availableModels(request)}`;
}

const listed = 12;

function availableModels({ parent, overrides }: AgentModelRequest): string {
  const provider = parseRef(parent)?.provider;
  const aliases = [...new Set([...Object.keys(familyAliases), ...Object.keys(overrides?.aliases ?? {})])];
  const full = Object.keys(knownModels).filter((ref) => parseRef(ref)?.provider === provider);
  const names = [...aliases, ...full].slice(0, aliases.length + listed);
  return `Available: inherit (${parent}), ${names.join(", ")}. Leave the model out to use the parent's.`;
}
