/** A problem in a definition. An error makes the definition unusable; a warning does not. */
export interface AgentProblem {
  readonly severity: "error" | "warning";
  /** The file, or the flag. */
  readonly from: string;
  /** Counts from 1. */
  readonly line?: number | undefined;
  readonly field?: string | undefined;
  readonly message: string;
}

/** `file:line: field: what is wrong`. */
export const agentProblemLine = ({ from, line, field, message }: AgentProblem): string =>
  [line === undefined ? from : `${from}:${line}`, field, message].filter((part) => part !== undefined).join(": ");
