import { readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { mkdir } from "node:fs/promises";
import { applyEdits, modify } from "jsonc-parser";
import { hasErrorCode, openStateRoot, writeFileAtomic } from "../../platform/index.ts";
import { TroupeError } from "../../protocol/index.ts";
import { McpServerConfig } from "../../tool/mcp/index.ts";
import { parseStrictJson } from "../files/parse-strict-json.ts";
import type { Config } from "../config/load-config.ts";
import { type McpEdit, type McpScope, unknownServer } from "./server-report.ts";

const scopes: readonly McpScope[] = ["local", "project", "user"];

export async function addServer(config: Config, { name, scope, server }: McpEdit): Promise<string> {
  if (!/^[A-Za-z0-9][\w.-]{0,63}$/.test(name)) {
    throw new TroupeError("usage", `${JSON.stringify(name)} cannot be a server's name: letters, digits, - _ and . can`);
  }
  const parsed = McpServerConfig.safeParse(server);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new TroupeError("usage", `${name}: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? "not valid"}`);
  }
  const file = fileOf(scope, config);
  const text = readText(file);
  if (name in serversIn(text, file)) {
    throw new TroupeError("usage", `${file} has a server ${name} already: 'troupe mcp remove ${name}' takes it out`);
  }
  await write(file, { text: withServer(text, name, server), scope, config });
  return file;
}

export async function removeServer(
  config: Config,
  { name, scope }: { name: string; scope?: McpScope | undefined },
): Promise<string> {
  const holding = (scope ? [scope] : scopes).filter((each) => {
    const file = fileOf(each, config);
    return name in serversIn(readText(file), file);
  });
  const [found, other] = holding;
  if (found === undefined) {
    const all = scopes.flatMap((each) => Object.keys(serversIn(readText(fileOf(each, config)), fileOf(each, config))));
    throw unknownServer(
      name,
      all.map((each) => ({ name: each })),
    );
  }
  if (other !== undefined) {
    throw new TroupeError("usage", `${name} is there as ${holding.join(" and ")}: say which with --scope`);
  }
  const file = fileOf(found, config);
  await write(file, { text: withServer(readText(file), name, undefined), scope: found, config });
  return file;
}

/** The file itself, where it is a link: what is written must not take the link's place. */
function fileOf(scope: McpScope, config: Config): string {
  const files = {
    user: join(config.home, "settings.json"),
    project: join(config.projectFolders[0] ?? config.cwd, ".mcp.json"),
    local: config.localSettings,
  };
  try {
    return realpathSync(files[scope]);
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return files[scope];
    throw error;
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return "{}\n";
    throw new TroupeError("settings", `${file} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

function serversIn(text: string, file: string): object {
  const checked = parseStrictJson(text);
  if (!("value" in checked) || typeof checked.value !== "object" || checked.value === null) {
    throw new TroupeError("settings", `${file} is not a JSON object: mend it first; nothing was changed`);
  }
  const servers = "mcpServers" in checked.value ? checked.value.mcpServers : {};
  return typeof servers === "object" && servers !== null ? servers : {};
}

/** Only around the place that changes: the order and the indent of everything else are the user's. */
function withServer(text: string, name: string, server: unknown): string {
  const indented = /^([ \t]+)"/m.exec(text)?.[1];
  const formattingOptions = { insertSpaces: !indented?.includes("\t"), tabSize: indented?.length ?? 2, eol: "\n" };
  return applyEdits(text, modify(text, ["mcpServers", name], server, { formattingOptions }));
}

async function write(
  file: string,
  { text, scope, config }: { text: string; scope: McpScope; config: Config },
): Promise<void> {
  if (scope !== "project") await openStateRoot(config.home);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeFileAtomic(file, text, { mode: modeOf(file) ?? (scope === "project" ? 0o644 : 0o600) });
}

function modeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.mode;
}
