export { authorize, resolveSubject } from "./permissions/authorize.ts";
export {
  type BackgroundEvent,
  type BackgroundJobs,
  type BackgroundWork,
  createBackgroundJobs,
} from "./background-jobs.ts";
export { boundOutcome, type BoundOptions } from "./output/bound-outcome.ts";
export { builtinTools } from "./builtin/builtin-tools.ts";
export { type CommandSandbox, createCommandSandbox, judgeSandbox } from "./sandbox/command-sandbox.ts";
export { cleanText } from "./output/clean-text.ts";
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
export { createFileTracker } from "./files/file-tracker.ts";
export { limitTool } from "./permissions/limit-tool.ts";
export { parseCallSyntax } from "./permissions/parse-call-syntax.ts";
export { noRules, parseRule, parseRules, type Rule, type RuleSet, splitRules } from "./permissions/permission-rules.ts";
export { executeTool, parseInput } from "./run-tool.ts";
export { placeInSandbox } from "./sandbox/place-in-sandbox.ts";
export { selectTools } from "./select-tools.ts";
export { shellEnvironment } from "./shell-environment.ts";
export { overlappingRules } from "./permissions/overlapping-rules.ts";
export { toolSpecs } from "./tool-specs.ts";
export { protectedReason } from "./permissions/protected-paths.ts";
