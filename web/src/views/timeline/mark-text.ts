import type { MarkKind } from "../../../../src/view/index.ts";

export const markText: Readonly<Record<MarkKind, string>> = {
  question: "question",
  death: "died",
  resume: "resumed",
  failure: "failed",
  commit: "commit",
  landing: "landed",
  compaction: "compacted",
};

/** The sign of each kind, so that it is known without its colour. */
export const markSigns: Readonly<Record<MarkKind, string>> = {
  question: "?",
  death: "✕",
  resume: "↻",
  failure: "!",
  commit: "◆",
  landing: "▼",
  compaction: "≡",
};
