import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createProcessScope, createIdFactory, systemClock } from "../../../src/platform/index.ts";
import { type AgentId, type CallId, leadPath, type ToolOutcome } from "../../../src/protocol/index.ts";
import {
  type BackgroundEvent,
  boundOutcome,
  builtinTools,
  createBackgroundJobs,
  createFileTracker,
  executeTool,
  parseModelInput,
  type ToolContext,
} from "../../../src/tool/index.ts";

/** A folder and everything a tool may touch. Calls run like an agent's: parse, execute, bound. */
export interface ToolBench {
  readonly folder: string;
  readonly context: ToolContext;
  readonly progress: string[];
  readonly events: BackgroundEvent[];
  path(name: string): string;
  write(name: string, content: string | Uint8Array): string;
  call(name: string, input: unknown, signal?: AbortSignal): Promise<ToolOutcome>;
  /** The text that the model reads, with this machine's folder replaced by DIR. */
  text(outcome: ToolOutcome): string;
  close(): Promise<void>;
}

export function openToolBench(): ToolBench {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "troupe-tool-")));
  const work = join(folder, "work");
  const results = join(folder, "results");
  mkdirSync(work);
  mkdirSync(results);
  const progress: string[] = [];
  const events: BackgroundEvent[] = [];
  const processes = createProcessScope();
  const background = createBackgroundJobs({
    createId: createIdFactory(systemClock),
    clock: systemClock,
    outputFile: (id) => join(results, `${id}.output`),
    onEvent: (event) => void events.push(event),
    onUnreported(failure) {
      throw failure;
    },
  });
  const save = (file: string, data: string) => {
    writeFileSync(join(results, file), data);
    return Promise.resolve(join(results, file));
  };
  const context: ToolContext = {
    agent: { id: "agt_00000000" as AgentId, path: leadPath },
    callId: "call-1" as CallId,
    signal: new AbortController().signal,
    cwd: work,
    roots: [work],
    env: { PATH: process.env["PATH"] ?? "", HOME: folder },
    files: createFileTracker(),
    background,
    processes,
    outputFile: (name) => Promise.resolve(join(results, name)),
    progress: (text) => void progress.push(text),
  };
  const tools = new Map(builtinTools().map((tool) => [tool.name, tool]));
  return {
    folder: work,
    context,
    progress,
    events,
    path: (name) => join(work, name),
    write(name, content) {
      const path = join(work, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
      return path;
    },
    async call(name, input, signal) {
      const tool = tools.get(name);
      if (!tool) throw new Error(`no tool ${name}`);
      const parsed = parseModelInput(tool, input);
      if (!parsed.ok) return { outcome: "failed", content: [{ type: "text", text: parsed.message }] };
      const outcome = await executeTool(tool, parsed.value, { ...context, signal: signal ?? context.signal });
      for (const file of outcome.files ?? []) context.files.saw(file.path, file);
      return boundOutcome(outcome, { save, ...(tool.resultLimit !== undefined && { limit: tool.resultLimit }) });
    },
    text: (outcome) =>
      outcome.content
        .map((part) => (part.type === "text" ? part.text : `<${part.type} ${part.mediaType}>`))
        .join("\n")
        .replaceAll(work, "DIR")
        .replaceAll(results, "RESULTS"),
    async close() {
      await background.stopAll();
      await processes.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
