export { authorize, resolveSubject } from "./authorize.ts";
export {
  type BackgroundEvent,
  type BackgroundJobs,
  type BackgroundWork,
  createBackgroundJobs,
} from "./background-tasks.ts";
export { boundOutcome, type BoundOptions } from "./bound-outcome.ts";
export { builtinTools } from "./builtin/builtin-tools.ts";
export { type CommandSandbox, createCommandSandbox, judgeSandbox } from "./command-sandbox.ts";
export { cleanText } from "./clean-text.ts";
export {
  defineTool,
  failedResult,
  type LoadedSkill,
  type PermissionSubject,
  type SkillSource,
  textResult,
  type Tool,
  type ToolContext,
  type ToolResult,
} from "./define-tool.ts";
export { createFileTracker } from "./file-tracker.ts";
export { limitTool } from "./limit-tool.ts";
export { parseCallSyntax } from "./judged-call.ts";
export { noRules, parseRule, parseRules, type Rule, type RuleSet, splitRules } from "./rules.ts";
export { executeTool, parseInput } from "./run-tool.ts";
export { placeInSandbox } from "./sandboxed-shell.ts";
export { selectTools } from "./select-tools.ts";
export { shellEnvironment } from "./shell-environment.ts";
export { overlappingRules } from "./shadows.ts";
export { toolSpecs } from "./tool-specs.ts";
export { protectedReason } from "./protected-paths.ts";
