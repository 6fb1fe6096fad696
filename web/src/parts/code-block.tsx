import { Fragment, memo } from "react";
import { codeTokens, visibleLine, visibleText } from "../../../src/view/index.ts";
import "./code-block.css";

/** Longer code is not highlighted: each token is an element of the page. */
const maxCharacters = 30_000;

/** Code with basic highlighting if its language is known. */
export const CodeBlock = memo(function CodeBlock({ text, language }: { text: string; language?: string | undefined }) {
  const name = language?.trim().split(/\s/, 1)[0] ?? "";
  const lines = codeTokens(visibleText(text), text.length > maxCharacters ? "" : name);
  return (
    <figure className="code-block">
      {name !== "" && <figcaption>{visibleLine(name)}</figcaption>}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre tabIndex={0} role="group" aria-label={name === "" ? "Code" : `Code: ${visibleLine(name)}`}>
        <code>
          {lines.map((tokens, index) => (
            <Fragment key={index}>
              {index > 0 && "\n"}
              {tokens.map(({ kind, text: piece }, at) =>
                kind === "plain" ? (
                  piece
                ) : (
                  <span key={at} className={`code-${kind}`}>
                    {piece}
                  </span>
                ),
              )}
            </Fragment>
          ))}
        </code>
      </pre>
    </figure>
  );
});
