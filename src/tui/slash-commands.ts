import type { SlashListing } from "../session/index.ts";
import { Effort, nearestName } from "../protocol/index.ts";
import { addNotice, type AppState, type Dialog, leadOf, openDialog, toggleTasks } from "../view/index.ts";
import type { Frontend } from "./app-context.ts";
import type { FrontendFacts } from "./frontend-facts.ts";
import { leaveOrAsk } from "./leave-or-ask.ts";

export interface SlashPorts {
  readonly frontend: Pick<Frontend, "store" | "send" | "leave" | "now">;
  readonly facts: FrontendFacts;
}

/**
 * Runs a command of the UI. Returns false if it is not one: then the text goes to the session, which knows the other
 * commands and rejects unknown ones.
 */
export function runSlash(typed: string, ports: SlashPorts): boolean {
  const [, name = "", args = ""] = /^\/([a-z]+)(?:\s+([\s\S]*))?$/.exec(typed.trimEnd()) ?? [];
  const command = builtInCommands.find((each) => each.name === name || each.aliases?.includes(name));
  if (!command) return false;
  command.run(ports, args.trim());
  return true;
}

/** Returns the known command that a mistyped one probably means, if there is no such command. */
export function meantCommand(typed: string, facts: SlashPorts["facts"]): string | undefined {
  const [, name] = /^\/([a-z][\w:-]*)(?:\s|$)/.exec(typed) ?? [];
  const known = slashListings(facts).map((listing) => listing.name);
  if (name === undefined || known.some((each) => each === name || each.endsWith(`:${name}`))) return undefined;
  return nearestName(name, known);
}

/** Returns all slash commands, those of the UI first, for completion and `/help`. */
export function slashListings(facts: Pick<FrontendFacts, "slashCommands">): readonly SlashListing[] {
  const built = builtInCommands.map(({ name, description, argumentHint }) => ({
    name,
    description,
    argumentHint,
    source: "built in",
  }));
  const names = new Set(builtInCommands.flatMap(({ name, aliases = [] }) => [name, ...aliases]));
  return [...built, ...facts.slashCommands().filter(({ name }) => !names.has(name))];
}

interface BuiltInCommand {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly description: string;
  readonly argumentHint?: string;
  run(ports: SlashPorts, args: string): void;
}

const opening =
  (kind: Exclude<Dialog["kind"], "none" | "permission" | "transcript" | "diff">): BuiltInCommand["run"] =>
  ({ frontend }) =>
    frontend.store.setState((state) => openDialog(state, { kind }));

const builtInCommands: readonly BuiltInCommand[] = [
  { name: "help", description: "list keys and commands", run: opening("help") },
  {
    name: "agents",
    description: "list agents and agent types",
    run: opening("agents"),
  },
  {
    name: "background",
    aliases: ["bashes"],
    description: "list background jobs: view, stop, dismiss",
    run: opening("background"),
  },
  {
    name: "clear",
    aliases: ["new"],
    description: "start a new session; this one is kept",
    run({ frontend, facts }) {
      facts.setNext({ kind: "new" });
      leaveOrAsk(frontend);
    },
  },
  {
    name: "compact",
    description: "replace older turns by a summary",
    argumentHint: "[what to keep]",
    run({ frontend }, args) {
      void frontend.send({ type: "compact", ...(args !== "" && { instructions: args }) });
    },
  },
  { name: "cost", description: "tokens and cost so far, by agent and model", run: opening("cost") },
  {
    name: "diff",
    description: "show the files that this session changed",
    argumentHint: "[last | agent]",
    run: ({ frontend }, of) => frontend.store.setState((state) => openDialog(state, { kind: "diff", of })),
  },
  {
    name: "effort",
    aliases: ["thinking"],
    description: "set how much the model thinks: off, low, medium, high, max",
    argumentHint: "[level]",
    run: (ports, args) => void setEffort(ports, args),
  },
  { name: "exit", aliases: ["quit"], description: "leave", run: ({ frontend }) => leaveOrAsk(frontend) },
  { name: "hooks", description: "list the hooks", run: opening("hooks") },
  { name: "mcp", description: "list MCP servers; reconnect one", run: opening("mcp") },
  {
    name: "model",
    description: "switch to another model",
    argumentHint: "[name]",
    run(ports, args) {
      if (args === "") return opening("model")(ports, args);
      void setModel(ports.frontend, args);
    },
  },
  { name: "permissions", description: "show the permission mode and rules", run: opening("permissions") },
  {
    name: "rename",
    description: "name this session, for /resume and --resume",
    argumentHint: "NAME",
    run: ({ frontend }, args) => void renameSession(frontend, args),
  },
  {
    name: "resume",
    description: "resume an earlier session",
    run: opening("resume"),
  },
  {
    name: "rewind",
    aliases: ["undo", "checkpoint"],
    description: "go back to an earlier prompt: files, conversation or both",
    run: opening("rewind"),
  },
  {
    name: "tasks",
    description: "show or hide the task list",
    run: ({ frontend }) => frontend.store.setState(toggleTasks),
  },
  { name: "team", description: "list the team members and their states", run: opening("team") },
  {
    name: "transcript",
    description: "read and search the transcript",
    run: ({ frontend }) => frontend.store.setState((state) => openDialog(state, { kind: "transcript", back: 0 })),
  },
  {
    name: "trust",
    description: "review and trust the settings of this folder",
    run(ports, args) {
      const { frontend, facts } = ports;
      if (facts.trust) return opening("trust")(ports, args);
      const text = "This folder requests nothing that needs trust.";
      frontend.store.setState((state) => addNotice(state, { level: "info", text, until: frontend.now() + 5_000 }));
    },
  },
];

export async function setModel({ store, send, now }: SlashPorts["frontend"], model: string): Promise<void> {
  const ack = await send({ type: "set", model });
  if (!ack.ok) return;
  const until = now() + 5_000;
  store.setState((state) => addNotice(state, { level: "success", text: `Model: ${modelOf(state) ?? model}`, until }));
}

/** Sets the effort, or shows the current one without a level. */
export async function setEffort({ frontend: { store, send, now }, facts }: SlashPorts, level: string): Promise<void> {
  const effort = Effort.safeParse(level.toLowerCase());
  const show = (text: string, kind: "success" | "info" | "error") =>
    store.setState((state) => addNotice(state, { level: kind, text, until: now() + 5_000 }));
  if (level === "")
    return show(`Effort: ${facts.effort()}. Change it with /effort ${Effort.options.join("|")}.`, "info");
  if (!effort.success) return show(`There is no effort ${level}. Use ${Effort.options.join(", ")}.`, "error");
  const ack = await send({ type: "set", effort: effort.data });
  if (ack.ok) show(effort.data === "off" ? "Thinking is off." : `Effort: ${effort.data}`, "success");
}

/** Turns thinking off, or on with the default effort. */
export const toggleThinking = (ports: SlashPorts): void =>
  void setEffort(ports, ports.facts.effort() === "off" ? "medium" : "off");

async function renameSession({ store, send, now }: SlashPorts["frontend"], name: string): Promise<void> {
  const until = now() + 5_000;
  const show = (level: "success" | "info", text: string) =>
    store.setState((state) => addNotice(state, { level, text, until }));
  if (name === "") return show("info", "Give a name: /rename NAME");
  const named = name.slice(0, maxName);
  const ack = await send({ type: "session.rename", name: named });
  if (ack.ok) show("success", `Session: ${named}`);
}

const maxName = 100;

const modelOf = (state: AppState) => leadOf(state.session)?.model;
