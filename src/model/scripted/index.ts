export { type Ask, askFrom, type AskResult } from "./ask.ts";
export { statusOf } from "./fault-failure.ts";
export { loadScript, scriptFrom } from "./load-script.ts";
export { type Move, playScript } from "./play-script.ts";
export { outputTokensOf, promptBlock } from "./prompt-blocks.ts";
export {
  cacheTtlMs,
  createPromptCache,
  type PromptBlock,
  type PromptCache,
  type PromptTokens,
} from "./prompt-cache.ts";
export { recordModel } from "./record-model.ts";
export { openRecording, type Recording, type RecordingOptions } from "./recording.ts";
export { inputText, pieces, type Reply } from "./reply.ts";
export { type Answer, type AnswerFunction, type Fault, type Rule, Script, script, type When } from "./script.ts";
export {
  createScriptedModel,
  loadScriptedModel,
  type ScriptedCall,
  type ScriptedModel,
  type ScriptedModelOptions,
} from "./scripted-model.ts";
