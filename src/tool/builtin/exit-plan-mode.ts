import * as z from "zod";
import { defineTool, failedResult, textResult } from "../define-tool.ts";

const ExitPlanModeInput = z.strictObject({
  plan: z
    .string()
    .max(100_000)
    .refine((plan) => plan.trim() !== "", "must not be empty")
    .describe("The whole plan, in Markdown, as it will be read"),
});

/**
 * In the list of a lead whose user can switch plan mode on, in plan mode or not: a list that changed with the mode
 * would lose the prompt cache twice per plan. The session asks before the tool runs. It runs only if the plan was
 * approved.
 */
export const exitPlanModeTool = defineTool<z.infer<typeof ExitPlanModeInput>>({
  name: "ExitPlanMode",
  description: `Only in plan mode: presents your plan for approval, to the user or to the lead of your team. Call it when you have read enough to say what you will change, where, and how you will check it. If it is approved, plan mode ends and you begin. If not, you read what to change and continue planning. Not for questions, and not for tasks that change nothing.`,
  input: ExitPlanModeInput,
  access: "run",
  subject: () => ({ kind: "own" }),
  title: () => "Present the plan",
  async execute(_input, context) {
    if (!context.plan?.isPlanning) {
      return failedResult("You are not in plan mode, so there is nothing to leave. Continue with the task.");
    }
    const { mode, approvedBy } = await context.plan.leave();
    const who = approvedBy === undefined ? "The plan is approved" : `The ${approvedBy} approved the plan`;
    return textResult(
      `${who}, and plan mode is off (the permission mode is now ${mode}). Carry out the plan step by step, and check the result.`,
    );
  },
});
