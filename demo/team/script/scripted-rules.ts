import type { Answer, Rule, When } from "../../../src/model/scripted/index.ts";

const requestId = `"request_id":"([^"]+)"`;

/** An answer and its condition. The first condition that matches counts. */
export type Cue = readonly [when: When, answer: Answer];

/** Returns the rules of one agent. `otherwise` answers when no cue matches. */
export function scriptedRules(agent: string, cues: readonly Cue[], otherwise: Answer): Rule[] {
  return [
    ...cues.map(([when, answer]) => ({ when: { agent, ...when }, answer })),
    { when: { agent }, answer: otherwise },
  ];
}

/** For every member: agrees when the lead asks it to shut down. */
export const acceptShutdown: readonly Cue[] = [
  [{ tool: "SendMessage", result: "You have agreed to end" }, { text: "Goodbye." }],
  [
    { said: { regex: requestId } },
    {
      calls: [
        {
          tool: "SendMessage",
          input: {
            to: "team-lead",
            message: { type: "shutdown_response", request_id: `{{said:/${requestId}/1}}`, approve: true },
          },
        },
      ],
    },
  ],
];

export const bash = (command: string, description: string) => ({ tool: "Bash", input: { command, description } });

/** The member can begin its task: the runtime has put it in progress, or the lead has assigned it. */
export const claimed = { regex: String.raw`with TaskUpdate \(taskId|Task #1 is yours now` };
