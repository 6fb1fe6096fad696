import { visibleLine, visibleText } from "../../../../src/protocol/index.ts";
import type { Draft } from "../../../../src/view/index.ts";
import { formatDuration } from "../../parts/format-amounts.ts";
import { Markdown } from "../../parts/markdown.tsx";

/** The partial answer of the current turn. */
export function DraftRow({ draft }: { draft: Draft }) {
  const { thinking, text, tool } = draft;
  return (
    <article className="draft" aria-busy="true">
      {thinking !== "" && (
        <pre className="thinking-text" data-live>
          {visibleText(thinking.slice(-maxThinking))}
        </pre>
      )}
      {text !== "" && <Markdown text={text} />}
      {tool && (
        <p className="draft-tool">
          <strong>{visibleLine(tool.name)}</strong> <code>{visibleLine(tool.inputJson.slice(-maxInput))}</code>
        </p>
      )}
      <p className="draft-phase soft">{phaseText(draft)}</p>
    </article>
  );
}

/** Only the end of long thinking or input is shown. */
const maxThinking = 1_500;
const maxInput = 300;

function phaseText({ phase, tool }: Draft): string {
  switch (phase.kind) {
    case "requested":
      return "Waiting for the model…";
    case "thinking":
      return "Thinking…";
    case "text":
      return "Writing…";
    case "tool":
      return `Writing a call of ${visibleLine(tool?.name ?? "a tool")}…`;
    case "waiting":
      return `Waiting: ${visibleLine(phase.reason)}`;
    case "retrying":
      return `The answer was interrupted (${visibleLine(phase.failure.message)}); attempt ${phase.attempt} in ${formatDuration(phase.delayMs)}`;
  }
}
