import { type ReactNode, useState } from "react";
import type { Question } from "../view/index.ts";
import { visibleLine, visibleText } from "../view/index.ts";
import { useFace, useKeys } from "./app-context.ts";
import { askerLine } from "./asker-line.ts";
import { type Field, fieldsOf, valueOf } from "./elicit-fields.ts";
import { editLine, emptyInput, inputText } from "./line-input.ts";
import { Panel, usePanelWidth } from "./panel.tsx";
import { inputLine, type QuestionProps, useArmed } from "./question-parts.ts";
import { type Line, plainLine, span, wrapLine } from "./terminal-lines.ts";

/** A server's question to the user: something is filled in, and nothing is allowed by it. */
export const isElicitation = ({ tool, input }: Question): boolean =>
  /^mcp__/.test(tool) &&
  typeof input === "object" &&
  input !== null &&
  "requestedSchema" in input &&
  "message" in input;

export function ElicitDialog({ question, asker, waiting }: QuestionProps): ReactNode {
  const { send } = useFace();
  const width = usePanelWidth();
  const isArmed = useArmed();
  const fields = fieldsOf(question.input);
  const [values, setValues] = useState<Readonly<Record<string, Value>>>({});
  const [at, setAt] = useState(0);
  const [input, setInput] = useState(emptyInput);
  const [problem, setProblem] = useState<string>();
  const field = fields[at];

  const reply = (filled: Readonly<Record<string, Value>>) =>
    void send({
      type: "permission.reply",
      requestId: question.requestId,
      answer: { behavior: "allow", scope: "once", input: filled },
    });
  const take = () => {
    if (!field) return reply(values);
    const found = valueOf(field, inputText(input));
    if ("problem" in found) return setProblem(found.problem);
    const filled = found.value === undefined ? values : { ...values, [field.name]: found.value };
    setValues(filled);
    setProblem(undefined);
    setInput(emptyInput);
    if (at + 1 < fields.length) setAt(at + 1);
    else reply(filled);
  };
  useKeys((key) => {
    if (key.name === "ctrl+c" || key.name === "ctrl+z") return false;
    if (!isArmed) return true;
    if (key.name === "escape")
      void send({ type: "permission.reply", requestId: question.requestId, answer: { behavior: "deny" } });
    else if (key.name === "enter") take();
    else setInput((before) => editLine(before, key));
    return true;
  });

  const lines: Line[] = [
    ...askerLine(asker, { question, waiting, width }),
    [],
    ...wrapped(visibleText(messageOf(question)), width),
    [],
    ...fields
      .slice(0, at)
      .flatMap(({ name }) => wrapped(`${visibleLine(name)}: ${visibleLine(String(values[name] ?? ""))}`, width)),
    ...(field ? [...labelLines(field, width), inputLine(input)] : []),
    ...(problem === undefined ? [] : wrapLine([span(problem, { role: "error" })], width)),
    ...wrapLine([span(isArmed ? "Enter answers, Esc declines" : "…", { dim: true })], width),
  ];
  return <Panel lines={lines} border={{ role: "accent" }} />;
}

type Value = string | number | boolean | string[];

const wrapped = (text: string, width: number): Line[] =>
  text.split("\n").flatMap((line) => wrapLine(plainLine(line), width));

function labelLines({ name, about, isRequired, choices }: Field, width: number): Line[] {
  const kind = isRequired ? "" : " (may be left empty)";
  const offered = choices.length === 0 ? "" : ` One of: ${choices.map(visibleLine).join(", ")}`;
  return wrapLine(
    [
      span(visibleLine(name), { bold: true }),
      span(`${about === "" ? "" : `: ${visibleLine(about)}`}${offered}${kind}`),
    ],
    width,
  );
}

function messageOf({ input }: Question): string {
  const message = typeof input === "object" && input !== null && "message" in input ? input.message : undefined;
  return typeof message === "string" ? message : "";
}
