import { type AgentFile, projectAgentFiles } from "./definition-files.ts";
import type { DiscoveryFolders } from "../instructions/instruction-files.ts";
import type { WithheldSetting } from "../trust/withheld-settings.ts";

/** A definition without any of these words needs no trust, so it is not parsed. */
const privilegeWords = /hooks|mcpServers|permissionMode|scripted|memory|command/;

/**
 * Returns the fields of the project's definitions that need trust. The user sees them, and the trust decision is tied
 * to them.
 */
export async function definitionPrivileges(places: DiscoveryFolders): Promise<readonly WithheldSetting[]> {
  const candidates = projectAgentFiles(places).files.filter(({ text }) => privilegeWords.test(text));
  return (await Promise.all(candidates.map(privilegesOf))).flat();
}

async function privilegesOf({ path, text }: AgentFile): Promise<WithheldSetting[]> {
  const [{ privilegedFields, parseAgent }, { createHookCheck: hookCheck }] = await Promise.all([
    import("../../agent/definitions/index.ts"),
    import("./definition-hook-check.ts"),
  ]);
  const source = { level: "project", from: path } as const;
  const { definition } = await parseAgent(text, { source, checkHooks: await hookCheck(text) });
  return definition ? privilegedFields(definition).map(({ key, value }) => ({ key, value, source: path })) : [];
}
