import { memo, type ReactNode } from "react";
import { visibleText } from "../../../../src/protocol/index.ts";
import type { TranscriptItem } from "../../../../src/view/index.ts";
import { formatCount, formatDuration, formatMoney } from "../../parts/format-amounts.ts";
import { Markdown } from "../../parts/markdown.tsx";
import { CallRow } from "./call-row.tsx";
import { Foldable } from "./foldable.tsx";
import { PromptRow } from "./prompt-row.tsx";
import { Time } from "./time.tsx";

interface Props {
  readonly item: TranscriptItem;
  readonly foldKey: string;
  /** True for a prompt that is not in the conversation yet. */
  readonly isWaiting?: boolean;
}

/** One entry of a transcript. */
export const ItemRow = memo(function ItemRow({ item, foldKey, isWaiting = false }: Props): ReactNode {
  switch (item.kind) {
    case "prompt":
      return <PromptRow item={item} foldKey={foldKey} isWaiting={isWaiting} />;
    case "text":
      return (
        <article className="said">
          <Time at={item.at} />
          <Markdown text={item.text} />
        </article>
      );
    case "thinking":
      return <Thinking item={item} foldKey={foldKey} />;
    case "call":
      return <CallRow call={item} foldKey={foldKey} />;
    case "notice":
      if (item.code === "command_output") return <Markdown text={item.message} />;
      return <Remark level={item.level}>{visibleText(item.message)}</Remark>;
    case "failure":
      return <Remark level="error">The model gave no answer: {visibleText(item.failure.message)}</Remark>;
    case "compaction":
      return (
        <Foldable
          foldKey={foldKey}
          isOpenAtFirst={false}
          summary={`The conversation was compacted (${formatCount(item.tokensBefore)} tokens): a summary replaces older turns`}
        >
          {() => <Markdown text={item.summary} />}
        </Foldable>
      );
    case "summary":
      return (
        <Foldable foldKey={foldKey} isOpenAtFirst summary="So far">
          {() => <Markdown text={item.text} />}
        </Foldable>
      );
    case "idle":
      return (
        <Remark level={item.reason === "failed" ? "error" : "warning"}>{idleText(item.reason, item.detail)}</Remark>
      );
    case "done":
      return (
        <Remark level="info">
          Done after {formatDuration(item.durationMs)}
          {item.costUsd > 0 && ` · ${formatMoney(item.costUsd)}`}
        </Remark>
      );
    case "stopped":
      return (
        <Remark level={item.outcome === "completed" ? "info" : "warning"}>
          Ended ({item.outcome}){item.detail === undefined ? "" : `: ${visibleText(item.detail)}`}
        </Remark>
      );
  }
});

function Remark({ level, children }: { level: "info" | "warning" | "error"; children: ReactNode }) {
  return (
    <p className="remark" data-level={level}>
      <span className="remark-mark" aria-hidden="true">
        {level === "info" ? "·" : "!"}
      </span>
      <span>{children}</span>
    </p>
  );
}

function Thinking({ item, foldKey }: { item: Extract<TranscriptItem, { kind: "thinking" }>; foldKey: string }) {
  const text = visibleText(item.text).trim();
  if (text === "") return item.redacted ? <p className="thinking soft">Thinking (hidden by the provider)</p> : null;
  const first = text.split("\n", 1)[0] ?? "";
  return (
    <div className="thinking">
      <Foldable
        foldKey={foldKey}
        isOpenAtFirst={false}
        summary={<span className="one-line">Thought: {first.slice(0, 200)}</span>}
      >
        {() => <pre className="thinking-text">{text}</pre>}
      </Foldable>
    </div>
  );
}

function idleText(reason: string, detail: string | undefined): string {
  const more = detail === undefined || detail === "" ? "" : `: ${visibleText(detail)}`;
  if (reason === "interrupted") return `Interrupted${more}`;
  return reason === "limit" ? `Stopped at a limit${more}` : `Could not continue${more}`;
}
