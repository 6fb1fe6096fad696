import { resolve } from "node:path";
import { type AgentProblem, agentProblemLine, parseAgentObject } from "../../agent/definitions/index.ts";
import { type AgentDefinition, TroupeError } from "../../protocol/index.ts";
import { createHookCheck } from "./definition-hook-check.ts";
import { parseStrictJson } from "../files/parse-strict-json.ts";
import { readBoundedFile } from "../files/read-bounded-file.ts";

export interface FlagAgents {
  readonly definitions: readonly AgentDefinition[];
  readonly warnings: readonly AgentProblem[];
}

const sizeLimit = 1_000_000;

/**
 * Parses `--agents '{ "name": { "description": …, "prompt": … } }'`, or a file with that content. Throws on the first
 * problem.
 */
export async function readAgentsFlag(given: string, cwd: string): Promise<FlagAgents> {
  const { text, from } = textOf(given, cwd);
  const checked = parseStrictJson(text);
  if ("fault" in checked) {
    const { describeProblems, problemLine } = await import("../config/settings/settings-problems.ts");
    const [first] = describeProblems(from, { text, fault: checked.fault });
    throw new TroupeError("usage", first ? problemLine(first) : `${from}: not valid JSON`);
  }
  const { value } = checked;
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new TroupeError("usage", `${from}: must be an object with one key for each agent; ${example}`);
  }
  const checkHooks = await createHookCheck(text);
  const parsed = Object.entries(value).map(([name, fields]) =>
    parseAgentObject(name, fields, { source: { level: "flag", from }, checkHooks }),
  );
  const problems = parsed.flatMap((each) => each.problems);
  const [error] = problems.filter(({ severity }) => severity === "error");
  if (error) throw new TroupeError("usage", `${agentProblemLine(error)}; ${example}`);
  return {
    definitions: parsed.flatMap(({ definition }) => (definition ? [definition] : [])),
    warnings: problems,
  };
}

const example = `an agent is "name": { "description": "when to use it", "prompt": "…" }`;

function textOf(given: string, cwd: string): { text: string; from: string } {
  if (/^\s*[[{"]/.test(given)) return { text: given, from: "--agents" };
  const path = resolve(cwd, given);
  const file = readBoundedFile(path, sizeLimit + 1);
  const wrong =
    file.kind === "absent"
      ? "it is neither JSON nor an existing file"
      : file.kind === "unreadable"
        ? file.reason
        : file.size > sizeLimit && `the file has ${file.size} bytes; the limit is ${sizeLimit}`;
  if (wrong) throw new TroupeError("usage", `--agents ${given}: ${wrong}; ${example}`);
  return { text: file.kind === "read" ? new TextDecoder().decode(file.bytes) : "", from: `--agents ${path}` };
}
