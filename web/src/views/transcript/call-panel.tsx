import { createContext, useContext, useEffect, useMemo, useRef } from "react";
import { type CallId, visibleLine, visibleText } from "../../../../src/protocol/index.ts";
import { type AgentView, type CallItem, itemsOf, type Question } from "../../../../src/view/index.ts";
import { diffRows } from "../../parts/diff-rows.ts";
import { Diff } from "../../parts/diff.tsx";
import { formatClock, formatCount, formatDuration, formatMoney } from "../../parts/format-amounts.ts";
import { Icon } from "../../parts/icon.tsx";
import { partText } from "./prompt-text.ts";

/** The call in the panel beside the transcript, and the open questions by their calls. */
export interface CallSelection {
  readonly selected: CallId | undefined;
  select(callId: CallId | undefined): void;
  readonly questions: ReadonlyMap<CallId, Question>;
}

export const CallSelectionContext = createContext<CallSelection>({
  selected: undefined,
  select: () => undefined,
  questions: new Map(),
});

/** Everything about one call: input, output, time, and the tokens and the cost of the answer that asked for it. */
export function CallPanel({ agent }: { agent: AgentView }) {
  const { selected, select } = useContext(CallSelectionContext);
  const { transcript } = agent;
  const call = useMemo(
    () => (selected === undefined ? undefined : callIn(transcript, selected)),
    [transcript, selected],
  );
  const panel = useRef<HTMLElement>(null);
  useEffect(() => panel.current?.focus(), [selected]);
  if (!call) return null;
  const { result, answer } = call;
  const patch = result?.display?.kind === "diff" ? result.display.patch : undefined;
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex, jsx-a11y/no-noninteractive-element-interactions
    <aside
      ref={panel}
      className="call-panel"
      aria-label={`Call of ${visibleLine(call.name)}`}
      tabIndex={-1}
      onKeyDown={(event) => event.key === "Escape" && select(undefined)}
    >
      <header>
        <h3>{visibleLine(call.name)}</h3>
        <span className="tag">{call.state}</span>
        <button type="button" className="icon" aria-label="Close the panel" onClick={() => select(undefined)}>
          <Icon name="close" />
        </button>
      </header>
      <dl className="call-figures">
        <Figure name="Started">{formatClock(call.at)}</Figure>
        {result && <Figure name="Took">{formatDuration(result.durationMs)}</Figure>}
        <Figure name="Turn">{call.turn}</Figure>
        {answer && (
          <>
            <Figure name="Answer took">{formatDuration(answer.durationMs)}</Figure>
            <Figure name="Tokens in">
              {formatCount(answer.usage.inputTokens + answer.usage.cacheReadTokens + answer.usage.cacheWriteTokens)}
            </Figure>
            <Figure name="Tokens out">{formatCount(answer.usage.outputTokens)}</Figure>
            <Figure name="Cost of the answer">{answer.costUsd > 0 ? formatMoney(answer.costUsd) : "no price"}</Figure>
          </>
        )}
      </dl>
      <Block title="Input" text={textOf(call.input)} />
      {patch !== undefined && <Diff rows={diffRows(patch)} label={`Change: ${visibleLine(call.title)}`} />}
      {result && <Block title="Output" text={result.content.map(partText).join("\n")} />}
      {result?.savedTo !== undefined && <p className="soft">The full output is in {visibleLine(result.savedTo)}</p>}
      {!result && call.progress !== "" && <Block title="Output so far" text={call.progress} />}
    </aside>
  );
}

function Figure({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

const maxCharacters = 100_000;

function Block({ title, text }: { title: string; text: string }) {
  return (
    <section>
      <h4>{title}</h4>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre tabIndex={0} aria-label={title}>
        {text.trim() === "" ? "(nothing)" : visibleText(text).slice(0, maxCharacters)}
      </pre>
    </section>
  );
}

/** Strings of an object stay readable: line breaks are not escaped. */
function textOf(input: unknown): string {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return JSON.stringify(input, null, 2) ?? "";
  return Object.entries(input)
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value, null, 2)}`)
    .join("\n");
}

function callIn(transcript: AgentView["transcript"], callId: CallId): CallItem | undefined {
  for (const item of itemsOf(transcript)) if (item.kind === "call" && item.callId === callId) return item;
  return undefined;
}
