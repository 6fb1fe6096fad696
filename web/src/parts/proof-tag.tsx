import type { WorkItem } from "../../../src/protocol/index.ts";

/** The proof of a completed task. An open task shows its number of checks. */
export function ProofTag({ task: { status, proof, acceptance } }: { task: WorkItem }) {
  if (status !== "completed" || proof === undefined)
    return acceptance.length > 0 ? (
      <span className="tag">{acceptance.length === 1 ? "1 check" : `${acceptance.length} checks`}</span>
    ) : null;
  const { label, title } = proofTexts[proof];
  return (
    <span className="tag task-proof" data-proof={proof} title={title}>
      {label}
    </span>
  );
}

const proofTexts = {
  claimed: { label: "unverified", title: "Reported by its owner; no check has confirmed it" },
  verified: { label: "verified", title: "Its checks passed" },
  refuted: { label: "refuted", title: "Its checks failed" },
} as const;
