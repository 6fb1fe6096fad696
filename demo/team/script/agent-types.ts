const team = ["SendMessage", "TaskList", "TaskGet", "TaskUpdate"];

/** The three agent types. The tools of each decide which task it can do. */
export const agentTypes = {
  researcher: {
    description: "Finds the cause of a bug. Changes nothing.",
    prompt: "You find the causes of bugs and report them to the agents that fix them.",
    tools: ["Read", "Grep", ...team],
    color: "blue",
  },
  implementer: {
    description: "Fixes code and commits it.",
    prompt: "You fix code, run its tests, and commit.",
    tools: ["Read", "Edit", "Bash", ...team],
    color: "purple",
  },
  tester: {
    description: "Proves that something works, with its own tests.",
    prompt: "You write tests that could reveal bugs, and run them.",
    tools: ["Read", "Write", "Bash", ...team],
    color: "yellow",
  },
} as const;
