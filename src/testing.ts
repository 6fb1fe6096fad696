export {
  type Answer,
  type AnswerFunction,
  type Ask,
  type AskResult,
  createPromptCache,
  createScriptedModel,
  type Fault,
  loadScriptedModel,
  openRecording,
  type PromptBlock,
  type PromptCache,
  recordModel,
  type Recording,
  type RecordingOptions,
  type Rule,
  script,
  type Script,
  type ScriptedCall,
  type ScriptedModel,
  type ScriptedModelOptions,
  type When,
} from "./model/scripted/index.ts";
export { type Clock, systemClock } from "./platform/index.ts";
export { closedPortUrl } from "./testing/closed-port.ts";
export { type ModelServer, type ModelServerOptions, startModelServer } from "./testing/model-server.ts";
export type { RecordedRequest } from "./testing/recorded-request.ts";
export type { Malformation, ServerFault } from "./testing/server-fault.ts";
export { createTestClock, type TestClock } from "./testing/test-clock.ts";
