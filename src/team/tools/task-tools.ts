import type { Tool } from "../../tool/index.ts";
import { createTaskCreateTool } from "./task-create-tool.ts";
import { createTaskGetTool, createTaskListTool } from "./task-read-tools.ts";
import type { TaskToolPorts } from "./task-tool-ports.ts";
import { createTaskUpdateTool } from "./task-update-tool.ts";

/** Creates the tools for a task list: the one of the agent's team, or the session's own. */
export function createTaskTools(ports: TaskToolPorts): readonly Tool[] {
  return [
    createTaskCreateTool(ports),
    createTaskGetTool(ports),
    createTaskListTool(ports),
    createTaskUpdateTool(ports),
  ];
}
