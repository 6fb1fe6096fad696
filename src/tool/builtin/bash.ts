import { randomUUID } from "node:crypto";
import * as z from "zod";
import { findExecutable, type ProcessScope, realPathSync } from "../../platform/index.ts";
import { type CommandPlace, leadPath, type ToolDisplay } from "../../protocol/index.ts";
import type { BackgroundEnd } from "../background-jobs.ts";
import { defineTool, failedResult, textResult, type ToolContext, type ToolResult } from "../define-tool.ts";
import { createLiveText } from "../output/live-text.ts";
import { placeInSandbox, type PlacedCommand, type RanInSandbox, sandboxNote } from "../sandbox/place-in-sandbox.ts";
import { meaningOfExitCode1 } from "../shell/answer-code.ts";
import { startsJobs, uselessLineReason } from "../shell/useless-line.ts";
import { anyTool, joinNames, type ToolNames } from "../tool-names.ts";
import { schemaOf } from "../tool-specs.ts";
import { shellEnvironment } from "../shell-environment.ts";
import { spoolOutput } from "../output/spool-output.ts";

const BashInput = z.strictObject({
  command: z
    .string()
    .min(1, "must not be empty")
    .refine((command) => !command.includes("\0"), "must not have a NUL byte in it")
    .describe("The command line for bash"),
  description: z.string().max(1000).optional().describe("What it does, in five to ten words"),
  timeout: z
    .number()
    .int()
    .min(1)
    .optional()
    .describe(
      "Timeout in milliseconds, at most 600000. Default: 120000, or the configured value; none in the background",
    ),
  run_in_background: z.boolean().optional().describe("Start it and continue; read its output with TaskOutput"),
  outside_sandbox: z
    .boolean()
    .optional()
    .describe(
      "Run it without the sandbox. Only after a result said that the sandbox was in the way. The user is asked",
    ),
});
type BashInput = z.infer<typeof BashInput>;

const defaultTimeout = 120_000;
const longestTimeout = 600_000;
const showBytes = 28_000;
const fileLimitBytes = 64 * 1024 * 1024;
const outputLimitBytes = 1024 * 1024 * 1024;

/** For an agent that could neither look at a background job nor stop it. */
const ForegroundInput = BashInput.omit({ run_in_background: true });

const hasJobs = (tools: ToolNames) => tools.has("TaskOutput") && tools.has("TaskStop");

const insteadOf = { Read: "cat", Edit: "sed", Write: "echo", Glob: "find", Grep: "grep" };

function describe(tools: ToolNames): string {
  const better = Object.entries(insteadOf).filter(([name]) => tools.has(name));
  const [names, commands] = [better.map(([name]) => name), better.map(([, command]) => command)].map(joinNames);
  return [
    "Runs a command line in bash and returns its output (stdout and stderr together) and exit code. Every command starts in the working directory: cd, variables and functions last only for one command line, as in cd test && npm test. There is no terminal and no input: nothing interactive works. The command is stopped after the timeout, at most 600000 ms.",
    ...(hasJobs(tools)
      ? ["For servers, watchers and anything longer use run_in_background, never & or nohup."]
      : ["It cannot run anything in the background."]),
    ...(better.length === 0 ? [] : [`Prefer ${names} to ${commands}.`]),
  ].join(" ");
}

export const bashTool = defineTool<BashInput>({
  name: "Bash",
  description: describe(anyTool),
  wordsFor: (tools) => ({
    description: describe(tools),
    ...(!hasJobs(tools) && { inputSchema: schemaOf(ForegroundInput) }),
  }),
  input: BashInput,
  access: "run",
  subject: ({ command, outside_sandbox }) => ({
    kind: "command",
    command,
    ...(outside_sandbox && { outsideSandbox: true }),
  }),
  title: ({ command, outside_sandbox }) => `$ ${command}${outside_sandbox ? " (outside the sandbox)" : ""}`,
  futile(input) {
    const { command, run_in_background: isBackground = false } = BashInput.parse(input);
    return uselessLineReason(command, { isBackground });
  },
  execute: (input, context) =>
    input.run_in_background ? startInBackground(input, context) : runAndWait(input, context),
});

