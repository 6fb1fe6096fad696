import { visibleText } from "../../../../src/protocol/index.ts";
import { mailIn, notificationText, type PromptItem } from "../../../../src/view/index.ts";
import { Markdown } from "../../parts/markdown.tsx";
import { displayName } from "../../state/roster.ts";
import { Foldable } from "./foldable.tsx";
import { partText } from "./prompt-text.ts";
import { Time } from "./time.tsx";

/** A prompt to the agent. User text, mail and runtime messages look different. */
export function PromptRow({ item, foldKey, isWaiting }: { item: PromptItem; foldKey: string; isWaiting: boolean }) {
  const text = item.parts.map(partText).join("\n").trim();
  const waiting = isWaiting && <span className="tag">not read yet</span>;
  switch (item.source) {
    case "user":
      return (
        <article className="prompt" data-source="user">
          <p className="prompt-head">
            <strong>User</strong> {waiting} <Time at={item.at} />
          </p>
          <Long text={visibleText(text)} foldKey={foldKey} />
        </article>
      );
    case "mail": {
      const { from, words, color } = mailIn(text);
      const isReport = /^\S+ is idle\.|^Task #\d+: /m.test(text);
      if (isReport && !isWaiting) return <Report {...{ item, foldKey, from, words, color }} />;
      return (
        <article className="prompt" data-source="mail" data-color={color}>
          <p className="prompt-head">
            <span aria-hidden="true">✉</span> Mail from <strong className="prompt-from">{displayName(from)}</strong>{" "}
            {waiting} <Time at={item.at} />
          </p>
          <Markdown text={words} />
        </article>
      );
    }
    case "background":
    case "hook":
    case "agent": {
      const words = visibleText(notificationText(text));
      const [first = ""] = words.split("\n", 1);
      return (
        <div className="signal">
          <Foldable
            foldKey={foldKey}
            isOpenAtFirst={false}
            summary={
              <span className="one-line">
                {sources[item.source]}: {first.slice(0, 200)}
              </span>
            }
          >
            {() => <pre>{visibleText(text)}</pre>}
          </Foldable>
        </div>
      );
    }
  }
}

interface ReportProps {
  readonly item: PromptItem;
  readonly foldKey: string;
  readonly from: string;
  readonly words: string;
  readonly color: string | undefined;
}

/** The report of an agent in one line: who, and the last line of what it said. */
function Report({ item, foldKey, from, words, color }: ReportProps) {
  const lines = visibleText(words)
    .split("\n")
    .filter((line) => line.trim() !== "" && !/^(\S+ is idle\.|Its last answer:)$/.test(line));
  return (
    <div className="signal report" data-color={color}>
      <Foldable
        foldKey={foldKey}
        isOpenAtFirst={false}
        summary={
          <span className="one-line">
            <strong className="prompt-from">{displayName(from)}</strong> reports: {lines.at(-1)?.slice(0, 200)}
          </span>
        }
      >
        {() => (
          <>
            <Time at={item.at} />
            <Markdown text={words} />
          </>
        )}
      </Foldable>
    </div>
  );
}

const sources = { background: "From a background job", hook: "From a hook", agent: "From the runtime" } as const;

const maxLines = 25;

function Long({ text, foldKey }: { text: string; foldKey: string }) {
  const lines = text.split("\n");
  if (lines.length <= maxLines) return <p className="prompt-words">{text}</p>;
  return (
    <>
      <p className="prompt-words">{lines.slice(0, maxLines - 5).join("\n")}</p>
      <Foldable foldKey={foldKey} isOpenAtFirst={false} summary={`${lines.length - maxLines + 5} more lines`}>
        {() => <p className="prompt-words">{lines.slice(maxLines - 5).join("\n")}</p>}
      </Foldable>
    </>
  );
}
