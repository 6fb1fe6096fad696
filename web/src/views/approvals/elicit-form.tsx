import { useState } from "react";
import { type PermissionAnswer, visibleLine, visibleText } from "../../../../src/protocol/index.ts";
import { type ElicitField, elicitFieldsOf, parseFieldValue, type Question } from "../../../../src/view/index.ts";

interface Props {
  readonly question: Question;
  readonly isDisabled: boolean;
  readonly onAnswer: (answer: PermissionAnswer) => void;
}

/** An MCP server's question to the user: the user fills in a form, and nothing is allowed by it. */
export function ElicitForm({ question, isDisabled, onAnswer }: Props) {
  const fields = elicitFieldsOf(question.input);
  const [written, setWritten] = useState<Readonly<Record<string, string>>>({});
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({});
  const submit = () => {
    const filled = fields.map((field) => [field.name, parseFieldValue(field, written[field.name] ?? "")] as const);
    const wrong = filled.flatMap(([name, value]) => ("problem" in value ? [[name, value.problem] as const] : []));
    setProblems(Object.fromEntries(wrong));
    if (wrong.length > 0) return;
    const input = Object.fromEntries(
      filled.flatMap(([name, value]) => ("value" in value && value.value !== undefined ? [[name, value.value]] : [])),
    );
    onAnswer({ behavior: "allow", scope: "once", input });
  };
  return (
    <form
      className="elicit"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <p className="elicit-message">{visibleText(messageOf(question))}</p>
      {fields.map((field) => (
        <FieldInput
          key={field.name}
          id={`${question.requestId}-${field.name}`}
          field={field}
          value={written[field.name] ?? ""}
          problem={problems[field.name]}
          onChange={(value) => setWritten((before) => ({ ...before, [field.name]: value }))}
        />
      ))}
      <p className="buttons">
        <button type="submit" className="primary" disabled={isDisabled}>
          Answer
        </button>
        <button type="button" className="danger" disabled={isDisabled} onClick={() => onAnswer({ behavior: "deny" })}>
          Decline
        </button>
      </p>
    </form>
  );
}

interface InputProps {
  readonly id: string;
  readonly field: ElicitField;
  readonly value: string;
  readonly problem: string | undefined;
  readonly onChange: (value: string) => void;
}

function FieldInput({ id, field, value, problem, onChange }: InputProps) {
  const { name, about, type, choices, isRequired } = field;
  const offered = choices.length > 0 ? choices : type === "boolean" ? ["yes", "no"] : undefined;
  const shared = { id, value, "aria-invalid": problem !== undefined, "aria-describedby": `${id}-about` };
  return (
    <div className="elicit-field">
      <label htmlFor={id}>{visibleLine(name)}</label>
      {offered ? (
        <select {...shared} onChange={(event) => onChange(event.currentTarget.value)}>
          <option value="">{isRequired ? "Choose one" : "(left empty)"}</option>
          {offered.map((choice) => (
            <option key={choice} value={choice}>
              {visibleLine(choice)}
            </option>
          ))}
        </select>
      ) : (
        <input
          {...shared}
          inputMode={type === "number" || type === "integer" ? "decimal" : "text"}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      )}
      <p id={`${id}-about`} className={problem === undefined ? "soft" : "elicit-problem"}>
        {problem?.replace(/ Esc declines instead\.$/, "") ??
          [visibleLine(about), type === "list" ? "several, separated by commas" : "", isRequired ? "" : "optional"]
            .filter((words) => words !== "")
            .join(" · ")}
      </p>
    </div>
  );
}

function messageOf({ input }: Question): string {
  const message = typeof input === "object" && input !== null && "message" in input ? input.message : undefined;
  return typeof message === "string" ? message : "";
}
