import { Envelope } from "../../../src/protocol/index.ts";

/** The envelopes in the output of `--output-format stream-json`. Its last line is the result of the run. */
export const streamEnvelopes = (stdout: string): readonly Envelope[] =>
  stdout
    .trim()
    .split("\n")
    .map((line): unknown => JSON.parse(line))
    .filter((value) => !isResult(value))
    .map((value) => Envelope.parse(value));

const isResult = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "type" in value && value.type === "result";
