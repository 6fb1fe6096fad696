import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { alpha, leading, mate, memberLog } from "../../support/team/scripted-team.ts";

const modesIn = async (tree: Parameters<typeof memberLog>[0]) =>
  (await memberLog(tree, "scout")).flatMap((event) =>
    event.type === "agent.changed" && event.permissionMode ? [event.permissionMode] : [],
  );

test("replayed control message with a valid signature does nothing a second time", async () => {
  const steps = () => leading([{ calls: [mate("scout")] }], ({ said }) => ({ text: `heard ${said}` }));
  const first = await alpha({ answer: steps() });
  const { tree } = first;
  await first.ask("go");
  const isSet = (mode: string) => (event: { type: string; permissionMode?: string | undefined }) =>
    event.type === "agent.changed" && event.permissionMode === mode;
  for (const permissionMode of ["acceptEdits", "default"] as const) {
    await first.command({ type: "member.set", team: "alpha", name: "scout", permissionMode });
    await first.until(isSet(permissionMode));
  }
  await first.close();
  const inboxes = tree.path("home/.troupe/teams/alpha/inboxes");
  const file = readdirSync(inboxes).find((name) => /^scout\.jsonl$/.test(name)) ?? "";
  const old = readFileSync(join(inboxes, file), "utf8")
    .split("\n")
    .find((line) => line.includes('"mode_set_request"') && line.includes("acceptEdits"));
  expect(old).toBeDefined();
  const before = await modesIn(tree);
  // Compaction removed everything that was read. An attacker has kept this record.
  writeFileSync(join(inboxes, file), `\n${old}\n`);
  const again = await alpha({ tree, resume: first.session.id, answer: leading([], () => ({ text: "still here" })) });
  await again.command({ type: "mail.send", team: "alpha", to: "scout", text: "are you there?" });
  await again.until((event) => event.type === "mail.received" && event.kind === "idle_notification");
  await again.close();
  expect(await modesIn(tree)).toEqual(before);
});
