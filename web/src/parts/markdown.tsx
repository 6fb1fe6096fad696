import { lexer, type MarkedToken, type Token, type Tokens } from "marked";
import { Fragment, memo, type ReactNode, useMemo } from "react";
import { decodeHtmlEntities, isMarkdown, visibleLine, visibleText } from "../../../src/view/index.ts";
import { CodeBlock } from "./code-block.tsx";
import { TextLink } from "./text-link.tsx";
import "./markdown.css";

/** An agent's text as Markdown, rendered as text nodes and our own elements. It is never interpreted as HTML. */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  const tokens = useMemo(() => (isMarkdown(text) ? lexer(text) : undefined), [text]);
  if (!tokens) return <pre className="md">{visibleText(text)}</pre>;
  return <div className="md">{blocks(tokens)}</div>;
});

const blocks = (tokens: readonly Token[]): ReactNode =>
  tokens.map((token, index) => <Block key={index} token={token as MarkedToken} />);

function Block({ token }: { token: MarkedToken }): ReactNode {
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "heading":
      // Not real headings: an agent's text must not appear in the page outline.
      return (
        <p className="md-heading" data-depth={token.depth}>
          {inline(token.tokens)}
        </p>
      );
    case "paragraph":
      return <p>{inline(token.tokens)}</p>;
    case "code":
      return <CodeBlock text={token.text} language={token.lang} />;
    case "blockquote":
      return <blockquote>{blocks(token.tokens)}</blockquote>;
    case "list":
      return <List token={token} />;
    case "list_item":
      return <li>{blocks(token.tokens)}</li>;
    case "table":
      return <Table token={token} />;
    case "hr":
      return <hr />;
    case "html":
      return <p>{visibleText(token.raw.trimEnd())}</p>;
    case "text":
      return token.tokens ? <span className="md-line">{inline(token.tokens)}</span> : words(token.text);
    case "checkbox":
    case "br":
    case "codespan":
    case "del":
    case "em":
    case "escape":
    case "image":
    case "link":
    case "strong":
      return <Inline token={token} />;
  }
}

function List({ token }: { token: Tokens.List }) {
  const items = token.items.map((item, index) => (
    <li key={index} className={item.task ? "md-task" : undefined}>
      {blocks(item.tokens)}
    </li>
  ));
  return token.ordered ? <ol start={token.start === "" ? 1 : token.start}>{items}</ol> : <ul>{items}</ul>;
}

function Table({ token }: { token: Tokens.Table }) {
  return (
    // It may be wider than the page: then it is moved by itself, with the keyboard too.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="md-table" tabIndex={0} role="group" aria-label="Table">
      <table>
        <thead>
          <tr>
            {token.header.map((cell, index) => (
              <th key={index} data-align={cell.align ?? undefined}>
                {inline(cell.tokens)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {token.rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={column} data-align={cell.align ?? undefined}>
                  {inline(cell.tokens)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const inline = (tokens: readonly Token[]): ReactNode =>
  tokens.map((token, index) => <Inline key={index} token={token as MarkedToken} />);

function Inline({ token }: { token: MarkedToken }): ReactNode {
  switch (token.type) {
    case "text":
      return token.tokens ? inline(token.tokens) : words(token.text);
    case "escape":
      return words(token.text);
    case "strong":
      return <strong>{inline(token.tokens)}</strong>;
    case "em":
      return <em>{inline(token.tokens)}</em>;
    case "del":
      return <del>{inline(token.tokens)}</del>;
    case "codespan":
      return <code>{visibleText(token.text)}</code>;
    case "br":
      return <br />;
    case "checkbox":
      return (
        <span aria-label={token.checked ? "done" : "not done"} role="img">
          {token.checked ? "☑ " : "☐ "}
        </span>
      );
    case "link":
      return (
        <TextLink href={decodeHtmlEntities(token.href)} said={token.text}>
          {inline(token.tokens)}
        </TextLink>
      );
    case "image":
      return (
        <>
          [image: {words(token.text)}] <TextLink href={decodeHtmlEntities(token.href)} said="" />
        </>
      );
    case "html":
      return visibleText(token.raw);
    case "blockquote":
    case "code":
    case "def":
    case "heading":
    case "hr":
    case "list":
    case "list_item":
    case "paragraph":
    case "space":
    case "table":
      return <Fragment>{visibleLine(token.raw)}</Fragment>;
  }
}

const words = (text: string): string => visibleText(decodeHtmlEntities(text));
