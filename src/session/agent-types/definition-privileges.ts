import { type AgentFile, projectAgentFiles } from "./definition-files.ts";
import type { DiscoveryFolders } from "../instructions/instruction-files.ts";
import type { WithheldSetting } from "../trust/withheld-settings.ts";

/** Only a file with one of these words in it can ask for something. */
const privilegeWords = /hooks|mcpServers|permissionMode|scripted|memory|command/;

/** What the project's definitions ask for that needs trust: part of what the user is shown, and of what trust is tied to. */
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
