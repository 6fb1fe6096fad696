const team = ["SendMessage", "TaskList", "TaskGet", "TaskUpdate"];

/** The three types of agents: who can do which task follows from the tools that each has. */
export const agentTypes = {
  researcher: {
    description: "Finds the cause of a fault. Changes nothing.",
    prompt: "You find the causes of faults, and tell those who mend them.",
    tools: ["Read", "Grep", ...team],
    color: "blue",
  },
  implementer: {
    description: "Mends code and commits it.",
    prompt: "You mend code, run its tests, and commit.",
    tools: ["Read", "Edit", "Bash", ...team],
    color: "purple",
  },
  tester: {
    description: "Proves that something works, with tests of its own.",
    prompt: "You write tests that could show that something is wrong, and run them.",
    tools: ["Read", "Write", "Bash", ...team],
    color: "yellow",
  },
} as const;
