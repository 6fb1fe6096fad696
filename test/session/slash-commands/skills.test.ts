import { mkdirSync, realpathSync, symlinkSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { projectFolders } from "../../../src/session/config/project-folders.ts";
import { findSkills } from "../../../src/session/slash-commands/skills.ts";
import { call, slashSession } from "../../support/session/slash-session.ts";
import { tempTree, type TempTree } from "../../support/files/temp-tree.ts";

const skill = (name: string, more = "") =>
  `---\nname: ${name}\ndescription: What ${name} does.\n${more}---\nDo ${name} well.\n`;

const find = (tree: TempTree, cwd = "project") => {
  tree.folder(cwd);
  return findSkills({
    projectFolders: projectFolders(realpathSync(tree.path(cwd))),
    home: tree.path("home/.troupe"),
    userHome: tree.path("home"),
  });
};

describe("skill discovery", () => {
  test("finds all four places, from the repository root down, ordered by name", async () => {
    const tree = tempTree({
      "project/.git/HEAD": "ref: refs/heads/main",
      "project/.troupe/skills/d/SKILL.md": skill("d"),
      "project/sub/.claude/skills/c/SKILL.md": skill("c"),
      "home/.troupe/skills/b/SKILL.md": skill("b"),
      "home/.claude/skills/a/SKILL.md": skill("a"),
      "home/.claude/skills/notes.md": "not a skill",
      "home/.claude/skills/empty/README.md": "not one either",
    });
    const { skills, notices } = await find(tree, "project/sub");
    expect(skills.map(({ name, owner }) => `${owner} ${name}`)).toEqual(["user a", "user b", "project c", "project d"]);
    expect(notices).toEqual([]);
  });

  test("the stronger of two equal names is used, with a notice; identical text gives none", async () => {
    const tree = tempTree({
      "project/.troupe/skills/x/SKILL.md": skill("x", "license: A\n"),
      "project/.claude/skills/x/SKILL.md": skill("x", "license: B\n"),
      "home/.troupe/skills/x/SKILL.md": skill("x", "license: A\n"),
    });
    const { skills, notices } = await find(tree);
    expect(skills.map(({ file }) => file)).toEqual([tree.path("project/.troupe/skills/x/SKILL.md")]);
    expect(notices).toEqual([
      `${tree.path("project/.claude/skills/x/SKILL.md")} is ignored: ${tree.path("project/.troupe/skills/x/SKILL.md")} already defines the skill x`,
    ]);
  });

  test("a broken skill is reported with file and line and hides no other", async () => {
    const tree = tempTree({
      "project/.troupe/skills/a/SKILL.md": "---\nname: a\ndescription:\n  - no\n---\n",
      "project/.troupe/skills/b/SKILL.md": "---\nname: b\ndescription: fine\n",
      "project/.troupe/skills/c/SKILL.md": "---\nname: ../../etc\ndescription: x\n---\n",
      "project/.troupe/skills/d/SKILL.md": "",
      "project/.troupe/skills/good/SKILL.md": skill("good"),
      "project/.troupe/skills/lazy/SKILL.md": "# Lazy\n\nUses its first words: all of them.\n\nAnd more.",
    });
    const { skills, notices } = await find(tree);
    expect(skills.map(({ name, description }) => `${name}: ${description}`)).toEqual([
      "good: What good does.",
      "lazy: Uses its first words: all of them.",
    ]);
    expect(notices.map((notice) => notice.replace(tree.path("project/.troupe/skills/"), ""))).toEqual([
      expect.stringMatching(/^a\/SKILL\.md:4: description: .*; the skill is ignored$/),
      expect.stringMatching(/^b\/SKILL\.md:1: the frontmatter is not closed/),
      expect.stringMatching(/^c\/SKILL\.md: invalid name "\.\.\/\.\.\/etc"; the skill is ignored/),
      expect.stringMatching(/^d\/SKILL\.md: it has no description/),
    ]);
  });

  test("a repository may link to the user's skills, not to a private file; a linked folder is one", async () => {
    const tree = tempTree({
      "home/.ssh/id_rsa": skill("private"),
      "home/.claude/skills/shared/SKILL.md": skill("shared"),
    });
    for (const name of ["bad", "shared"]) mkdirSync(tree.path(`project/.claude/skills/${name}`), { recursive: true });
    symlinkSync(tree.path("home/.ssh/id_rsa"), tree.path("project/.claude/skills/bad/SKILL.md"));
    symlinkSync(tree.path("home/.claude/skills/shared/SKILL.md"), tree.path("project/.claude/skills/shared/SKILL.md"));
    symlinkSync(tree.path("project/.claude"), tree.path("project/.troupe"));
    const { skills, notices } = await find(tree);
    expect(skills.map(({ name }) => name)).toEqual(["shared"]);
    expect(notices.every((notice) => notice.includes("outside the project"))).toBe(true);
    expect(notices.length).toBeGreaterThan(0);
  });

  test("accepts common fields and those of other programs", async () => {
    const tree = tempTree({
      "home/.claude/skills/a/SKILL.md":
        "---\ndescription: Use when: it rains\nargument-hint: [file] [more]\nallowed-tools: Read, Bash(git log:*, x), Edit\ndisable-model-invocation: true\nversion: 1.2\n---\n",
      "home/.claude/skills/b/SKILL.md":
        "---\ndescription: b\nallowed-tools:\n  - Read\n  - Bash(npm test)\nuser-invocable: false\nargument-hint: [file]\n---\n",
    });
    const { skills } = await find(tree);
    expect(skills).toMatchObject([
      {
        name: "a",
        description: "Use when: it rains",
        argumentHint: "[file] [more]",
        allowedTools: ["Read", "Bash(git log:*, x)", "Edit"],
        forModels: false,
        forPeople: true,
      },
      {
        name: "b",
        allowedTools: ["Read", "Bash(npm test)"],
        argumentHint: "[file]",
        forModels: true,
        forPeople: false,
      },
    ]);
  });
});

describe("in a session", () => {
  test("skills are listed in the prompt and loaded with folder and files; a user-only one is neither", async () => {
    const { session, model, results, tree } = await slashSession({
      files: {
        "home/.troupe/skills/pdf/SKILL.md": "---\nname: pdf\ndescription: Fill in forms.\n---\nFill $1 with care.\n",
        "home/.troupe/skills/pdf/scripts/fill.py": "print()",
        "home/.troupe/skills/pdf/reference.md": "more about forms",
        "home/.troupe/skills/mine/SKILL.md": skill("mine", "disable-model-invocation: true\n"),
      },
      steps: [
        call("Skill", { skill: "pdf", args: "a.pdf" }),
        call("Skill", { skill: "mine" }),
        call("Skill", { skill: "/pfd" }),
        { text: "Done." },
      ],
    });
    await session.ask("go");
    const system = model.calls[0]?.ask.request.system.join("\n") ?? "";
    expect(system).toContain("- pdf: Fill in forms.");
    expect(system).not.toContain("mine");
    const [loaded, hidden, unknown] = results();
    expect(loaded?.text.replaceAll(tree.root, "ROOT")).toBe(
      [
        "The skill pdf. Paths in it are relative to its folder, ROOT/home/.troupe/skills/pdf.",
        "Other files in its folder, to read or run when it calls for them:\n- reference.md\n- scripts/fill.py",
        "Fill a.pdf with care.",
      ].join("\n\n"),
    );
    expect(hidden).toEqual({ outcome: "failed", text: 'There is no skill "mine". Available: pdf.' });
    expect(unknown).toEqual({ outcome: "failed", text: 'There is no skill "pfd". Did you mean pdf?' });
  });

  test("files next to a user's skill can be read without asking, others of the home cannot", async () => {
    const tree = tempTree({
      "home/.claude/skills/pdf/SKILL.md": skill("pdf"),
      "home/.claude/skills/pdf/reference.md": "more about forms",
      "home/.claude/other.md": "private",
    });
    const { session, results } = await slashSession({
      tree,
      steps: [
        call("Read", { file_path: tree.path("home/.claude/skills/pdf/reference.md") }),
        call("Read", { file_path: tree.path("home/.claude/other.md") }),
        { text: "Done." },
      ],
    });
    await session.ask("go");
    expect(results().map(({ outcome }) => outcome)).toEqual(["ok", "denied"]);
  });

  test("a deny rule for a skill applies", async () => {
    const { session, results } = await slashSession({
      files: { "home/.claude/skills/pdf/SKILL.md": skill("pdf") },
      steps: [call("Skill", { skill: "pdf" }), { text: "Done." }],
      more: { disallowedTools: ["Skill(pdf)"] },
    });
    await session.ask("go");
    expect(results()[0]?.outcome).toBe("denied");
  });

  test("allowed-tools of a user's skill last until the next prompt; an untrusted project's never apply", async () => {
    const touch = call("Bash", { command: "touch made" });
    const files = {
      "home/.claude/skills/mine/SKILL.md": skill("mine", "allowed-tools: Bash(touch made)\n"),
      "project/.claude/skills/theirs/SKILL.md": skill("theirs", "allowed-tools: Bash\n"),
    };
    const { session, results } = await slashSession({
      files,
      steps: [
        touch,
        call("Skill", { skill: "theirs" }),
        touch,
        call("Skill", { skill: "mine" }),
        touch,
        { text: "First." },
        touch,
        { text: "Second." },
      ],
    });
    await session.ask("go");
    await session.ask("again");
    expect(results().map(({ outcome }) => outcome)).toEqual(["denied", "ok", "denied", "ok", "ok", "denied"]);
  });
});
