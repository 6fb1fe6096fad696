import { describe, expect, it } from "vitest";
import type { PermissionMode } from "../../../src/protocol/index.ts";
import { authorize, noRules, type PermissionSubject } from "../../../src/tool/index.ts";

type Call = { name: string; access: "read" | "write" | "run"; subject: PermissionSubject };

const path = (name: "Read" | "Write" | "Edit", file: string): Call => ({
  name,
  access: name === "Read" ? "read" : "write",
  subject: { kind: "path", path: file, change: name !== "Read" },
});

describe("an agent in its own worktree", () => {
  const worktree = { top: "/trees/fixer-dfhm", mainTop: "/work", readable: "/work" };
  const decide = (call: Call, mode: PermissionMode = "default") =>
    authorize({
      tool: call,
      subject: call.subject,
      title: "it",
      mode,
      rules: noRules,
      roots: ["/trees/fixer-dfhm", "/added"],
      bases: ["/work", "/trees/fixer-dfhm"],
      cwd: "/trees/fixer-dfhm",
      workspace: { worktree },
    });

  it("changes files there without a question, as its commands do", () => {
    expect(decide(path("Edit", "/trees/fixer-dfhm/a.ts"))).toEqual({
      behavior: "allow",
      rule: "the agent's own worktree",
    });
    expect(decide(path("Write", "/trees/fixer-dfhm/a.ts"), "dontAsk").behavior).toBe("allow");
    expect(decide(path("Edit", "/trees/fixer-dfhm/a.ts"), "plan").behavior).toBe("deny");
  });

  it("asks about other folders", () => {
    expect(decide(path("Edit", "/added/a.ts")).behavior).toBe("ask");
    expect(decide(path("Edit", "/work/a.ts")).behavior).toBe("ask");
  });

  it("is offered rules that hold for the next worktree, too", () => {
    expect(decide(path("Read", "/trees/fixer-dfhm/app/.env"))).toMatchObject({ suggestions: ["Read(./app/.env)"] });
  });
});
