import type { CallId, Event } from "../../protocol/index.ts";
import type { Screen } from "../screen.ts";

type Settled = Extract<Event, { type: "tool.settled" }>;

interface OpenCall {
  readonly name: string;
  readonly title: string;
  /** Another call ran at the same time. */
  beside: boolean;
  /** Its time is somebody's time to answer. */
  readonly asked: boolean;
}

/** Draws what a session does, event by event. */
export function drawSession(screen: Screen): (event: Event) => void {
  const { paint } = screen;
  const open = new Map<CallId, OpenCall>();
  const asked = new Set<CallId>();

  const drawers: Drawers = {
    "text.delta": ({ text }) => screen.words(text),
    "turn.ended": () => screen.endWords(),
    "tool.called": ({ callId, name, title }) => {
      for (const other of open.values()) other.beside = true;
      open.set(callId, { name, title, beside: open.size > 0, asked: asked.has(callId) });
      screen.passing(`  … ${title}`);
    },
    "tool.settled": (event) => {
      const call = open.get(event.callId);
      open.delete(event.callId);
      if (call) drawCall(screen, call, event);
    },
    "permission.asked": ({ question, callId }) => {
      asked.add(callId);
      screen.paragraph(question, { first: "  ? ", style: paint.yellow });
    },
    "permission.settled": ({ behavior }) =>
      screen.line(`    the demo answers: ${behavior === "allow" ? "yes" : "no"}`, paint.bold),
    "turn.failed": ({ failure }) => screen.paragraph(failure.message, { first: "  ✗ ", style: paint.red }),
    "notice.raised": ({ message }) => screen.paragraph(message, { first: "  ! ", style: paint.yellow }),
  };
  return (event) => (drawers[event.type] as ((event: Event) => void) | undefined)?.(event);
}

/** What has no drawer is not shown. */
type Drawers = { readonly [T in Event["type"]]?: (event: Extract<Event, { type: T }>) => void };

function drawCall(screen: Screen, call: OpenCall, settled: Settled): void {
  const { paint } = screen;
  const ok = settled.outcome === "ok";
  const facts = [
    ...(ok ? [] : [settled.outcome]),
    ...measureOf(settled),
    ...(call.asked ? [] : [duration(settled.durationMs)]),
    ...(call.beside ? ["side by side"] : []),
  ];
  screen.paragraph(facts.length === 0 ? call.title : `${call.title} (${facts.join(", ")})`, {
    first: ok ? "  ✓ " : "  ✗ ",
    mark: ok ? paint.green : paint.red,
  });
  if (settled.display?.kind === "diff") return drawDiff(screen, settled.display.patch);
  if (call.name === "Bash" || !ok) drawOutput(screen, textOf(settled), ok ? 3 : 5);
}

function measureOf(settled: Settled): string[] {
  const { display } = settled;
  if (display?.kind === "terminal") return display.exitCode === 0 ? [] : [`exit code ${display.exitCode}`];
  if (display?.kind === "summary") return [display.text];
  const lines = display?.kind === "diff" ? display.patch.split("\n") : textOf(settled).trimEnd().split("\n");
  if (display?.kind !== "diff") return [`${lines.length} lines`];
  const count = (sign: string) => lines.filter((line) => line.startsWith(sign)).length;
  return [`+${count("+")} -${count("-")}`];
}

function drawDiff(screen: Screen, patch: string): void {
  const { paint } = screen;
  for (const line of patch.split("\n")) {
    const style = line.startsWith("+") ? paint.green : line.startsWith("-") ? paint.red : paint.dim;
    screen.line(`    ${line}`, style);
  }
}

function drawOutput(screen: Screen, text: string, most: number): void {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  for (const line of lines.slice(0, most)) screen.line(`    ${line}`, screen.paint.dim);
  if (lines.length > most) screen.line(`    … ${lines.length - most} more lines`, screen.paint.dim);
}

const textOf = ({ content }: Settled) => content.map((part) => (part.type === "text" ? part.text : "")).join("\n");

const duration = (ms: number) => (ms < 100 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`);
