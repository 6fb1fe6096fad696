import {
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { PermissionMode } from "../../../src/protocol/index.ts";
import { lead, teamSession } from "../../support/team/team-session.ts";

type Call = readonly [tool: string, input: object];
const write = (file_path: string, content = "x\n"): Call => ["Write", { file_path, content }];
const bash = (command: string): Call => ["Bash", { command }];

interface Doing {
  readonly mode?: PermissionMode;
  readonly settings?: object;
  readonly coordinator?: boolean;
  readonly type?: string;
  readonly prepare?: (scratchpad: string, project: string) => void;
  readonly stored?: boolean;
}

/** The results of a worker's calls with no user to ask. `~S` is the scratchpad, `~P` the project. */
async function doing(calls: readonly Call[], { mode = "default", settings = {}, prepare, ...more }: Doing = {}) {
  let scratchpad = "";
  const fill = (input: object, cwd: string) =>
    Object.fromEntries(
      Object.entries(input).map(([key, value]) => [
        key,
        typeof value === "string" ? value.replaceAll("~S", scratchpad).replaceAll("~P", cwd) : value,
      ]),
    );
  const team = await teamSession({
    settings,
    stored: more.stored ?? false,
    flags: { permissionMode: mode, coordinator: more.coordinator ?? true },
    answer: lead(
      [
        ({ system, cwd = "" }) => {
          scratchpad = /Scratchpad: (\S+) is a folder/.exec(system)?.[1] ?? "";
          prepare?.(scratchpad, cwd);
          const input = { description: "work", prompt: "work", ...(more.type && { subagent_type: more.type }) };
          return { calls: [{ tool: "Agent", input }] };
        },
      ],
      ({ turn, cwd = "" }) => {
        const [tool, input] = calls[turn - 1] ?? [];
        return tool ? { calls: [{ tool, input: fill(input ?? {}, cwd) }] } : { text: "done" };
      },
    ),
  });
  await team.ask("go");
  await team.quiet();
  const worker = team.asked(/^lead\//)[0];
  const path = worker?.agent ?? "";
  const settled = team.all("tool.settled", path).map(({ outcome, content }) => {
    const text = content.map((part) => (part.type === "text" ? part.text : "")).join("");
    return `${outcome}: ${text}`.replaceAll(scratchpad, "~S");
  });
  const outcomes = settled.map((text) => text.split(":")[0]);
  return { team, worker, scratchpad, project: team.cwd, settled, outcomes };
}

describe("scratchpad", () => {
  test("is a folder of the session that coordinator and workers know", async () => {
    const { team, worker, scratchpad } = await doing([], { stored: true });
    const session = join(team.tree.path("home"), ".troupe", "projects");
    expect(scratchpad.startsWith(session)).toBe(true);
    expect(scratchpad.endsWith(`/${team.session.id}/scratchpad`)).toBe(true);
    expect(statSync(scratchpad).mode & 0o777).toBe(0o700);
    expect(worker?.system).toContain(`Scratchpad: ${scratchpad} is a folder that all workers of this session share`);
  });

  test("is read and written without asking: by file tools, and by commands that read or redirect there", async () => {
    const { settled, outcomes, scratchpad, team } = await doing([
      write("~S/notes/plan.md", "one\n"),
      ["Edit", { file_path: "~S/notes/plan.md", old_string: "one", new_string: "two" }],
      ["Read", { file_path: "~S/notes/plan.md" }],
      ["Grep", { pattern: "two", path: "~S" }],
      bash("cat ~S/notes/plan.md"),
      bash("ls ~P > ~S/listing.txt && echo more >> ~S/listing.txt"),
    ]);
    expect(outcomes).toEqual(["ok", "ok", "ok", "ok", "ok", "ok"]);
    expect(settled[4]).toContain("two");
    expect(team.all("permission.asked")).toEqual([]);
    expect(readFileSync(join(scratchpad, "listing.txt"), "utf8")).toBe("more\n");
  });

  test("nothing else is: not the project, other state of Troupe, or the folders around it", async () => {
    const { outcomes, settled, scratchpad } = await doing(
      [
        write("~P/a.txt"),
        write("~S/../scratch/x"),
        write("~S/../../settings.local.json"),
        write("~S"),
        bash("echo x > ~S/../owner.jsonl"),
        bash("echo x > ~P/b.txt"),
        bash("rm -rf ~S"),
        bash("node ~S/a.js > ~S/out.txt"),
      ],
      { stored: true },
    );
    expect(outcomes).toEqual(Array.from({ length: 8 }, () => "denied"));
    for (const at of [1, 2, 4]) expect(settled[at]).toContain("Agents may not write there, whatever the rules allow.");
    expect(existsSync(scratchpad)).toBe(true);
  });

  test("links in it give no access: their targets are judged", async () => {
    const { outcomes, project } = await doing(
      [
        write("~S/out/a.txt"),
        write("~S/file.txt"),
        bash("echo x > ~S/out/b.txt"),
        bash("echo x > ~S/file.txt"),
        ["Edit", { file_path: "~S/file.txt", old_string: "a", new_string: "b" }],
        bash("cat ~S/etc/passwd"),
      ],
      {
        prepare(scratchpad, cwd) {
          symlinkSync(cwd, join(scratchpad, "out"));
          symlinkSync(join(cwd, "target.txt"), join(scratchpad, "file.txt"));
          symlinkSync("/etc", join(scratchpad, "etc"));
        },
      },
    );
    expect(outcomes).toEqual(Array.from({ length: 6 }, () => "denied"));
    for (const name of ["a.txt", "b.txt", "target.txt"]) expect(existsSync(join(project, name))).toBe(false);
  });

  test("protected names stay protected there, and deny and ask rules apply", async () => {
    const settings = {
      permissions: { deny: ["Write(//**/secret.md)", "Bash(ls:*)"], ask: ["Write(//**/later.md)"] },
    };
    const { outcomes, settled } = await doing(
      [
        write("~S/.git/hooks/post-commit"),
        write("~S/.bashrc"),
        bash("echo x > ~S/.envrc"),
        write("~S/secret.md"),
        write("~S/later.md"),
        bash("ls ~S"),
        bash("echo x > ~S/secret.md"),
        bash("echo x > ~S/later.md"),
        bash("echo x > ~S/fine.txt"),
        write("~S/fine.md"),
      ],
      { settings },
    );
    expect(outcomes).toEqual([...Array.from({ length: 8 }, () => "denied"), "ok", "ok"]);
    expect(settled[0]).toContain("git");
  });

  test("a read-only agent may only read there", async () => {
    const { outcomes } = await doing(
      [write("~S/a.md"), bash("echo x > ~S/a.md"), bash("ls ~S"), ["Read", { file_path: "~S/known.md" }]],
      {
        type: "general-purpose",
        mode: "plan",
        prepare: (scratchpad) => writeFileSync(join(scratchpad, "known.md"), "known\n"),
      },
    );
    expect(outcomes).toEqual(["denied", "denied", "ok", "ok"]);
  });

  test("does not exist without coordinator mode", async () => {
    const { worker, scratchpad, team } = await doing([], { coordinator: false, stored: true });
    expect(scratchpad).toBe("");
    expect(worker?.system).not.toContain("Scratchpad");
    const folder = join(team.tree.path("home"), ".troupe/projects");
    expect(existsSync(join(folder, team.session.id, "scratchpad"))).toBe(false);
  });

  test("in the sandbox commands can write there, and not next to it", async () => {
    const put = (path: string) =>
      bash(`node -e "try { fs.writeFileSync('${path}', 'x') } catch { console.log('refused') }"`);
    const { outcomes, scratchpad, settled } = await doing([put("~S/made.txt"), put("~S/../beside.txt")], {
      settings: { sandbox: { mode: "required" }, permissions: { allow: ["Bash(node:*)"] } },
      stored: true,
    });
    expect(outcomes).toEqual(["ok", "ok"]);
    expect(settled[1]).toContain("refused");
    expect(existsSync(join(scratchpad, "made.txt"))).toBe(true);
    expect(existsSync(join(scratchpad, "../beside.txt"))).toBe(false);
  });
});

describe("resumed session", () => {
  const coordinator = { permissionMode: "default" as const, coordinator: true };

  test("keeps the files", async () => {
    const { team, scratchpad } = await doing([write("~S/kept.md", "kept\n")], { stored: true });
    await team.close();
    const again = await teamSession({
      tree: team.tree,
      stored: true,
      resume: team.session.id,
      flags: { permissionMode: "default" },
      answer: lead([{ text: "hello again" }], () => ({ text: "" })),
    });
    await again.ask("and now?");
    expect(again.asked("lead")[0]?.system).toContain(`Scratchpad: ${scratchpad} `);
    expect(readFileSync(join(scratchpad, "kept.md"), "utf8")).toBe("kept\n");
  });

  test("a link in its place is refused before anything runs, and named", async () => {
    const { team, scratchpad } = await doing([], { stored: true });
    await team.close();
    rmSync(scratchpad, { recursive: true });
    const elsewhere = team.tree.path("other");
    mkdirSync(elsewhere);
    symlinkSync(elsewhere, scratchpad);
    const again = teamSession({
      tree: team.tree,
      stored: true,
      resume: team.session.id,
      flags: coordinator,
      answer: () => ({ text: "" }),
    });
    await expect(again).rejects.toThrow(
      `${join(realpathSync(dirname(scratchpad)), "scratchpad")} is not a folder, or it is a link: remove it`,
    );
  });
});

test("a coordinator's teammates know the scratchpad and use it as workers do", async () => {
  let scratchpad = "";
  const team = await teamSession({
    stored: true,
    settings: { teams: { backend: "in-process" } },
    flags: { permissionMode: "default", coordinator: true, team: "alpha" },
    answer: lead(
      [
        ({ system }) => {
          scratchpad = /Scratchpad: (\S+) is a folder/.exec(system)?.[1] ?? "";
          return { calls: [{ tool: "Agent", input: { description: "work", prompt: "work", name: "mate" } }] };
        },
      ],
      ({ turn }) =>
        turn === 1
          ? { calls: [{ tool: "Write", input: { file_path: join(scratchpad, "found.md"), content: "found\n" } }] }
          : { text: "done" },
    ),
  });
  await team.ask("go");
  await expect.poll(() => team.all("tool.settled", "mate@alpha").map(({ outcome }) => outcome)).toEqual(["ok"]);
  expect(team.asked(/^mate@alpha$/)[0]?.system).toContain(`Scratchpad: ${scratchpad} is a folder`);
  expect(readFileSync(join(scratchpad, "found.md"), "utf8")).toBe("found\n");
});