async function runAndWait(input: BashInput, context: ToolContext): Promise<ToolResult> {
  const name = `bash-${randomUUID().slice(0, 8)}.txt`;
  const openFile = () => context.outputFile(name);
  const output = spoolOutput({ showBytes, fileLimitBytes, openFile, secrets: context.secrets });
  const live = createLiveText((text) => context.progress(text), { secrets: context.secrets });
  const timeoutMs = Math.min(input.timeout ?? context.commandTimeoutMs ?? defaultTimeout, longestTimeout);
  let where = "";
  const place = await placeShell(input, context);
  if (place.kind === "refused") return failedResult(place.message);
  const result = await runPlaced(place, context, {
    signal: context.signal,
    timeoutMs,
    outputLimitBytes,
    onOutput(chunk, stream) {
      if (stream === "side") where = (where + chunk.toString("utf8")).slice(0, 8192);
      else {
        output.add(chunk);
        live.add(chunk);
      }
    },
  });
  live.flush();
  const { text, savedTo } = await output.finish();
  const answer = result.exitCode === 1 ? meaningOfExitCode1(input.command) : undefined;
  const notes = [
    ...(answer === undefined ? endNotes(result, timeoutMs) : [`Exit code 1: ${answer}`]),
    ...(place.kind === "sandbox" && result.exitCode !== 0 && answer === undefined
      ? sandboxNoteFor({ output: text, place: placeOf(context), hidden: place.hidden }, context)
      : []),
    ...(place.kind === "sandbox" ? obeyedNotes(await place.newObeyed()) : []),
    ...cdNote(where, context),
    ...(place.kind === "sandbox" && startsJobs(input.command) ? [endedJobsNote] : leftNotes(result.leftRunning)),
  ];
  const shown = text.replace(/\n+$/, "");
  const body = [shown === "" ? "(no output)" : shown, ...notes.map((note) => `[${note}]`)].join("\n");
  const display: ToolDisplay = { kind: "terminal", exitCode: result.exitCode, signal: result.signal };
  const isEnded = !result.aborted && !result.timedOut && !result.flooded;
  const make = isEnded && (result.exitCode === 0 || answer !== undefined) ? textResult : failedResult;
  return { ...make(body, display), ...(savedTo !== undefined && { savedTo }) };
}

/**
 * The command is passed as an argument and read by `eval`, byte for byte. On exit, bash reports its working directory
 * on a separate descriptor. If memory runs out, the system kills the command before Troupe.
 */
async function shell(command: string, context: ToolContext) {
  const script = `{ echo 500 >/proc/self/oom_score_adj; } 2>/dev/null; exec 2>&1 29>&3 3>&-; trap 'pwd -P >&29' EXIT; __troupe_command=$1; shift; eval "$__troupe_command"`;
  return {
    command: (await findExecutable("bash", context.env["PATH"])) ?? "/bin/bash",
    args: ["--noprofile", "--norc", "-c", script, "bash", command],
    cwd: context.cwd,
    env: shellEnvironment(context.env),
  };
}

const placeShell = async (input: BashInput, context: ToolContext): Promise<PlacedCommand> =>
  placeInSandbox(await shell(input.command, context), { sandbox: context.walls?.sandbox, place: placeOf(context) });

const placeOf = ({ walls }: ToolContext): CommandPlace => walls?.place ?? { walls: "work" };

async function runPlaced(
  place: Exclude<PlacedCommand, { kind: "refused" }>,
  context: ToolContext,
  how: Omit<Parameters<ProcessScope["run"]>[0], keyof typeof place.request>,
): Promise<RunEnd> {
  try {
    // All processes in the sandbox end with the command.
    return await context.processes.run({ ...place.request, ...how, startsNothing: place.kind === "sandbox" });
  } finally {
    await place.release();
  }
}

