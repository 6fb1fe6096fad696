import { type AgentFile, projectAgentFiles } from "./agent-definitions-files.ts";
import type { ContextPlaces } from "./context-files.ts";
import type { Withheld } from "./withhold.ts";

/** Only a file with one of these words in it can ask for something. */
const mayAsk = /hooks|mcpServers|permissionMode|scripted|memory|command/;

/** What the project's definitions ask for that needs trust: part of what the user is shown, and of what trust is tied to. */
export async function agentAsks(places: ContextPlaces): Promise<readonly Withheld[]> {
  const asking = projectAgentFiles(places).files.filter(({ text }) => mayAsk.test(text));
  return (await Promise.all(asking.map(asksOf))).flat();
}

async function asksOf({ path, text }: AgentFile): Promise<Withheld[]> {
  const [{ actingFields, parseAgent }, { hookCheck }] = await Promise.all([
    import("../agent/definitions/index.ts"),
    import("./agent-definitions-hooks.ts"),
  ]);
  const source = { level: "project", from: path } as const;
  const { definition } = await parseAgent(text, { source, checkHooks: await hookCheck(text) });
  return definition ? actingFields(definition).map(({ key, value }) => ({ key, value, source: path })) : [];
}
