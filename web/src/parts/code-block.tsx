import { memo } from "react";
import { visibleLine, visibleText } from "../../../src/protocol/index.ts";
import { codeTokens } from "./code-tokens.ts";
import "./code-block.css";

/** Code with basic highlighting if its language is known. */
export const CodeBlock = memo(function CodeBlock({ text, language }: { text: string; language?: string | undefined }) {
  const name = language?.trim().split(/\s/, 1)[0] ?? "";
  return (
    <figure className="code-block">
      {name !== "" && <figcaption>{visibleLine(name)}</figcaption>}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre tabIndex={0} role="group" aria-label={name === "" ? "Code" : `Code: ${visibleLine(name)}`}>
        <code>
          {codeTokens(visibleText(text), name).map(({ kind, text: piece }, index) =>
            kind === "plain" ? (
              piece
            ) : (
              <span key={index} className={`code-${kind}`}>
                {piece}
              </span>
            ),
          )}
        </code>
      </pre>
    </figure>
  );
});
