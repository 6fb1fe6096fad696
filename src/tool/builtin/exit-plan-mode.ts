import * as z from "zod";
import { defineTool, failedResult, textResult } from "../define-tool.ts";

const ExitPlanModeInput = z.strictObject({
  plan: z
    .string()
    .max(100_000)
    .refine((plan) => plan.trim() !== "", "must not be empty")
    .describe("The whole plan, in Markdown, as the user will read it"),
});

/**
 * Always in the list, in plan mode or not: a list that changed with the mode would lose the prompt cache twice per
 * plan. The session asks the user before the tool runs. It runs only if the plan was approved.
 */
export const exitPlanModeTool = defineTool<z.infer<typeof ExitPlanModeInput>>({
  name: "ExitPlanMode",
  description: `Only in plan mode: shows the user your plan and asks for approval. Call it when you have read enough to say what you will change, where, and how you will check it. If the user agrees, plan mode ends and you begin. If not, the user says what to change and you continue planning. Not for questions, and not for tasks that change nothing.`,
  input: ExitPlanModeInput,
  access: "run",
  subject: () => ({ kind: "own" }),
  title: () => "Present the plan",
  async execute(_input, context) {
    if (!context.plan?.isPlanning) {
      return failedResult("You are not in plan mode, so there is nothing to leave. Continue with the task.");
    }
    const mode = await context.plan.leave();
    return textResult(
      `The user approved the plan, and plan mode is off (the permission mode is now ${mode}). Carry out the plan step by step, and check the result.`,
    );
  },
});
