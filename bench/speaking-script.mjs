/**
 * A script whose lead starts agents and waits. `speech` is code with a function `speak(turn)` that returns each agent's
 * answer.
 */
export function speakingScript({ agents, speech }) {
  const call = (index) => ({
    tool: "Agent",
    input: {
      description: `part ${index}`,
      prompt: "speak",
      subagent_type: "general-purpose",
      name: `agent-${index}`,
      run_in_background: true,
    },
  });
  const start = { text: "They begin.", calls: Array.from({ length: agents }, (_, index) => call(index + 1)) };
  return `${speech}
const start = ${JSON.stringify(start)};
export default ({ agent, turn }) => agent !== "lead" ? speak(turn) : turn === 1 ? start : { text: "I wait." };
`;
}
