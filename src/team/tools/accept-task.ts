import type { WorkItem } from "../../protocol/index.ts";
import type { TaskProof } from "../../store/index.ts";
import { type Acceptance, type AcceptanceCheckOptions, runAcceptanceChecks } from "../evidence/acceptance-checks.ts";

export interface TaskAcceptanceOptions extends AcceptanceCheckOptions {
  /** The reason why the completing agent may not run this command; undefined if it may. */
  readonly refuse: (command: string) => Promise<string | undefined>;
}

const detailLimit = 8_000;

/**
 * Runs the checks of a task with the rights of the agent that completes it, because any member may have written the
 * task. A check that must not or could not run proves nothing: the completion then stays only claimed.
 */
export async function acceptTask(
  { acceptance }: WorkItem,
  options: TaskAcceptanceOptions,
): Promise<Pick<TaskProof, "proof" | "detail">> {
  const ran: Acceptance[] = [];
  for (const { command, timeoutMs = options.timeoutMs } of acceptance) {
    const refusal = await options.refuse(command);
    ran.push(
      refusal === undefined
        ? await runAcceptanceChecks([command], { ...options, timeoutMs })
        : { state: "claimed", checks: [], problem: refusal },
    );
    if (options.signal?.aborted) break;
  }
  const detail = ran.flatMap(({ checks, problem }, index) => [
    ...checks.map(checkText),
    ...(problem === undefined ? [] : [`check ${index + 1} was not run (${problem}): ${acceptance[index]?.command}`]),
  ]);
  const proof = ran.some(({ state }) => state === "refuted")
    ? "refuted"
    : ran.length === acceptance.length && ran.every(({ state }) => state === "verified")
      ? "verified"
      : "claimed";
  return { proof, detail: bounded(detail) };
}

/** Says where it ran: a worktree and the checkout differ. A failed check includes its output. */
const checkText = ({ command, cwd, how, passed, tail }: Acceptance["checks"][number]) =>
  `$ ${command} (in ${cwd}): ${how}${passed ? "" : tail === "" ? ", no output" : `\n${tail}`}`;

function bounded(lines: readonly string[]): string {
  const text = lines.join("\n") || "there was nothing to run";
  return text.length <= detailLimit ? text : `${text.slice(0, detailLimit)}\n[cut: ${text.length} characters in all]`;
}
