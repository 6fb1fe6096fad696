import * as z from "zod";
import {
  AgentId,
  AgentPath,
  ContentPart,
  Event,
  PermissionAnswer,
  PermissionMode,
  permissionQuestion,
  PromptId,
  RequestId,
} from "../../protocol/index.ts";
import { workLabel } from "./work-label.ts";

/** A git bundle in the object store, and its commit. */
const Bundle = z.object({
  object: z.string().min(1),
  head: z.string().regex(/^[0-9a-f]{40,64}$/),
  /** The commit's ref in the bundle, if not HEAD. */
  ref: z
    .string()
    .regex(/^refs\/heads\/[\w./-]+$/)
    .optional(),
});
export type Bundle = z.infer<typeof Bundle>;

const Said = z.object({ promptId: PromptId, parts: z.array(ContentPart) });

/** The work of one remote agent. It contains no keys, no settings and nothing that runs by itself. */
export const JobSpec = z.object({
  id: z.string().regex(/^job_[A-Za-z0-9_-]+$/),
  agent: AgentId,
  path: AgentPath,
  description: z.string(),
  definition: z.object({
    name: z.string().min(1),
    /** A built-in definition: the worker has it too. */
    builtIn: z.boolean(),
    description: z.string(),
    prompt: z.string(),
    tools: z.array(z.string()).optional(),
    disallowedTools: z.array(z.string()).optional(),
    maxTurns: z.number().int().positive().optional(),
  }),
  model: z.string(),
  /** The upper limit of what it may do without asking. The worker may allow less. */
  mode: PermissionMode,
  /** The lead's deny rules. */
  deny: z.array(z.string()),
  said: z.array(Said),
  labels: z.array(z.string().regex(workLabel)),
  /** A holder that is silent for this long loses the job. */
  leaseMs: z.number().int().positive(),
  maxBudgetUsd: z.number().positive().optional(),
  maxTokens: z.number().int().positive().optional(),
  /** How long it continues without contact with the lead's session. */
  leadWaitMs: z.number().int().positive().optional(),
  /** It spends only what it has requested and received. */
  isBudgeted: z.boolean().optional(),
  source: Bundle,
  /** Absent for a subagent. A teammate joins its team on the bus and stays until it is ended. */
  member: z
    .object({
      team: z.string().min(1),
      name: z.string().min(1),
      branch: z.string().min(1),
      /** The repository's folder on the lead's machine. Paths below it map to the clone. */
      leadFolder: z.string(),
      appendSystemPrompt: z.string().optional(),
      maxTurns: z.number().int().positive().optional(),
      maxBudgetUsd: z.number().positive().optional(),
      maxTokens: z.number().int().positive().optional(),
    })
    .optional(),
  /** The author of the commits. */
  author: z.object({ name: z.string(), email: z.string() }),
});
export type JobSpec = z.infer<typeof JobSpec>;

export const JobOutcome = z.object({
  reason: z.enum(["completed", "interrupted", "failed", "limit"]),
  detail: z.string().optional(),
  turns: z.number().int().nonnegative(),
});
export type JobOutcome = z.infer<typeof JobOutcome>;

/** The full state of a job's claim. The last record in its journal is valid, and each names the record it follows. */
export const JobState = z.object({
  status: z.enum(["asked", "held", "returned", "withdrawn"]),
  /** The number of times it was claimed. */
  generation: z.number().int().nonnegative(),
  worker: z.string().optional(),
  /** When it was claimed, by the worker's clock; for people. */
  takenAt: z.string().optional(),
  /** The working folder on the worker. */
  folder: z.string().optional(),
  /** The commits so far. The next worker continues from them. */
  commits: Bundle.optional(),
  /**
   * For a teammate: the key with which this holder signs, for the lead to endorse. The private key stays on its
   * machine.
   */
  publicKey: z.string().optional(),
  outcome: JobOutcome.optional(),
});
export type JobState = z.infer<typeof JobState>;

const PermissionQuestion = z.object({ requestId: RequestId, ...permissionQuestion });

const Amount = z.object({ usd: z.number().nonnegative(), tokens: z.number().nonnegative() });

/** Each worker numbers its reports from 1. */
const reported = { generation: z.number().int(), number: z.number().int() };

/** From the worker. Reports of another generation are ignored. */
export const JobReport = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("events"), ...reported, events: z.array(Event) }),
  z.object({ kind: z.literal("question"), ...reported, question: PermissionQuestion }),
  /**
   * It needs this much more than it has. Of the granted amount it keeps only this (spent or in use) and returns the
   * rest.
   */
  z.object({
    kind: z.literal("budget"),
    ...reported,
    keeps: Amount,
    /** Zero if it only returns budget. */
    needs: Amount,
    /** For a teammate: the session whose spending `keeps` is. */
    session: z.string().optional(),
  }),
]);
export type JobReport = z.infer<typeof JobReport>;

/** To the worker. Stored with the job, so that the next worker receives it too. */
export const JobOrder = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("say"), ...Said.shape }),
  z.object({ kind: z.literal("interrupt") }),
  z.object({ kind: z.literal("answer"), requestId: RequestId, answer: PermissionAnswer }),
  /**
   * Answers the worker's request with that number. `most`: the total that it may spend from its start. `usedUp`: there
   * is no more.
   */
  z.object({
    kind: z.literal("budget"),
    generation: z.number().int(),
    number: z.number().int(),
    most: Amount,
    usedUp: z.string().optional(),
  }),
]);
export type JobOrder = z.infer<typeof JobOrder>;

/** A worker's description of itself. */
export const WorkerInfo = z.object({
  name: z.string(),
  labels: z.array(z.string()),
  running: z.number(),
  maxAgents: z.number(),
  version: z.string().optional(),
});
export type WorkerInfo = z.infer<typeof WorkerInfo>;
