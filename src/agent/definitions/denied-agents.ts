import { authorize, type RuleSet } from "../../tool/index.ts";

/** The agent types that the deny rules forbid. They are neither listed nor started. */
export function deniedAgents(names: readonly string[], deny: RuleSet["deny"]): readonly string[] {
  return names.filter((name) => {
    const decision = authorize({
      tool: { name: "Agent", access: "run" },
      subject: { kind: "name", name },
      title: `Agent ${name}`,
      mode: "default",
      rules: { allow: [], ask: [], deny },
      roots: [],
      cwd: "/",
    });
    return decision.behavior === "deny";
  });
}
