import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import * as z from "zod";
import { Command } from "../protocol/index.ts";
import type { InputProblem } from "./run-headless.ts";

/** The form of a prompt in scripts for other agents, accepted so that these scripts keep working. */
const ForeignPrompt = z.object({
  type: z.literal("user"),
  message: z.object({
    content: z.union([z.string().min(1), z.array(z.object({ type: z.literal("text"), text: z.string() })).min(1)]),
  }),
});

/** Yields commands, one JSON object on each line, until the stream ends. An invalid line is reported and skipped. */
export async function* readCommands(input: Readable): AsyncGenerator<Command | InputProblem> {
  let number = 0;
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    number += 1;
    if (line.trim() === "") continue;
    yield parseCommand(line, number);
  }
}

function parseCommand(line: string, number: number): Command | InputProblem {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    return {
      problem: `line ${number} of the input is not JSON (${(error as Error).message}). Send one command on each line.`,
    };
  }
  const foreign = ForeignPrompt.safeParse(value);
  if (foreign.success) {
    const { content } = foreign.data.message;
    return { type: "prompt", content: typeof content === "string" ? content : content };
  }
  const parsed = Command.safeParse(value);
  if (parsed.success) return parsed.data;
  return {
    problem: `line ${number} of the input is not a command: ${firstIssue(parsed.error)}. Run 'troupe schema commands' to see all commands.`,
  };
}

function firstIssue(error: z.ZodError): string {
  const issue = error.issues[0];
  if (!issue) return error.message;
  const at = issue.path.join(".");
  return at === "" ? issue.message : `${at}: ${issue.message}`;
}
