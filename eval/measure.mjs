/** Folds the events of one run into its figures. */
export function createMeasure() {
  const sources = new Map();
  const agents = new Set();
  const begun = new Set();
  let lead;
  let turns = 0;
  let costUsd = 0;
  let compactions = 0;
  let wastedWakes = 0;
  /** Whether the last turn of the lead counts as wasted. It does not if it is the answer for the user. */
  let lastIsWasted = false;

  return {
    add({ agent, event }) {
      lead ??= agent;
      agents.add(agent);
      switch (event.type) {
        case "prompt.admitted":
          sources.set(agent, [...(sources.get(agent) ?? []), event.source]);
          return;
        case "turn.ended": {
          turns += 1;
          const woken = sources.get(agent) ?? [];
          sources.delete(agent);
          // The first turn of an agent is its work, not a wake.
          const isFirst = begun.size < begun.add(agent).size;
          const isWasted =
            !isFirst &&
            woken.length > 0 &&
            !woken.includes("user") &&
            event.parts.every(({ type }) => type !== "tool_call");
          if (isWasted) wastedWakes += 1;
          if (agent === lead) lastIsWasted = isWasted;
          return;
        }
        case "cost.recorded":
          costUsd += event.costUsd;
          return;
        case "context.compacted":
          compactions += 1;
          return;
        default:
          return;
      }
    },
    figures: () => ({
      turns,
      agents: agents.size,
      costUsd: Number(costUsd.toFixed(6)),
      compactions,
      wastedWakes: wastedWakes - (lastIsWasted ? 1 : 0),
    }),
  };
}
