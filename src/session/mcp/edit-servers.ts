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
    throw new TroupeError("usage", `invalid server name ${JSON.stringify(name)}: use letters, digits, - _ and .`);
  }
  const parsed = McpServerConfig.safeParse(server);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new TroupeError("usage", `${name}: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? "not valid"}`);
  }
  const file = fileOf(scope, config);
  const text = readText(file);
  if (name in serversIn(text, file)) {
    throw new TroupeError("usage", `${file} already has a server ${name}. Remove it with 'troupe mcp remove ${name}'.`);
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
    throw new TroupeError("usage", `${name} exists in the scopes ${holding.join(" and ")}. Choose one with --scope.`);
  }
  const file = fileOf(found, config);
  await write(file, { text: withServer(readText(file), name, undefined), scope: found, config });
  return file;
}

/** Resolves links, so that a write changes the target and does not replace the link. */
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
    throw new TroupeError("settings", `cannot read ${file}: ${(error as Error).message}`, { cause: error });
  }
}

function serversIn(text: string, file: string): object {
  const checked = parseStrictJson(text);
  if (!("value" in checked) || typeof checked.value !== "object" || checked.value === null) {
    throw new TroupeError("settings", `${file} is not a JSON object. Fix it first. Nothing was changed.`);
  }
  const servers = "mcpServers" in checked.value ? checked.value.mcpServers : {};
  return typeof servers === "object" && servers !== null ? servers : {};
}

/** Edits only the changed entry and keeps the order and indentation of the rest. */
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
