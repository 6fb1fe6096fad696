import type { Check, Finding } from "./finding.ts";
import type { Machine } from "./inspect-machine.ts";

/** All checks, in their order. One that fails itself is a finding like any other. */
export async function runChecks(checks: readonly Check[], machine: Machine): Promise<Finding[]> {
  const found = await Promise.all(checks.map((check) => runCheck(check, machine)));
  return found.flat();
}

async function runCheck({ name, find }: Check, machine: Machine): Promise<Finding[]> {
  try {
    return (await find(machine)).map((finding) => ({ name, ...finding }));
  } catch (error) {
    const detail = `could not be looked at: ${error instanceof Error ? error.message : String(error)}`;
    return [{ name, status: "problem", detail }];
  }
}
