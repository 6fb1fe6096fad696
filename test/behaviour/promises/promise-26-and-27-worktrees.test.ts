import { expect, test } from "vitest";
import { agent, lead, resultOf, teamSession } from "../../support/team/team-session.ts";
import { agrees, alpha, bash, inState, leading, mate, membersOf, report } from "../../support/team/scripted-team.ts";
import { testRepository } from "../../support/git/test-repository.ts";

const isolated = (child: Parameters<typeof lead>[1]) =>
  lead([{ calls: [agent("work", { isolation: "worktree" })] }, { text: "over" }], child);

test("promise 26: requested isolation is provided or the spawn is refused", async () => {
  const nowhere = await teamSession({ answer: isolated(() => ({ text: "never" })) });
  await nowhere.ask("go");
  expect(resultOf(nowhere).outcome).toBe("failed");
  expect(nowhere.asked(/^lead\//)).toEqual([]);

  const { repo } = testRepository();
  const pwd = { calls: [{ tool: "Bash", input: { command: "pwd" } }] };
  const team = await teamSession({
    cwd: repo,
    answer: isolated((ask) => (ask.turn === 1 ? pwd : { text: `in ${ask.result?.text}` })),
  });
  await team.ask("go");
  const worktree = team.all("agent.spawned")[1]?.worktree?.path ?? "";
  expect(worktree).not.toBe("");
  expect(resultOf(team).text).toContain(`in ${worktree}`);
});

test("promise 27: worktree with uncommitted or unmerged work is kept, one without is removed", async () => {
  const kinds = {
    clean: "true",
    dirty: "echo x > new.txt",
    committed: "echo x > c.txt && git add c.txt && git -c user.name=T -c user.email=t@example.com commit -qm work",
  };
  for (const [kind, command] of Object.entries(kinds)) {
    const repository = testRepository();
    const team = await teamSession({
      cwd: repository.repo,
      answer: isolated((ask) =>
        ask.turn === 1 ? { calls: [{ tool: "Bash", input: { command } }] } : { text: "done" },
      ),
    });
    await team.ask("go");
    const kept = kind !== "clean";
    expect(repository.traces().worktrees, kind).toBe(kept ? 2 : 1);
    expect(resultOf(team).text).toMatch(
      kept
        ? /Its work is on the branch troupe\/general-purpose-\w{4}, in .*\nbranch troupe\/general-purpose-\w{4}: \d commits? that main does not have, \d uncommitted file/
        : /It changed nothing, and its worktree was removed\./,
    );
  }
});

test("promise 26: teammate gets the worktree it asked for, or is not started", async () => {
  const nowhere = await alpha({
    answer: leading([{ calls: [mate("scout", "work", { isolation: "worktree" })] }, { text: "over" }], () => ({
      text: "never",
    })),
  });
  await nowhere.ask("go");
  expect(resultOf(nowhere)).toMatchObject({
    outcome: "failed",
    text: expect.stringMatching(/git repository/) as string,
  });
  expect(nowhere.asked("scout@alpha")).toEqual([]);
  expect(await membersOf(nowhere.tree)).toEqual([]);

  const { repo } = testRepository();
  const there = await alpha({
    cwd: repo,
    answer: leading(
      [{ calls: [mate("scout", "work", { isolation: "worktree" })] }, { text: "waiting" }],
      ({ turn, result }) => (turn === 1 ? { calls: [bash("pwd")] } : { text: `in ${result?.text}` }),
    ),
  });
  await there.ask("go");
  await there.until(report(/in \//));
  const [scout] = await membersOf(there.tree);
  expect(scout?.worktreePath).toBeDefined();
  expect(
    there
      .all("turn.ended", "scout@alpha")
      .map(({ parts }) => JSON.stringify(parts))
      .join(),
  ).toContain(`in ${scout?.worktreePath}`);
  expect(resultOf(there).text).toContain(scout?.worktreePath);
});

test("promise 27: teammate's worktree is kept if it has work, however the teammate ended", async () => {
  const dirty = "echo x > new.txt";
  const committed = "echo x > c.txt && git add c.txt && git -c user.name=T -c user.email=t@example.com commit -qm work";
  const cases = [
    { kind: "clean", command: "true", end: "agreed" },
    { kind: "clean", command: "true", end: "killed" },
    { kind: "dirty", command: dirty, end: "killed" },
    { kind: "committed", command: committed, end: "agreed" },
  ] as const;
  for (const { kind, command, end } of cases) {
    const repository = testRepository();
    const {
      ask,
      command: send,
      tree,
      ...session
    } = await alpha({
      cwd: repository.repo,
      answer: leading(
        [{ calls: [mate("scout", "work", { isolation: "worktree" })] }, { text: "waiting" }],
        (asked) => agrees(asked) ?? (asked.turn === 1 ? { calls: [bash(command)] } : { text: "there it is" }),
      ),
    });
    await ask("go");
    await session.until(report(/there it is/));
    expect(await send({ type: "member.stop", name: "scout", now: end === "killed" })).toEqual({ ok: true });
    expect((await membersOf(tree))[0]?.ended?.reason).toBe(end === "killed" ? "killed" : "shutdown");
    expect(repository.traces().worktrees, `${kind}, ${end}`).toBe(kind === "clean" ? 1 : 2);
    await session.close();
  }
});

test("promise 27: suspended teammate keeps its worktree and works in it after the team resumes", async () => {
  const repository = testRepository();
  const first = await alpha({
    cwd: repository.repo,
    answer: leading([{ calls: [mate("scout", "work", { isolation: "worktree" })] }, { text: "waiting" }], ({ turn }) =>
      turn === 1 ? { calls: [bash("echo half > half.txt")] } : { text: "half done" },
    ),
  });
  await first.ask("go");
  await first.until(report(/half done/));
  await first.close();
  const second = await alpha({
    cwd: repository.repo,
    tree: first.tree,
    resume: first.session.id,
    answer: leading([], ({ result }) =>
      result?.tool === "Bash" && result.text.includes("half")
        ? { text: "found it" }
        : { calls: [bash("cat half.txt; pwd")] },
    ),
  });
  await inState(second, "scout", "idle");
  await second.command({ type: "mail.send", to: "scout", text: "go on" });
  await second.until(report(/found it/));
  expect(repository.traces().worktrees).toBe(2);
});

test("promise 27: teammate whose worktree was removed gets a new one; it and its lead are notified", async () => {
  const repository = testRepository();
  const first = await alpha({
    cwd: repository.repo,
    answer: leading([{ calls: [mate("scout", "work", { isolation: "worktree" })] }, { text: "waiting" }], () => ({
      text: "half done",
    })),
  });
  await first.ask("go");
  await first.until(report(/half done/));
  await first.close();
  const [before] = await membersOf(first.tree);
  repository.git("worktree", "remove", "--force", "--force", before?.worktreePath ?? "");
  const second = await alpha({
    cwd: repository.repo,
    tree: first.tree,
    resume: first.session.id,
    answer: leading([], ({ turn, result }) =>
      result?.tool === "Bash" || turn > 3 ? { text: "has continued" } : { calls: [bash("pwd")] },
    ),
  });
  const gone = new RegExp(`worktree ${before?.worktreePath} (of scout )?was gone and was made again`);
  await second.until(report(gone));
  await inState(second, "scout", "idle");
  await second.command({ type: "mail.send", to: "scout", text: "go on" });
  await second.until(report(/has continued/));
  const [after] = await membersOf(first.tree);
  expect(after?.worktreePath).toBe(before?.worktreePath);
  const asked = second.asked("scout@alpha");
  const told = asked[0]!.request.messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "text" && gone.test(part.text) ? [part.text] : [])),
  );
  expect(told).toEqual([expect.stringMatching(/^<troupe-notice>\n[^<]*\n<\/troupe-notice>$/)]);
  expect(asked[1]?.result?.text).toContain(after?.worktreePath);
});