function sandboxNoteFor(ran: RanInSandbox, { walls }: ToolContext): string[] {
  const note = walls?.sandbox && sandboxNote(ran, walls.sandbox);
  return note === undefined ? [] : [note];
}

type RunEnd = Awaited<ReturnType<ProcessScope["run"]>>;

function endNotes(result: RunEnd, timeoutMs: number): string[] {
  if (result.startFailure !== undefined) return [result.startFailure];
  if (result.aborted) return ["Interrupted: the command and all its processes were stopped."];
  if (result.timedOut) {
    return [
      `Timed out after ${timeoutMs} ms: the command and all its processes were stopped. Set a longer timeout, or use run_in_background. If it waits for input or is a full-screen program, it cannot work here.`,
    ];
  }
  if (result.flooded) return [`Stopped: it wrote more than ${outputLimitBytes} bytes. Make it write less.`];
  if (result.signal !== null) return [`Ended by signal ${result.signal}`];
  return result.exitCode === 0 ? [] : [`Exit code ${result.exitCode}`];
}

const obeyedNotes = (paths: readonly string[]) =>
  paths.length === 0
    ? []
    : [
        `It made ${paths.slice(0, 10).join(", ")}. Other programs or agents obey such files: tell the user what is in them.`,
      ];

/** The command ended in another folder. The next one starts in the agent's folder again, as paths of files do. */
function cdNote(where: string, { cwd }: ToolContext): string[] {
  const said = where.replace(/\n$/, "");
  if (!said.startsWith("/") || said.includes("\0") || realPathSync(said) === realPathSync(cwd)) return [];
  return [`The next command starts in ${cwd} again. To run it in another folder, put cd into the same command line.`];
}

const endedJobsNote =
  "Commands started with & ended with this command line. Start such a command by itself, with run_in_background instead of &.";

const leftNotes = (pids: readonly number[]) =>
  pids.length === 0
    ? []
    : [
        `It left processes running (${pids.slice(0, 10).join(", ")}). Their output is lost, and they end with the session. Use run_in_background for such commands.`,
      ];

async function startInBackground(input: BashInput, context: ToolContext): Promise<ToolResult> {
  const place = await placeShell(input, context);
  if (place.kind === "refused") return failedResult(place.message);
  const timeoutMs = input.timeout;
  const task = await context.background.start({
    kind: "shell",
    description: input.description ?? input.command.slice(0, 200),
    async run(task): Promise<BackgroundEnd> {
      const result = await runPlaced(place, context, {
        signal: task.signal,
        ...(timeoutMs !== undefined && { timeoutMs }),
        onOutput: (chunk, stream) => void (stream !== "side" && task.write(chunk)),
      });
      if (result.startFailure !== undefined) task.write(Buffer.from(`${result.startFailure}\n`));
      if (result.timedOut) task.write(Buffer.from(`[Timed out after ${timeoutMs} ms and stopped]\n`));
      const status = result.aborted ? "killed" : result.exitCode === 0 ? "completed" : "failed";
      return { status, exitCode: result.exitCode };
    },
  });
  return textResult(
    `Started in the background as ${task.id}.${timeoutMs === undefined ? "" : ` It is stopped after ${timeoutMs} ms.`} ${waitText(context)} TaskOutput shows its output, which is also in ${task.outputFile}.`,
  );
}

/** A subagent ends with its turn, and its commands end with it. All other agents are woken. */
function waitText({ agent }: ToolContext): string {
  if (agent.path.includes("/"))
    return "If you need its result, wait for it with TaskOutput: when you give your last answer, it is stopped.";
  const woken = "If you have nothing else to do, end your turn: you are woken when it ends.";
  return agent.path === leadPath
    ? `${woken} Stop it with TaskStop when it is no longer needed: without a user the run waits for it up to ten minutes.`
    : woken;
}
