import * as z from "zod";
import {
  AgentId,
  AgentPath,
  CallId,
  ContentPart,
  Event,
  PermissionAnswer,
  PermissionMode,
  PromptId,
  RequestId,
  Surroundings,
} from "../../protocol/index.ts";
import { workLabel } from "./work-label.ts";

/** A git bundle in the object store, and the commit that it is about. */
const Bundle = z.object({
  object: z.string().min(1),
  head: z.string().regex(/^[0-9a-f]{40,64}$/),
  /** What the commit is called in it, if not HEAD. */
  ref: z
    .string()
    .regex(/^refs\/heads\/[\w./-]+$/)
    .optional(),
});
export type Bundle = z.infer<typeof Bundle>;

const Said = z.object({ promptId: PromptId, parts: z.array(ContentPart) });

/** The work of one agent that runs on another machine. No keys, no settings, nothing that runs by itself. */
export const JobSpec = z.object({
  id: z.string().regex(/^job_[A-Za-z0-9_-]+$/),
  agent: AgentId,
  path: AgentPath,
  description: z.string(),
  definition: z.object({
    name: z.string().min(1),
    /** One of Troupe's own: the worker has it too. */
    builtIn: z.boolean(),
    description: z.string(),
    prompt: z.string(),
    tools: z.array(z.string()).optional(),
    disallowedTools: z.array(z.string()).optional(),
    maxTurns: z.number().int().positive().optional(),
  }),
  model: z.string(),
  /** The most it may do without asking; the worker may allow less. */
  mode: PermissionMode,
  /** Rules of the lead's by which calls are refused. */
  deny: z.array(z.string()),
  said: z.array(Said),
  labels: z.array(z.string().regex(workLabel)),
  /** Who holds it and is not heard of for so long has lost it. */
  leaseMs: z.number().int().positive(),
  maxBudgetUsd: z.number().positive().optional(),
  maxTokens: z.number().int().positive().optional(),
  /** How long it goes on without a word of whoever wants it. */
  leadWaitMs: z.number().int().positive().optional(),
  /** It spends only what it has asked for and been given. */
  isBudgeted: z.boolean().optional(),
  source: Bundle,
  /** Left out: a sub-agent. A teammate joins its team on the bus, and stays until it is ended. */
  member: z
    .object({
      team: z.string().min(1),
      name: z.string().min(1),
      branch: z.string().min(1),
      /** Where its lead has the repository: paths below it mean those in the clone. */
      leadFolder: z.string(),
      appendSystemPrompt: z.string().optional(),
      maxTurns: z.number().int().positive().optional(),
      maxBudgetUsd: z.number().positive().optional(),
      maxTokens: z.number().int().positive().optional(),
    })
    .optional(),
  /** For the commits. */
  author: z.object({ name: z.string(), email: z.string() }),
});
export type JobSpec = z.infer<typeof JobSpec>;

export const JobOutcome = z.object({
  reason: z.enum(["completed", "interrupted", "failed", "limit"]),
  detail: z.string().optional(),
  turns: z.number().int().nonnegative(),
});
export type JobOutcome = z.infer<typeof JobOutcome>;

/** Everything that is known of who has a job: the last one in its journal holds, and each names the one it follows. */
export const JobState = z.object({
  status: z.enum(["asked", "held", "returned", "withdrawn"]),
  /** How often it was taken. */
  generation: z.number().int().nonnegative(),
  worker: z.string().optional(),
  /** When it was taken, by the worker's clock: for people. */
  takenAt: z.string().optional(),
  /** Where the worker has it. */
  folder: z.string().optional(),
  /** What has been committed so far: whoever takes the job next goes on from there. */
  commits: Bundle.optional(),
  /** Of a teammate: what this holder signs with, for the lead to vouch for. The other half stays where it was made. */
  publicKey: z.string().optional(),
  outcome: JobOutcome.optional(),
});
export type JobState = z.infer<typeof JobState>;

const PermissionQuestion = z.object({
  requestId: RequestId,
  callId: CallId,
  tool: z.string(),
  input: z.unknown(),
  question: z.string(),
  reason: z.string().optional(),
  suggestions: z.array(z.string()),
  around: Surroundings.optional(),
});

const Amount = z.object({ usd: z.number().nonnegative(), tokens: z.number().nonnegative() });

/** Each worker numbers what it reports, from one. */
const reported = { generation: z.number().int(), number: z.number().int() };

/** From the worker. What has another generation than the job is passed over. */
export const JobReport = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("events"), ...reported, events: z.array(Event) }),
  z.object({ kind: z.literal("question"), ...reported, question: PermissionQuestion }),
  /** It needs so much more than it has. Of what it was given it keeps only this, spent and on its way: the rest is given back. */
  z.object({
    kind: z.literal("budget"),
    ...reported,
    keeps: Amount,
    /** Nothing: it only gives back. */
    needs: Amount,
    /** Of a teammate: whose spending `keeps` is. */
    session: z.string().optional(),
  }),
]);
export type JobReport = z.infer<typeof JobReport>;

/** To the worker: kept with the job, so that whoever takes it next hears it too. */
export const JobOrder = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("say"), ...Said.shape }),
  z.object({ kind: z.literal("interrupt") }),
  z.object({ kind: z.literal("answer"), requestId: RequestId, answer: PermissionAnswer }),
  /** To what that worker has asked under that number. `most`: all that it may spend from its beginning. `usedUp`: there is no more. */
  z.object({
    kind: z.literal("budget"),
    generation: z.number().int(),
    number: z.number().int(),
    most: Amount,
    usedUp: z.string().optional(),
  }),
]);
export type JobOrder = z.infer<typeof JobOrder>;

/** What a worker says of itself. */
export const WorkerInfo = z.object({
  name: z.string(),
  labels: z.array(z.string()),
  running: z.number(),
  maxAgents: z.number(),
  version: z.string().optional(),
});
export type WorkerInfo = z.infer<typeof WorkerInfo>;
