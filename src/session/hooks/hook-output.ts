import * as z from "zod";

const input = z.record(z.string(), z.unknown()).optional();

/** The JSON that a hook may print. Unknown fields are ignored, known fields must be valid. */
export const HookOutput = z.looseObject({
  /** False stops the agent after this event and shows `stopReason` to the user. */
  continue: z.boolean().optional(),
  stopReason: z.string().optional(),
  /** A message to the user. */
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
      /** For WorktreeCreate: alternative to printing only the path. */
      worktreePath: z.string().optional(),
      /** For PermissionRequest. */
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
