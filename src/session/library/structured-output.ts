import type * as z from "zod";
import type { RunOutcome } from "../../agent/index.ts";
import { leadPath, TroupeError } from "../../protocol/index.ts";
import { defineTool, failedResult, textResult, type Tool } from "../../tool/index.ts";

/** Lets the lead return a value that fits a schema: a tool that keeps its input. */
export interface StructuredOutput<Output> {
  readonly tool: Tool<Output>;
  /** The addition to the system prompt. */
  readonly instruction: string;
  /** The prompts for a lead that did not call the tool, one after another. */
  readonly reminders: readonly string[];
  forget(): void;
  has(): boolean;
  /** Returns the value. Rejects if the lead has completed its work without one. */
  take(reason: RunOutcome["reason"]): Output | undefined;
}

const name = "StructuredOutput";

export function createStructuredOutput<Output>(schema: z.ZodType<Output>): StructuredOutput<Output> {
  let kept: { readonly value: Output } | undefined;
  return {
    tool: defineTool<Output>({
      name,
      description:
        "Returns your result to the program that asked you. Call it once, when the work is done. A later call replaces the result.",
      input: schema,
      access: "read",
      subject: () => ({ kind: "own" }),
      title: () => "return the result",
      async execute(value, { agent }) {
        if (agent.path !== leadPath) return failedResult("Only the lead returns the result. Report to the lead.");
        kept = { value };
        return textResult("The result is returned.");
      },
    }),
    instruction: `When the work is done, return the result with the tool ${name}. The program that asked you reads only that.`,
    reminders: [
      `The result is missing. Call ${name} with it now.`,
      `The result is still missing. Call ${name} with it now, and do nothing else.`,
    ],
    forget() {
      kept = undefined;
    },
    has: () => kept !== undefined,
    take(reason) {
      if (kept === undefined && reason === "completed")
        throw new TroupeError("output", `the model did not call ${name}, so there is no output. Ask again.`);
      return kept?.value;
    },
  };
}
