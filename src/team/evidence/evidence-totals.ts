import { addUsage } from "../../protocol/index.ts";
import type { CallEvidence, CommandEvidence, Evidence } from "./evidence.ts";

/** The totals of an agent's work in a section of its log. Two consecutive totals can be joined. */
export interface EvidenceTotals {
  /** The folder that the agent started in. */
  folder: string | undefined;
  turns: number;
  durationMs: number;
  costUsd: number;
  readonly tokens: { inputTokens: number; outputTokens: number; cacheReadTokens: number; cacheWriteTokens: number };
  readonly toolCalls: Map<string, number>;
  readonly filesRead: Set<string>;
  readonly filesChanged: Set<string>;
  /** The end of a background command replaces its running entry. */
  readonly commands: Map<string, CommandEvidence>;
  readonly denied: CallEvidence[];
  readonly failed: CallEvidence[];
}

export const createEvidenceTotals = (folder?: string): EvidenceTotals => ({
  folder,
  turns: 0,
  durationMs: 0,
  costUsd: 0,
  tokens: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
  toolCalls: new Map(),
  filesRead: new Set(),
  filesChanged: new Set(),
  commands: new Map(),
  denied: [],
  failed: [],
});

export function joinEvidenceTotals(first: EvidenceTotals, next: EvidenceTotals): EvidenceTotals {
  const toolCalls = new Map(first.toolCalls);
  for (const [tool, count] of next.toolCalls) toolCalls.set(tool, (toolCalls.get(tool) ?? 0) + count);
  return {
    folder: first.folder ?? next.folder,
    turns: first.turns + next.turns,
    durationMs: first.durationMs + next.durationMs,
    costUsd: first.costUsd + next.costUsd,
    tokens: addUsage(first.tokens, next.tokens),
    toolCalls,
    filesRead: new Set([...first.filesRead, ...next.filesRead]),
    filesChanged: new Set([...first.filesChanged, ...next.filesChanged]),
    commands: new Map([...first.commands, ...next.commands]),
    denied: [...first.denied, ...next.denied],
    failed: [...first.failed, ...next.failed],
  };
}

export const evidenceFromTotals = (totals: EvidenceTotals): Evidence => ({
  ...(totals.folder !== undefined && { folder: totals.folder }),
  turns: totals.turns,
  durationMs: totals.durationMs,
  costUsd: totals.costUsd,
  tokens: { ...totals.tokens },
  toolCalls: Object.fromEntries([...totals.toolCalls].sort(([a], [b]) => (a < b ? -1 : 1))),
  filesRead: [...totals.filesRead],
  filesChanged: [...totals.filesChanged],
  commands: [...totals.commands.values()],
  denied: [...totals.denied],
  failed: [...totals.failed],
});
