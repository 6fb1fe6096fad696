import type { Answer, Rule, When } from "../../../src/model/scripted/index.ts";

const requestId = `"request_id":"([^"]+)"`;

/** What somebody says when something is so. Of several that fit, the first counts. */
export type Cue = readonly [when: When, answer: Answer];

/** The cues of one agent, which never has nothing to say. */
export function scriptedRules(agent: string, cues: readonly Cue[], otherwise: Answer): Rule[] {
  return [
    ...cues.map(([when, answer]) => ({ when: { agent, ...when }, answer })),
    { when: { agent }, answer: otherwise },
  ];
}

/** Every member's: the lead asks, it agrees. */
export const acceptShutdown: readonly Cue[] = [
  [{ tool: "SendMessage", result: "You have agreed to end" }, { text: "Good bye." }],
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

export const claimed = "have claimed this task";
