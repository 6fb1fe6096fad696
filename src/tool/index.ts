export { authorize, type AuthorizeRequest, resolveSubject } from "./authorize.ts";
export {
  type BackgroundEnd,
  type BackgroundEvent,
  type BackgroundTask,
  type BackgroundTasks,
  type BackgroundTasksOptions,
  type BackgroundWork,
  createBackgroundTasks,
} from "./background-tasks.ts";
export { boundOutcome, type BoundOptions, defaultResultLimit, type SaveOutput } from "./bound-outcome.ts";
export { builtinTools } from "./builtin/builtin-tools.ts";
export { cleanText } from "./clean-text.ts";
export {
  defineTool,
  failedResult,
  type PermissionSubject,
  textResult,
  type Tool,
  type ToolContext,
  type ToolResult,
} from "./define-tool.ts";
export { createFileTracker, type FileTracker, type FileVersion } from "./file-tracker.ts";
export { nearestName } from "./nearest-name.ts";
export { noRules, parseRule, parseRules, type Rule, type RuleSet } from "./rules.ts";
export { executeTool, type ParsedInput, parseInput } from "./run-tool.ts";
export { type SelectedTools, selectTools, type ToolSelection } from "./select-tools.ts";
export { toolSpecs } from "./tool-specs.ts";
