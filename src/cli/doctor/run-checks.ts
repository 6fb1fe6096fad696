import { messageOf } from "../../protocol/index.ts";
import type { Check, Finding } from "./finding.ts";
import type { Machine } from "./inspect-machine.ts";

/** Runs all checks and keeps their order. A check that throws becomes a finding. */
export async function runChecks(checks: readonly Check[], machine: Machine): Promise<Finding[]> {
  const found = await Promise.all(checks.map((check) => runCheck(check, machine)));
  return found.flat();
}

async function runCheck({ name, find }: Check, machine: Machine): Promise<Finding[]> {
  try {
    return (await find(machine)).map((finding) => ({ name, ...finding }));
  } catch (error) {
    const detail = `the check failed: ${messageOf(error)}`;
    return [{ name, status: "problem", detail }];
  }
}
