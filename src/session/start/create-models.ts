import { costOf, recordModels } from "../../model/index.ts";
import { type Cleanup, definedFields } from "../../platform/index.ts";
import type { ModelClient } from "../../protocol/index.ts";
import { createThinkingSetting } from "../config/thinking-setting.ts";
import type { Config } from "../config/load-config.ts";
import { providerSecrets } from "../config/provider-secrets.ts";
import { requirePrice } from "../config/require-price.ts";
import { smallModelOf } from "../config/small-model.ts";
import type { OpenedSession } from "../../store/index.ts";
import { lastEffortOf } from "../find-session-to-resume.ts";
import type { Models } from "../session-context.ts";
import type { SessionHost } from "../session-host.ts";
import type { StartOptions } from "../start-session.ts";
import type { ProcessShared } from "../teams/process-shared.ts";

/** Makes models by their references. Each is made once in a process. */
export interface ModelFactory extends Omit<Models, "own"> {
  /** Without a reference, the available keys decide. */
  make(ref: string | undefined): Promise<ModelClient>;
  /** Adds a model that was given or made by others. Throws if a budget needs its price and it has none. */
  add(model: ModelClient): ModelClient;
}

export interface ModelFactoryOptions {
  readonly config: Config;
  readonly options: Pick<StartOptions, "flags" | "model">;
  /** The models and rate limits of this process. */
  readonly process: Pick<ProcessShared, "gates" | "models">;
  readonly host: Pick<SessionHost, "clock" | "createModel">;
  readonly cleanup: Cleanup;
  readonly resumed: OpenedSession | undefined;
}

export async function createModelFactory(from: ModelFactoryOptions): Promise<ModelFactory> {
  const { config, options, host } = from;
  const { clock } = host;
  const { gates, models } = from.process;
  const secrets = providerSecrets(config);
  const { record } = options.flags;
  const recording = record === undefined ? undefined : await recordModels(record, { clock, secrets });
  if (recording) from.cleanup.add(recording.finish);

  const make = async (ref: string | undefined) => {
    const model = await host.createModel({
      ref,
      env: config.providerEnv,
      overrides: overridesOf(config),
      retry: retryOf(config),
      gates,
      clock,
      random: Math.random,
      cwd: config.cwd,
    });
    return recording ? recording.through(model) : model;
  };
  const pricedModel = async (ref: string) => {
    const model = await make(ref);
    requirePrice(model, config);
    return model;
  };
  const get = (ref: string) => {
    const known = models.get(ref) ?? (options.model?.ref === ref ? Promise.resolve(options.model) : pricedModel(ref));
    models.set(ref, known);
    return known;
  };
  return {
    secrets,
    thinking: createThinkingSetting({
      effort: options.flags.effort ?? lastEffortOf(from.resumed) ?? config.effort,
      thinkingTokens: options.flags.thinkingTokens,
    }),
    make,
    get,
    smallOf(ref) {
      const small = smallModelOf(ref, { smallModel: config.smallModel, overrides: overridesOf(config) });
      return small === undefined ? undefined : () => get(small);
    },
    costOf: (ref, usage) => costOf(ref, usage, { models: config.models }).usd,
    add(model) {
      models.set(model.ref, Promise.resolve(model));
      requirePrice(model, config);
      return model;
    },
  };
}

export const overridesOf = ({ aliases, models }: Config) => ({ aliases, models });

const retryOf = ({ retry: { maxAttempts, stallMs } }: Config) => definedFields({ maxAttempts, stallMs });
