import * as z from "zod";
import { CallId } from "./ids.ts";
import { permissionModes } from "./permission-modes.ts";

export const PermissionMode = z.enum(permissionModes);
export type PermissionMode = z.infer<typeof PermissionMode>;

/** `once`: this call. `session`: until the session ends. `always`: also written to the settings. */
export const PermissionScope = z.enum(["once", "session", "always"]);
export type PermissionScope = z.infer<typeof PermissionScope>;

/**
 * An answer may replace the input; the new input is checked again. `message` is for the model. `permissionMode` is the
 * next mode when the question was about a plan.
 */
export const PermissionAnswer = z.discriminatedUnion("behavior", [
  z.object({
    behavior: z.literal("allow"),
    scope: PermissionScope.default("once"),
    input: z.unknown().optional(),
    permissionMode: PermissionMode.exclude(["plan", "bubble"]).optional(),
    /** A note for the model, added to the result. */
    message: z.string().optional(),
    /** In a team: from now on all members may change what this call changes. */
    team: z.boolean().optional(),
  }),
  z.object({
    behavior: z.literal("deny"),
    message: z.string().optional(),
    /** The source of the answer if it is not the user: a lead's model, or the policy after a timeout. */
    by: z.enum(["lead", "policy"]).optional(),
  }),
]);
export type PermissionAnswer = z.infer<typeof PermissionAnswer>;

/** The text around a change in its file, shown with the question. The change itself is the call's input. */
export const Surroundings = z.object({
  /** The line where it begins. */
  line: z.number().int().positive(),
  /** The text before the change on its first line, and after it on its last line. */
  prefix: z.string(),
  suffix: z.string(),
  before: z.array(z.string()),
  after: z.array(z.string()),
  /** The number of other places that change in the same way. */
  others: z.number().int().nonnegative(),
});
export type Surroundings = z.infer<typeof Surroundings>;

/** The fields of a question for permission. */
export const permissionQuestion = {
  callId: CallId,
  tool: z.string(),
  input: z.unknown(),
  question: z.string(),
  suggestions: z.array(z.string()),
  /** The reason why it needs permission. */
  reason: z.string().optional(),
  around: Surroundings.optional(),
};

/** The policy's decision on one call. It is pure: same call and policy, same decision. */
export type PermissionDecision =
  | { readonly behavior: "allow"; readonly rule: string; readonly reason?: string }
  | { readonly behavior: "deny"; readonly rule: string; readonly reason: string }
  | {
      readonly behavior: "ask";
      readonly rule: string;
      readonly question: string;
      /** The reason why it is not simply allowed. */
      readonly reason?: string;
      readonly suggestions: readonly string[];
      /** The message to the model when no user can answer. The run then ends. */
      readonly unattended?: string;
    };
