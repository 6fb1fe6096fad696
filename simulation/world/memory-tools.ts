import * as z from "zod";
import type { Clock } from "../../src/platform/index.ts";
import { builtinTools, defineTool, textResult, type Tool, type ToolContext } from "../../src/tool/index.ts";
import type { Random } from "../random.ts";
import type { MemoryRepository } from "./memory-worktrees.ts";

/** One finished use of a tool that touches the machine. */
export interface ToolUse {
  readonly at: number;
  readonly agentPath: string;
  readonly tool: string;
  readonly target: string;
  /** The folder that the agent works in. */
  readonly folder: string;
}

export interface MemoryToolOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly files: Map<string, string>;
  readonly onUse: (use: ToolUse) => void;
  readonly repository: Pick<MemoryRepository, "write" | "commit">;
}

/** The built-in tools, with files in memory and commands that only take time. */
export function createMemoryTools({ clock, random, files, onUse, repository }: MemoryToolOptions): readonly Tool[] {
  const use = async (tool: string, target: string, context: ToolContext, ms: readonly [number, number]) => {
    await clock.sleep(random.int(...ms), context.signal);
    onUse({ at: clock.monotonic(), agentPath: context.agent.path, tool, target, folder: context.cwd });
  };
  const own = [
    defineTool({
      name: "Read",
      description: "Reads a file.",
      input: z.strictObject({ file_path: z.string() }),
      access: "read",
      subject: ({ file_path: path }) => ({ kind: "path", path, change: false }),
      title: ({ file_path: path }) => `Read ${path}`,
      async execute({ file_path: path }, context) {
        await use("Read", path, context, [5, 100]);
        return textResult(files.get(path) ?? "The file is empty.");
      },
    }),
    defineTool({
      name: "Write",
      description: "Writes a file.",
      input: z.strictObject({ file_path: z.string(), content: z.string() }),
      access: "write",
      subject: ({ file_path: path }) => ({ kind: "path", path, change: true }),
      title: ({ file_path: path }) => `Write ${path}`,
      async execute({ file_path: path, content }, context) {
        await use("Write", path, context, [20, 400]);
        files.set(path, content);
        repository.write(context.cwd, path);
        return textResult(`Wrote ${path}.`);
      },
    }),
    defineTool({
      name: "Bash",
      description: "Runs a command.",
      input: z.strictObject({ command: z.string() }),
      access: "run",
      subject: ({ command }) => ({ kind: "command", command }),
      title: ({ command }) => `$ ${command}`,
      async execute({ command }, context) {
        await use("Bash", command, context, random.chance(0.1) ? [30_000, 120_000] : [200, 8_000]);
        if (isCommit(command) && !repository.commit(context.cwd)) return textResult("Nothing to commit.");
        return textResult(`Ran ${command}.`);
      },
    }),
  ];
  const names = new Set(own.map(({ name }) => name));
  const kept = builtinTools().filter(({ name }) => keptTools.has(name) && !names.has(name));
  return [...own, ...kept];
}

/** The folder has no git, so a real commit always needs permission. The other command stands for an allowed commit. */
export const commitCommands = { asked: "git add -A && git commit -m work", free: "echo commit" };
export const isCommit = (command: string): boolean => Object.values(commitCommands).includes(command);

/** Built-in tools that use only the session itself. */
const keptTools = new Set(["ExitPlanMode", "TaskOutput", "TaskStop"]);
