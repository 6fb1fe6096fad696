import { writeFile } from "node:fs/promises";
import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { projectName } from "../../platform/index.ts";
import { TroupeError } from "../../protocol/index.ts";
import { openSessionStore } from "../../session/index.ts";
import { emptyView, reduceAll, transcriptMarkdown, visibleLine } from "../../view/index.ts";

/** Lists the sessions of this folder, or all sessions. */
export async function listSessions(flags: { all?: boolean; json?: boolean }): Promise<void> {
  const { store, cwd } = await openSessionStore({ cwd: process.cwd(), env: process.env });
  const all = await store.list();
  // A damaged log may not tell its folder, but its place does.
  const project = projectName(realpathSync(cwd));
  const shown = flags.all ? all : all.filter((each) => each.cwd === cwd || (!each.cwd && each.project === project));
  if (flags.json) {
    for (const session of shown) process.stdout.write(`${JSON.stringify(session)}\n`);
    return;
  }
  if (shown.length === 0) {
    const others = all.length - shown.length;
    process.stdout.write(
      others === 0 ? "no sessions yet\n" : `no sessions in this folder; --all shows ${others} of other folders\n`,
    );
    return;
  }
  for (const session of shown) {
    const when = session.updatedAt.slice(0, 16).replace("T", " ");
    const where = flags.all ? `  ${session.cwd.replace(homedir(), "~")}` : "";
    const what = session.problem ?? session.name ?? session.firstPrompt ?? "";
    process.stdout.write(visibleLine(`${session.sessionId}  ${when}${where}  ${what}`) + "\n");
  }
}

export async function showSession(id: string): Promise<void> {
  process.stdout.write(await markdownOf(id));
}

export async function exportSession(id: string, flags: ExportFlags): Promise<void> {
  const text = await exportText(id, flags.html ? "html" : flags.format);
  if (flags.output === undefined) return void process.stdout.write(text);
  try {
    await writeFile(flags.output, text, { flag: "wx", mode: 0o600 });
  } catch (error) {
    throw new TroupeError("usage", `cannot write ${flags.output}: ${(error as Error).message}. Choose another file.`, {
      cause: error,
    });
  }
}

export interface ExportFlags {
  readonly format: "markdown" | "jsonl" | "html";
  readonly html?: boolean;
  readonly output?: string;
}

async function exportText(id: string, format: ExportFlags["format"]): Promise<string> {
  switch (format) {
    case "markdown":
      return markdownOf(id);
    case "jsonl":
      return linesOf(id);
    case "html": {
      const { home } = await openSessionStore({ cwd: process.cwd(), env: process.env });
      return (await import("../web/export-html.ts")).exportSessionHtml(id, { home });
    }
  }
}

export async function repairSession(id: string): Promise<void> {
  const { store } = await openSessionStore({ cwd: process.cwd(), env: process.env });
  for (const report of await store.repair(id)) {
    const what =
      report.problems.length === 0 ? "nothing to repair" : `${report.problems.length} damaged records removed`;
    process.stdout.write(`${report.path}: ${what}, ${report.kept} kept\n`);
  }
}

async function eventsOf(id: string) {
  const { store } = await openSessionStore({ cwd: process.cwd(), env: process.env });
  const { lead, agents } = await store.read(id);
  return [lead, ...agents.values()].flat();
}

const markdownOf = async (id: string) => transcriptMarkdown(reduceAll(emptyView, await eventsOf(id)));

async function linesOf(id: string): Promise<string> {
  return (await eventsOf(id)).map((envelope) => `${JSON.stringify(envelope)}\n`).join("");
}
