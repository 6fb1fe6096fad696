export {
  type ModelOverrides,
  parseRef,
  resolveModel,
  suggestModel,
} from "./catalog.ts";
/** Loaded separately: few sessions use an external agent. */
export const loadAcp = () => import("./acp/acp-model.ts");
export { createModel, defaultModel, type ProviderEnv } from "./create-model.ts";
export { createGateRegistry } from "./gate.ts";
export { effortFor } from "./thinking-effort.ts";
export { familyAliases, knownModels } from "./known-models.ts";
export { costOf } from "./prices.ts";
export { recordModels } from "./record-models.ts";
