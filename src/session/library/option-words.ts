import { TroupeError } from "../../protocol/index.ts";

/** The options of the library for the flags of the command line. */
const options: Readonly<Record<string, string>> = {
  "--model": "model",
  "--permission-mode": "permissionMode",
  "--allowedTools": "allowedTools",
  "--disallowedTools": "disallowedTools",
  "--add-dir": "addDirectories",
  "--max-turns": "maxTurns",
  "--max-budget-usd": "maxBudgetUsd",
  "--max-tokens": "maxTokens",
  "--settings": "settings",
  "--agents": "agents",
  "--mcp-config": "mcpServers",
  "--resume": "resume",
  "--team": "team",
  "--bus": "TROUPE_BUS",
  "--trust": 'trust: "all"',
};

/** Names options of the library where a message names flags of the command line. */
export const inOptionWords = (message: string): string =>
  message.replace(/(?<![\w-])--[a-zA-Z-]+/g, (flag) => options[flag] ?? flag);

/** The same for the errors of a promise. */
export async function withOptionWords<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!TroupeError.is(error)) throw error;
    throw new TroupeError(error.code, inOptionWords(error.message), { cause: error });
  }
}
