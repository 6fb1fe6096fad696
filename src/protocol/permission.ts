import * as z from "zod";
import { permissionModes } from "./permission-modes.ts";

export const PermissionMode = z.enum(permissionModes);
export type PermissionMode = z.infer<typeof PermissionMode>;

/** `once` this call, `session` until the session ends, `always` also written to the settings. */
export const PermissionScope = z.enum(["once", "session", "always"]);
export type PermissionScope = z.infer<typeof PermissionScope>;

/**
 * An answer may replace the input; what it replaces it with is judged again. `message` is for the model. `permissionMode` is
 * the mode to go on in, where a plan is what was asked about.
 */
export const PermissionAnswer = z.discriminatedUnion("behavior", [
  z.object({
    behavior: z.literal("allow"),
    scope: PermissionScope.default("once"),
    input: z.unknown().optional(),
    permissionMode: PermissionMode.exclude(["plan", "bubble"]).optional(),
    /** A note for the model, to go with the result. */
    message: z.string().optional(),
    /** In a team: everybody may change what this call changes from now on. */
    team: z.boolean().optional(),
  }),
  z.object({
    behavior: z.literal("deny"),
    message: z.string().optional(),
    /** Who has said so, where that is not the user: a lead's model, or nobody in time. */
    by: z.enum(["lead", "policy"]).optional(),
  }),
]);
export type PermissionAnswer = z.infer<typeof PermissionAnswer>;

/** What stands around a change in its file, for whoever is asked about it. The change itself is the call's input. */
export const Surroundings = z.object({
  /** On which line it begins. */
  line: z.number().int().positive(),
  /** What its first line has before it, and its last one behind it. */
  prefix: z.string(),
  suffix: z.string(),
  before: z.array(z.string()),
  after: z.array(z.string()),
  /** In how many more places the same is changed. */
  others: z.number().int().nonnegative(),
});
export type Surroundings = z.infer<typeof Surroundings>;

/** What the policy says of one call. It is a pure function's result: same call, same policy, same decision. */
export type PermissionDecision =
  | { readonly behavior: "allow"; readonly rule: string; readonly reason?: string }
  | { readonly behavior: "deny"; readonly rule: string; readonly reason: string }
  | {
      readonly behavior: "ask";
      readonly rule: string;
      readonly question: string;
      /** Why it is not simply allowed. */
      readonly reason?: string;
      readonly suggestions: readonly string[];
      /** What the model is told where nobody is there to answer; its run then ends. */
      readonly unattended?: string;
    };
