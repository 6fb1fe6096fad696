import type { ReactNode } from "react";
import { visibleLine, visibleText } from "../../../../src/protocol/index.ts";
import { type Question, questionText } from "../../../../src/view/index.ts";
import { changeRows, diffRows, type DiffRow } from "../../parts/diff-rows.ts";
import { Diff } from "../../parts/diff.tsx";
import { Markdown } from "../../parts/markdown.tsx";

/** Longer requests cannot be reviewed: they can only be denied. */
const maxLines = 5_000;

export const tooLong = ({ input, patch }: Question): boolean =>
  [...Object.values(fieldsIn(input)), patch ?? ""].some(
    (value) => text(value).split("\n").length > maxLines || text(value).length > 400_000,
  );

/** The complete and exact request: the user must be able to see all of it before approving. */
export function QuestionBody({ question }: { question: Question }): ReactNode {
  const input = fieldsIn(question.input);
  switch (question.tool) {
    case "Bash": {
      const { command, ...others } = input;
      return (
        <>
          <Exact label="Command" value={text(command)} />
          <Fields fields={others} />
        </>
      );
    }
    case "Edit": {
      const { file_path: path, old_string: before, new_string: after, ...others } = input;
      return (
        <>
          <Path path={text(path)} />
          <Diff
            rows={changeRows(text(before), text(after), question.around)}
            label={`Change of ${visibleLine(text(path))}`}
          />
          <Others count={question.around?.others ?? 0} />
          <Fields fields={others} />
        </>
      );
    }
    case "Write": {
      const { file_path: path, content, ...others } = input;
      return (
        <>
          <Path path={text(path)} />
          {question.patch !== undefined ? (
            <>
              <p className="approval-obstacle">This replaces the existing file.</p>
              <Diff rows={diffRows(question.patch)} label={`Change of ${visibleLine(text(path))}`} />
            </>
          ) : text(content) === "" ? (
            <p className="soft">(the file is emptied)</p>
          ) : (
            <Diff rows={writtenRows(text(content))} label={`Content of ${visibleLine(text(path))}`} />
          )}
          <Fields fields={others} />
        </>
      );
    }
    case "AskUserQuestion":
      return <Options options={input["options"]} />;
    case "ExitPlanMode": {
      const { plan, ...others } = input;
      return (
        <>
          <div className="approval-plan">
            <Markdown text={text(plan)} />
          </div>
          <Fields fields={others} />
        </>
      );
    }
    default:
      return <Fields fields={input} />;
  }
}

/** The consequences of each answer. The answers themselves are the buttons below. */
function Options({ options }: { options: unknown }) {
  const described = (Array.isArray(options) ? options : []).map(fieldsIn).filter((option) => option["description"]);
  if (described.length === 0) return null;
  return (
    <ul className="soft">
      {described.map((option, index) => (
        <li key={index}>
          {visibleLine(text(option["label"]))}: {visibleText(text(option["description"]))}
        </li>
      ))}
    </ul>
  );
}

/** The question's text, if it says more than is shown anyway. */
export function reasonOf(question: Question): string {
  if (question.tool === "ExitPlanMode") return "";
  const { description, place } = questionText(question);
  return visibleText([description, place].filter((part) => part !== "").join(" "));
}

function Exact({ label, value }: { label: string; value: string }) {
  const shown = exact(value);
  return (
    <>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre className="approval-exact" tabIndex={0} role="group" aria-label={label}>
        {shown.split("\n").map((line, index) => (
          <span key={index} className="approval-line">
            <Marked text={line} />
            {"\n"}
          </span>
        ))}
      </pre>
      {shown !== value && <p className="approval-hidden">This contains invisible characters. They are marked.</p>}
    </>
  );
}

/** Highlights the marks of invisible characters. */
function Marked({ text: line }: { text: string }) {
  return line.split(marks).map((piece, index) => (index % 2 === 1 ? <mark key={index}>{piece}</mark> : piece));
}

const marks = /(\[U\+[\dA-F]{4,6}\]|[\u2400-\u2421])/u;

function Others({ count }: { count: number }) {
  if (count === 0) return null;
  const places = count === 1 ? "place" : "places";
  return (
    <p className="approval-hidden">
      The same change in {count} more {places} of the file.
    </p>
  );
}

function Path({ path }: { path: string }) {
  return (
    <p className="approval-path">
      <code>{visibleLine(path)}</code>
    </p>
  );
}

function writtenRows(content: string): readonly DiffRow[] {
  const lines = content.split("\n");
  const isWhole = lines.at(-1) === "";
  const rows = (isWhole ? lines.slice(0, -1) : lines).map(
    (line): DiffRow => ({ kind: "added", number: undefined, text: line }),
  );
  return isWhole ? rows : [...rows, { kind: "note", number: undefined, text: "(no line break at the end)" }];
}

/** All fields with their names. */
function Fields({ fields }: { fields: Readonly<Record<string, unknown>> }) {
  const shown = Object.entries(fields).filter(([, value]) => value !== undefined);
  if (shown.length === 0) return null;
  return (
    <dl className="approval-fields">
      {shown.map(([name, value]) => (
        <div key={name}>
          <dt>{visibleLine(name)}</dt>
          <dd>
            <Marked text={exact(typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? ""))} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Shows every character, including line ends. */
const exact = (words: string): string => visibleText(words.replaceAll("\r", "\u240d"));

const text = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));

function fieldsIn(input: unknown): Readonly<Record<string, unknown>> {
  if (typeof input === "object" && input !== null && !Array.isArray(input)) return { ...input };
  return { input };
}
