import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import * as z from "zod";
import { Command } from "../protocol/index.ts";
import type { InputProblem } from "./run-headless.ts";

/** The form in which other agents' scripts send a prompt; taken as it is, so that they carry over. */
const ForeignPrompt = z.object({
  type: z.literal("user"),
  message: z.object({
    content: z.union([z.string().min(1), z.array(z.object({ type: z.literal("text"), text: z.string() })).min(1)]),
  }),
});

/** Commands, one JSON object a line, until the stream ends. A bad line is told, and the next one is read. */
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
      problem: `line ${number} of the input is not JSON (${(error as Error).message}): send one command a line`,
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
    problem: `line ${number} of the input is no command: ${firstIssue(parsed.error)}; 'troupe schema commands' prints what is`,
  };
}

function firstIssue(error: z.ZodError): string {
  const issue = error.issues[0];
  if (!issue) return error.message;
  const at = issue.path.join(".");
  return at === "" ? issue.message : `${at}: ${issue.message}`;
}
