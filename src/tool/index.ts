export { adaptTools } from "./adapt-tools.ts";
export { authorize, resolveSubject } from "./permissions/authorize.ts";
export { deniesReading } from "./permissions/match-rule.ts";
export { realDisk } from "./permissions/disk.ts";
export {
  type BackgroundEvent,
  type BackgroundEventMore,
  type BackgroundJobs,
  type BackgroundWork,
  createBackgroundJobs,
  type StopAuthor,
} from "./background-jobs.ts";
export { boundOutcome, type BoundOptions } from "./output/bound-outcome.ts";
export { builtinTools } from "./builtin/builtin-tools.ts";
export { runningJobs } from "./builtin/task-output.ts";
export { type CommandSandbox, createCommandSandbox } from "./sandbox/command-sandbox.ts";
export type { CommandWalls } from "./permissions/command-place.ts";
export { judgeSandbox, type SandboxState, sandboxState } from "./sandbox/judge-sandbox.ts";
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
  type ToolDefinition,
} from "./define-tool.ts";
export { createFileTracker, type FileTracker, filesInOldLog } from "./files/file-tracker.ts";
export { limitTool } from "./permissions/limit-tool.ts";
export { parseCallSyntax } from "./permissions/parse-call-syntax.ts";
export { noRules, parseRule, parseRules, type Rule, type RuleSet, splitRules } from "./permissions/permission-rules.ts";
export { executeTool, parseInput, parseModelInput } from "./run-tool.ts";
export { placeInSandbox } from "./sandbox/place-in-sandbox.ts";
export { selectTools } from "./select-tools.ts";
export { gitPins, shellEnvironment } from "./shell-environment.ts";
export { ruleProblem, ruleProblems } from "./permissions/rule-problem.ts";
export { overlappingRules } from "./permissions/overlapping-rules.ts";
export {
  type AgentWorktree,
  changesFreely,
  type FileFacts,
  ownCopyOf,
  type Workspace,
} from "./permissions/workspace.ts";
export { anyTool, editingTools, joinNames, type ToolNames } from "./tool-names.ts";
export { schemaOf, toolSpecs } from "./tool-specs.ts";
export { protectedReason } from "./permissions/protected-paths.ts";
