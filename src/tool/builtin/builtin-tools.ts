import type { Tool } from "../define-tool.ts";
import { askUserQuestionTool } from "./ask-user-question.ts";
import { bashTool } from "./bash.ts";
import { editTool } from "./edit.ts";
import { exitPlanModeTool } from "./exit-plan-mode.ts";
import { globTool } from "./glob.ts";
import { grepTool } from "./grep.ts";
import { notebookEditTool } from "./notebook-edit.ts";
import { readTool } from "./read.ts";
import { skillTool } from "./skill.ts";
import { taskOutputTool } from "./task-output.ts";
import { taskStopTool } from "./task-stop.ts";
import { webFetchTool } from "./web-fetch.ts";
import { writeTool } from "./write.ts";

/** The tools that every agent can have. Their heavy parts are loaded on first use. */
export const builtinTools = (): readonly Tool[] => [
  askUserQuestionTool,
  bashTool,
  editTool,
  exitPlanModeTool,
  globTool,
  grepTool,
  notebookEditTool,
  readTool,
  skillTool,
  taskOutputTool,
  taskStopTool,
  webFetchTool,
  writeTool,
];
