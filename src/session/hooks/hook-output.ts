import * as z from "zod";

const input = z.record(z.string(), z.unknown()).optional();

/** What a hook may print as JSON. Fields that are not known are left alone, known ones must be right. */
export const HookOutput = z.looseObject({
  /** False: the agent stops after this, with `stopReason` for the user. */
  continue: z.boolean().optional(),
  stopReason: z.string().optional(),
  /** For the user. */
  systemMessage: z.string().optional(),
  decision: z.enum(["approve", "block"]).optional(),
  reason: z.string().optional(),
  hookSpecificOutput: z
    .looseObject({
      hookEventName: z.string().optional(),
      permissionDecision: z.enum(["allow", "deny", "ask"]).optional(),
      permissionDecisionReason: z.string().optional(),
      updatedInput: input,
      additionalContext: z.string().optional(),
      /** Of a WorktreeCreate: instead of printing the path alone. */
      worktreePath: z.string().optional(),
      /** Of a PermissionRequest. */
      decision: z
        .looseObject({
          behavior: z.enum(["allow", "deny"]),
          updatedInput: input,
          message: z.string().optional(),
          interrupt: z.boolean().optional(),
        })
        .optional(),
    })
    .optional(),
});
export type HookOutput = z.infer<typeof HookOutput>;
