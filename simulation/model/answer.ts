import type { Random } from "../random.ts";
import type { Scenario } from "../scenario.ts";
import type { Persona } from "./persona.ts";

/** The answer of a simulated model. */
export type Answer =
  | { readonly kind: "calls"; readonly calls: readonly Call[]; readonly text?: string | undefined }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "refusal" }
  | { readonly kind: "failure" };

export interface Call {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** The knowledge of a policy beside the request. */
export interface PolicyContext {
  readonly scenario: Scenario;
  readonly persona: Persona;
  readonly random: Random;
  /** The agent's name in its team. */
  readonly name: string;
}

export const say = (text: string): Answer => ({ kind: "text", text });
export const call = (...calls: readonly Call[]): Answer => ({ kind: "calls", calls });
export const sendMessage = (to: string, message: unknown): Call => ({
  name: "SendMessage",
  input: { to, message },
});
