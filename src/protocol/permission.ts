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
    /** The source of the answer if it is not the user: a lead's model. */
    by: z.enum(["lead"]).optional(),
    /** In a team: from now on all members may change what this call changes. */
    team: z.boolean().optional(),
    /** For a command: run it inside the sandbox, and let it use the network. */
    network: z.boolean().optional(),
  }),
  z.object({
    behavior: z.literal("deny"),
    message: z.string().optional(),
    /** The source of the answer if it is not the user: a lead's model, the policy, or a timeout. */
    by: z.enum(["lead", "policy", "timeout"]).optional(),
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

/** The change of an existing file, as a unified diff. */
export interface ChangePatch {
  readonly patch: string;
}

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
  /** For a write over an existing file: the change as a unified diff. */
  patch: z.string().optional(),
  /** For a command: where it runs if it is allowed. Absent where there is no sandbox. */
  sandbox: z.enum(["inside", "outside"]).optional(),
};

const QuestionFields = z.object(permissionQuestion);

/** Returns the fields of a question for permission, without those of its carrier, such as a mail. */
export const questionFields = (carrier: z.input<typeof QuestionFields>): z.infer<typeof QuestionFields> =>
  QuestionFields.parse(carrier);

/** A way that stays open to an agent whose call is refused. */
export type RefusalHint =
  /** The other commands of the line are allowed by themselves. */
  | { readonly kind: "rest" }
  /** The agent may change files with Edit and Write. */
  | { readonly kind: "edit" }
  /** The shell would expand this word: quoted, it is allowed. */
  | { readonly kind: "quote"; readonly word: string }
  /** The file names are not known before the line runs. */
  | { readonly kind: "names" }
  /** The agent works in a worktree, which has its own copy of the file. */
  | { readonly kind: "copy"; readonly path: string }
  /** A substitution in double quotes may be meant as text. `commit`: it is in the message of a commit. */
  | { readonly kind: "text"; readonly text: string; readonly commit: boolean }
  /** The line has code in it, so no rule is proposed. A rule for all calls of `program` would allow it. */
  | { readonly kind: "code"; readonly program?: string | undefined }
  /** In this mode the call needs no permission. */
  | { readonly kind: "mode"; readonly mode: "acceptEdits" }
  /** Someone else commits. `worktree`: an agent in its own worktree may commit. */
  | { readonly kind: "commit"; readonly worktree: boolean };

/** The facts that a model needs about a refused call. */
export interface Refusal {
  /**
   * The source of the refusal. `rule`: a deny rule. `protected`: a place that no agent may write to. `plan`: the mode
   * `plan`. `permission`: it needs permission. `syntax`: bash cannot parse it.
   */
  readonly cause: "rule" | "protected" | "plan" | "permission" | "syntax";
  /** The part of the call that is refused: commands of the line, or a path. Undefined: the whole call. */
  readonly part?: string | undefined;
  /** The reason, a clause without a full stop. */
  readonly why?: string | undefined;
  /** Each refused part with its own reason, if there are several. */
  readonly parts?: readonly { readonly part: string; readonly why: string }[] | undefined;
  readonly hints: readonly RefusalHint[];
  /** The narrowest allow rules with which the call would run. */
  readonly rules: readonly string[];
}

/** Where a command runs. */
export interface CommandPlace {
  /** `look`: it can write nothing. `work`: it can write in the working folders. `open`: it has no walls. */
  readonly walls: "look" | "work" | "open";
  /** True if it may write the data of the repository in the working folder, without its settings and hooks. */
  readonly git?: boolean | undefined;
  /** True if git must not run the repository's hooks. */
  readonly hookless?: boolean | undefined;
  /** True if a person allowed the network for it. */
  readonly network?: boolean | undefined;
}

/** The policy's decision on one call. It is pure: same call and policy, same decision. */
export type PermissionDecision =
  | {
      readonly behavior: "allow";
      readonly rule: string;
      readonly reason?: string;
      /**
       * The files that a command writes without asking. `foreign`: paths that then hold moved files of others. `git`: it
       * must run without hooks.
       */
      readonly changes?: {
        readonly writes: readonly string[];
        readonly foreign: readonly string[];
        readonly git: boolean;
      };
      /** The agent's own copy of what it reads in the main checkout. */
      readonly copy?: string;
      /** The working directory, if a rule allows a change of a file outside of it. */
      readonly outside?: string;
      /** Present for a command. */
      readonly place?: CommandPlace;
    }
  | { readonly behavior: "deny"; readonly rule: string; readonly reason: string; readonly refusal?: Refusal }
  | {
      readonly behavior: "ask";
      readonly rule: string;
      readonly question: string;
      /** The reason why it is not simply allowed. */
      readonly reason?: string;
      readonly suggestions: readonly string[];
      /** The message to the model when no user can answer. */
      readonly unattended?: string;
      /** True if the run then ends. */
      readonly endsUnattended?: boolean;
      readonly refusal?: Refusal;
      /** Tells the model what to do after a refusal, or if no answer comes in time. */
      readonly next?: { readonly refused: string; readonly late: string };
      /** Present for a command: where it runs after the yes of a person. */
      readonly place?: CommandPlace;
      /** True if there are walls: the question then says where the command runs. */
      readonly hasWalls?: boolean;
    };
