import type { ReactNode } from "react";
import {
  type ElicitField,
  elicitFieldsOf,
  type Question,
  parseFieldValue,
  visibleLine,
  visibleText,
} from "../../view/index.ts";
import { useFrontend, useKeys } from "../app-context.ts";
import { askerLine } from "./asker-line.ts";
import { editLine, emptyInput, inputText, type LineInput } from "../terminal/line-input.ts";
import { Panel, usePanelWidth } from "../panels/panel.tsx";
import { inputLines, type QuestionProps } from "./question-parts.ts";
import { type Line, plainLine, span, wrapLine } from "../terminal/terminal-lines.ts";
import { useLiveState } from "../use-live-state.ts";

export function ElicitDialog({ question, asker, waiting }: QuestionProps): ReactNode {
  const { send } = useFrontend();
  const width = usePanelWidth();
  const fields = elicitFieldsOf(question.input);
  const state = useLiveState<FormState>({ values: {}, at: 0, input: emptyInput, problem: undefined });

  const reply = (filled: FormState["values"]) =>
    void send({
      type: "permission.reply",
      requestId: question.requestId,
      answer: { behavior: "allow", scope: "once", input: filled },
    });
  const acceptField = () => {
    const { values, at, input } = state.get();
    const field = fields[at];
    if (!field) return reply(values);
    const found = parseFieldValue(field, inputText(input));
    if ("problem" in found) return state.set((before) => ({ ...before, problem: found.problem }));
    const filled = found.value === undefined ? values : { ...values, [field.name]: found.value };
    state.set(() => ({ values: filled, at: at + 1, input: emptyInput, problem: undefined }));
    if (at + 1 >= fields.length) reply(filled);
  };
  useKeys((key) => {
    if (key.name === "ctrl+c" || key.name === "ctrl+z") return false;
    if (key.name === "escape")
      void send({ type: "permission.reply", requestId: question.requestId, answer: { behavior: "deny" } });
    else if (key.name === "enter") acceptField();
    else state.set((before) => ({ ...before, input: editLine(before.input, key) }));
    return true;
  });

  const { values, at, input, problem } = state.get();
  const field = fields[at];
  const lines: Line[] = [
    ...askerLine(asker, { question, waiting, width }),
    [],
    ...wrapped(visibleText(messageOf(question)), width),
    [],
    ...fields
      .slice(0, at)
      .flatMap(({ name }) => wrapped(`${visibleLine(name)}: ${visibleLine(String(values[name] ?? ""))}`, width)),
    ...(field ? [...labelLines(field, width), ...inputLines(input, width)] : []),
    ...(problem === undefined ? [] : wrapLine([span(problem, { role: "error" })], width)),
    ...wrapLine([span("Enter to answer, Esc to decline", { dim: true })], width),
  ];
  return <Panel lines={lines} border={{ role: "accent" }} />;
}

type Value = string | number | boolean | string[];

interface FormState {
  readonly values: Readonly<Record<string, Value>>;
  readonly at: number;
  readonly input: LineInput;
  readonly problem: string | undefined;
}

const wrapped = (text: string, width: number): Line[] =>
  text.split("\n").flatMap((line) => wrapLine(plainLine(line), width));

function labelLines({ name, about, isRequired, choices }: ElicitField, width: number): Line[] {
  const kind = isRequired ? "" : " (optional)";
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
