import { type Settings, TroupeError } from "../../protocol/index.ts";
import { familyAliases, type ModelOverrides, parseRef, resolveModel } from "../../model/index.ts";

interface SmallModelSettings {
  readonly smallModel: string | undefined;
  readonly overrides: ModelOverrides;
}

/**
 * Returns the small, fast model for another model: the one from the settings, otherwise the smallest family of the same
 * provider. Undefined if none is known or the name is invalid. Then features that need one are off.
 */
export function smallModelOf(ref: string, { smallModel, overrides }: SmallModelSettings): string | undefined {
  if (smallModel !== undefined) return modelNamed(smallModel, { overrides, current: ref });
  const provider = parseRef(ref)?.provider;
  if (provider !== "anthropic" && provider !== "openai") return undefined;
  const small = resolveModel("haiku", { overrides, current: ref });
  return small.provider === provider ? small.ref : familyAliases.haiku[provider];
}

/** Returns warnings for the start: features that need a small model when there is none. */
export function smallModelProblems(
  ref: string,
  settings: SmallModelSettings & { readonly subagents: NonNullable<Settings["subagents"]> },
): string[] {
  if (smallModelOf(ref, settings) !== undefined) return [];
  const { progressSummaries, historySummaries, handOverCheck } = settings.subagents;
  const wanted = [
    ...(progressSummaries ? ["subagents.progressSummaries"] : []),
    ...(historySummaries ? ["subagents.historySummaries"] : []),
    ...(handOverCheck === "on" ? ["subagents.handOverCheck"] : []),
  ];
  if (settings.smallModel !== undefined) return [`smallModel: unknown model ${JSON.stringify(settings.smallModel)}`];
  return wanted.length === 0
    ? []
    : [`${wanted.join(", ")}: no small model is known for ${ref}. Set smallModel in the settings.`];
}

function modelNamed(name: string, options: Parameters<typeof resolveModel>[1]): string | undefined {
  try {
    return resolveModel(name, options).ref;
  } catch (error) {
    if (TroupeError.is(error)) return undefined;
    throw error;
  }
}
