import { type AgentId, type ContentPart, leadPath } from "../../protocol/index.ts";
import type { AgentView } from "../session/agent-view.ts";
import { itemsOf } from "../lists/chunked-list.ts";
import type { SessionView } from "../session/session-view.ts";
import { noSpending, sessionSpending, type Spending, type Totals } from "../session/spending.ts";
import type { CallItem, TranscriptItem } from "./transcript-item.ts";
import { visibleLine, visibleText } from "../../protocol/index.ts";

/**
 * Renders a session as Markdown. Text cannot break out of its block or load anything: text with markup is shown as
 * source, and every control or invisible character as a mark. `only` selects one agent.
 */
export function transcriptMarkdown(view: SessionView, { only }: { readonly only?: AgentId | undefined } = {}): string {
  const agents = [...itemsOf(view.agents)]
    .filter(({ id }) => only === undefined || id === only)
    .toSorted((a, b) => Number(b.path === leadPath) - Number(a.path === leadPath));
  const spending = only === undefined ? sessionSpending(view) : (agents[0]?.spending ?? noSpending);
  return `${[head(view), ...agents.map(agentSection), costs(spending)].join("\n\n")}\n`;
}

function head(view: SessionView): string {
  const state = view.state.kind === "closed" ? `closed (${view.state.reason})` : view.state.kind;
  return [
    `# Session ${inline(view.sessionId ?? "")}`,
    bullets([
      ["Folder", code(view.cwd)],
      ["Troupe", inline(view.version)],
      ["State", inline(state)],
    ]),
  ].join("\n\n");
}

function agentSection(agent: AgentView): string {
  const about = bullets([
    ["Type", inline(agent.agentType)],
    ["Model", code(agent.model)],
    ["Mode", inline(agent.permissionMode)],
    ["Folder", code(agent.cwd)],
    ["Started", inline(agent.startedAt)],
    ["Status", inline(statusWords(agent))],
  ]);
  const items = [...itemsOf(agent.transcript)].map(section);
  const waiting = agent.waitingPrompts.map((prompt) => `### Prompt, still waiting\n\n${contents(prompt.parts)}`);
  return [`## ${inline(agent.path)}`, about, ...items, ...waiting].join("\n\n");
}

function statusWords({ status }: AgentView): string {
  switch (status.kind) {
    case "idle":
      return `idle (${status.reason})`;
    case "stopped":
      return `stopped (${status.outcome})`;
    case "starting":
    case "running":
    case "waiting":
      return status.kind;
  }
}

function section(item: TranscriptItem): string {
  switch (item.kind) {
    case "prompt":
      return `### Prompt${item.source === "user" ? "" : ` (${item.source})`}\n\n${contents(item.parts)}`;
    case "text":
      return `### Answer\n\n${quote(item.text)}`;
    case "thinking":
      return folded("Thinking", item.redacted && item.text === "" ? "_Hidden by the provider._" : quote(item.text));
    case "call":
      return callSection(item);
    case "notice":
      return `**${item.level}** ${inline(item.code)}: ${inline(item.message)}`;
    case "failure":
      return `**Turn failed** (${item.failure.kind}): ${inline(item.failure.message)}`;
    case "compaction":
      return folded(`Compacted at ${item.tokensBefore} tokens (${item.trigger})`, quote(item.summary));
    case "summary":
      return `### Summary of the work so far\n\n${quote(item.text)}`;
    case "idle":
      return `**Idle** (${item.reason})${item.detail ? `: ${inline(item.detail)}` : ""}`;
    case "done":
      return `**Done** after ${Math.round(item.durationMs / 1000)} s, $${item.costUsd.toFixed(4)}`;
    case "stopped":
      return `**Stopped** (${item.outcome})${item.detail ? `: ${inline(item.detail)}` : ""}`;
  }
}

function callSection(call: CallItem): string {
  const state = call.state === "asked" ? "never started" : call.state === "running" ? "not settled" : call.state;
  const parts = ["Input", fence(jsonText(call.input), "json")];
  if (call.result) {
    const { content, display, savedTo } = call.result;
    if (display?.kind === "diff") parts.push(`Change of ${code(display.path)}`, fence(display.patch, "diff"));
    parts.push(
      "Result",
      content.length === 0 ? "_Nothing._" : content.map((part) => contentText(part, fence)).join("\n\n"),
    );
    if (savedTo !== undefined) parts.push(`Full result: ${code(savedTo)}`);
  }
  return folded(`${call.title} (${state})`, parts.join("\n\n"));
}

function costs({ total, byModel }: Spending): string {
  const rows = [...byModel].map(([model, totals]) => costRow(code(model), totals));
  return [
    "## Cost",
    [
      "| model | requests | input | output | cache read | cache write | USD |",
      "|---|---:|---:|---:|---:|---:|---:|",
      ...rows,
      costRow("all", total),
    ].join("\n"),
  ].join("\n\n");
}

function costRow(name: string, { requests, usage, costUsd }: Totals): string {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  const cells = [requests, inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, costUsd.toFixed(4)];
  return `| ${name.replaceAll("|", "\\|")} | ${cells.join(" | ")} |`;
}

const contents = (parts: readonly ContentPart[]): string => parts.map((part) => contentText(part, quote)).join("\n\n");

function contentText(part: ContentPart, block: (text: string) => string): string {
  switch (part.type) {
    case "text":
      return block(part.text);
    case "image":
      return `_Image, ${inline(part.mediaType)}, ${part.data.length} characters of base64._`;
    case "document":
      return `_Document ${inline(part.name)}, ${part.data.length} characters of base64._`;
  }
}

/**
 * Quotes each line. Text with HTML or images is shown as source: rendered, it could cover the page or load remote
 * content.
 */
function quote(text: string): string {
  const shown = visibleText(text);
  if (/<[a-z/!?]|!\[/i.test(shown)) return fence(shown, "markdown");
  return shown
    .split("\n")
    .map((line) => (line === "" ? ">" : `> ${line}`))
    .join("\n");
}

/** The fence is longer than any run of backticks inside, so that the text cannot close it. */
function fence(text: string, language = ""): string {
  const shown = visibleText(text).replace(/\n$/, "");
  const ticks = "`".repeat(longestRun(shown, 2) + 1);
  return `${ticks}${language}\n${shown}\n${ticks}`;
}

const longestRun = (text: string, least: number): number =>
  (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), least);

function folded(title: string, body: string): string {
  return `<details>\n<summary>${escapeHtml(visibleLine(title))}</summary>\n\n${body}\n\n</details>`;
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

const escapeHtml = (text: string): string => text.replace(/[&<>]/g, (character) => entities[character] ?? "");

const inline = (text: string): string =>
  escapeHtml(visibleLine(text).replace(/[\\`*_{}[\]#|!~]/g, (character) => `\\${character}`));

function code(text: string): string {
  const shown = visibleLine(text);
  if (shown === "") return "";
  const run = longestRun(shown, 0);
  const ticks = "`".repeat(run + 1);
  return run === 0 ? `\`${shown}\`` : `${ticks} ${shown} ${ticks}`;
}

const bullets = (rows: readonly (readonly [string, string])[]): string =>
  rows
    .filter(([, value]) => value !== "")
    .map(([name, value]) => `- ${name}: ${value}`)
    .join("\n");

function jsonText(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? "";
}
