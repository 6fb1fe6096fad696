import { useContext, useMemo } from "react";
import { visibleLine, visibleText } from "../../../../src/protocol/index.ts";
import type { CallItem, CallResult } from "../../../../src/view/index.ts";
import { formatDuration } from "../../parts/format-amounts.ts";
import { diffCounts, diffRows } from "../../parts/diff-rows.ts";
import { Diff } from "../../parts/diff.tsx";
import { Icon } from "../../parts/icon.tsx";
import { hrefOf } from "../../route.ts";
import { useNavigation } from "../../state/navigation.ts";
import { CallSelectionContext } from "./call-panel.tsx";
import { Foldable } from "./foldable.tsx";
import { partText } from "./prompt-text.ts";

/** A call and its result. Changes and failures are shown; everything else is folded. */
export function CallRow({ call, foldKey }: { call: CallItem; foldKey: string }) {
  const { result, state } = call;
  const patch = state === "ok" && result?.display?.kind === "diff" ? result.display.patch : undefined;
  const rows = useMemo(() => (patch === undefined ? undefined : diffRows(patch)), [patch]);
  const isOpen = rows !== undefined || state === "failed" || (state === "running" && call.progress !== "");
  const title = visibleText(call.title === "" ? call.name : call.title);
  const [firstLine = ""] = title.split("\n", 1);
  const { selected, select, questions } = useContext(CallSelectionContext);
  const question = questions.get(call.callId);
  const { route } = useNavigation();
  return (
    <article
      className="call"
      data-state={question ? "waits" : state}
      data-selected={selected === call.callId || undefined}
    >
      <button
        type="button"
        className="icon call-open"
        aria-label={`Details of ${visibleLine(call.name)}`}
        title="Input, output, time, tokens and cost"
        onClick={() => select(selected === call.callId ? undefined : call.callId)}
      >
        <Icon name="panel" />
      </button>
      <Foldable
        foldKey={foldKey}
        isOpenAtFirst={isOpen}
        summary={
          <>
            <span className="call-state" title={stateLabels[state]}>
              <span aria-hidden="true">{stateMarks[state]}</span>
              <span className="unseen">{stateLabels[state]}</span>
            </span>
            <span className="call-name">{visibleLine(call.name)}</span>
            {firstLine !== call.name && <code className="call-title">{withoutName(firstLine, call.name)}</code>}
            {question && firstLine === call.name && (
              <code className="call-title">{visibleLine(askedText(call.input))}</code>
            )}
            <span className="call-came">{question ? "waits for your answer" : resultText(call)}</span>
          </>
        }
      >
        {() => (
          <>
            {rows === undefined && <Input call={call} />}
            {rows && <Diff rows={rows} label={`Change: ${firstLine}`} />}
            {result && rows === undefined && <Output result={result} foldKey={`${foldKey} output`} />}
            {state === "running" && call.progress !== "" && (
              <pre className="call-output">{visibleText(call.progress)}</pre>
            )}
          </>
        )}
      </Foldable>
      {question && route.kind === "session" && (
        <a className="call-answer" href={hrefOf(route.session, "approvals")}>
          Answer
        </a>
      )}
    </article>
  );
}

/** The subject of a call that has no title yet: the first text of its input. */
function askedText(input: unknown): string {
  if (typeof input !== "object" || input === null) return "";
  const [first = ""] = Object.values(input).filter((value): value is string => typeof value === "string");
  return first.slice(0, 200);
}

const stateMarks: Readonly<Record<CallItem["state"], string>> = {
  asked: "○",
  running: "◌",
  ok: "✓",
  failed: "✗",
  denied: "⊘",
  interrupted: "◼",
};

const stateLabels: Readonly<Record<CallItem["state"], string>> = {
  asked: "asked for",
  running: "running",
  ok: "done",
  failed: "failed",
  denied: "denied",
  interrupted: "interrupted",
};

/** Removes the tool's name, which is shown before the title. */
const withoutName = (title: string, name: string): string =>
  title.startsWith(`${name} `) ? title.slice(name.length + 1) : title;

function resultText({ state, result }: CallItem): string {
  if (!result) return state === "running" ? "running" : state === "asked" ? "" : stateLabels[state];
  const time = result.durationMs >= 100 ? formatDuration(result.durationMs) : "";
  return [outcomeText(result, state), time].filter((word) => word !== "").join(" · ");
}

function outcomeText({ display, content }: CallResult, state: CallItem["state"]): string {
  if (state !== "ok" && display?.kind !== "terminal") return stateLabels[state];
  switch (display?.kind) {
    case "diff": {
      const { added, removed } = diffCounts(diffRows(display.patch));
      return `+${added} −${removed}`;
    }
    case "terminal":
      return display.signal === null
        ? display.exitCode === 0
          ? ""
          : `exit ${display.exitCode ?? "?"}`
        : visibleLine(display.signal);
    case "summary":
      return visibleLine(display.text.split("\n", 1)[0]?.slice(0, 80) ?? "");
    case undefined: {
      const lines = content.map(partText).join("\n").trimEnd().split("\n").length;
      return lines > 1 ? `${lines} lines` : "";
    }
  }
}

/** The input of the call, if the title does not show all of it. */
function Input({ call: { input, title } }: { call: CallItem }) {
  const fields =
    typeof input === "object" && input !== null && !Array.isArray(input)
      ? Object.entries(input)
      : [["input", input] as const];
  const shown = fields.filter(
    ([, value]) => value !== undefined && !(typeof value === "string" && title.includes(value)),
  );
  if (shown.length === 0) return null;
  return (
    <dl className="call-input">
      {shown.map(([name, value]) => (
        <div key={name}>
          <dt>{visibleLine(name)}</dt>
          <dd>
            {visibleText(typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "")).slice(
              0,
              maxCharacters,
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

const maxLines = 30;
const maxCharacters = 100_000;

function Output({ result, foldKey }: { result: CallResult; foldKey: string }) {
  const text = visibleText(result.content.map(partText).join("\n").replace(/\s+$/, ""));
  if (text === "") return <p className="call-output soft">(nothing)</p>;
  const lines = text.split("\n");
  const isLong = lines.length > maxLines + 5;
  return (
    <>
      <pre className="call-output">{(isLong ? lines.slice(0, maxLines).join("\n") : text).slice(0, maxCharacters)}</pre>
      {isLong && (
        <Foldable foldKey={foldKey} isOpenAtFirst={false} summary={`${lines.length - maxLines} more lines`}>
          {() => <pre className="call-output">{lines.slice(maxLines).join("\n").slice(0, maxCharacters)}</pre>}
        </Foldable>
      )}
      {result.savedTo !== undefined && <p className="soft">The full output is in {visibleLine(result.savedTo)}</p>}
    </>
  );
}
