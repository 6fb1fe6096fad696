import { checks } from "../doctor/checks.ts";
import type { Finding } from "../doctor/finding.ts";
import { inspectMachine } from "../doctor/inspect-machine.ts";
import { printFindings } from "../doctor/print-findings.ts";
import { runChecks } from "../doctor/run-checks.ts";
import { exitCodes } from "../exit-codes.ts";

/**
 * Reports what this machine provides, what is missing, and what to do. Changes nothing, and works even if everything
 * else is broken.
 */
export async function runDoctor(flags: { json?: boolean }): Promise<number> {
  const machine = await inspectMachine(process);
  const findings = await runChecks(checks, machine);
  if (flags.json) process.stdout.write(`${JSON.stringify(asJson(findings))}\n`);
  else printFindings(findings, process.stdout, process.env);
  return findings.some(isBlocking) ? exitCodes.failed : exitCodes.done;
}

const isBlocking = (finding: Finding) => finding.blocks === true;

const asJson = (findings: readonly Finding[]) => ({
  ok: !findings.some(isBlocking),
  findings: findings.map((finding) => ({ ...finding, blocks: isBlocking(finding) })),
});
