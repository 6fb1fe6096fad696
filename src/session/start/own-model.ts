import type { Cleanup } from "../../platform/index.ts";
import type { AgentDefinition, ModelClient } from "../../protocol/index.ts";
import { lastModelOf } from "../find-session-to-resume.ts";
import type { SessionHost } from "../session-host.ts";
import type { StartOptions } from "../start-session.ts";
import { createAcpTeammate } from "../teams/acp-teammate.ts";
import type { ProcessShared } from "../teams/process-shared.ts";
import type { ModelFactory } from "./create-models.ts";
import type { FoundSession } from "./find-session.ts";

export interface OwnModelOptions {
  readonly options: StartOptions;
  readonly found: FoundSession;
  /** The definition of the teammate that the session runs. */
  readonly definition: AgentDefinition | undefined;
  readonly models: ModelFactory;
  readonly process: Pick<ProcessShared, "models">;
  readonly host: SessionHost;
  readonly cleanup: Cleanup;
}

/**
 * The model of the session's own agent: an external program, or the model of the caller, of the flags, of the session's
 * last run or of the settings.
 */
export async function ownModel(from: OwnModelOptions): Promise<ModelClient> {
  const { options, definition, models } = from;
  const { config, opened } = from.found;
  const acp =
    definition &&
    (await createAcpTeammate(definition, { ...options, ...options.teammate, config, createId: from.host.createId }));
  if (acp) {
    from.cleanup.add(acp.close);
    return acp;
  }
  const ref = options.flags.model ?? lastModelOf(opened) ?? config.model;
  const known = ref === undefined ? undefined : from.process.models.get(ref);
  return models.add(options.model ?? (await (known ?? models.make(ref))));
}
