export type { AttemptContext, AttemptModel } from "./attempt.ts";
export {
  factsOf,
  type ModelFacts,
  type ModelOverride,
  type ModelOverrides,
  type ModelRef,
  parseRef,
  type Provider,
  resolveModel,
  suggestModel,
} from "./catalog.ts";
export { createModel, defaultModel, type ModelSpec, type ProviderEnv } from "./create-model.ts";
export { createGate, createGateRegistry, type Gate, type GateLimits, type GateRegistry, type Ticket } from "./gate.ts";
export { familyAliases, type KnownModel, knownModels, type Price } from "./known-models.ts";
export { type Cost, costOf } from "./prices.ts";
export { recordTo } from "./record-to.ts";
export { isTransient, type RetryOptions, withRetry } from "./retry.ts";
