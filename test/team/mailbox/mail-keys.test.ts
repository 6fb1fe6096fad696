import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { createMailKeys } from "../../../src/team/mailbox/mail-keys.ts";

test("concurrent requests for a key load it once; a request after a failure loads again", async () => {
  const asked: string[] = [];
  let isBroken = true;
  const keys = createMailKeys(async (name, use) => {
    asked.push(`${use} ${name}`);
    if (isBroken) throw new Error("no");
    return { type: "secret", secret: randomBytes(32) };
  });
  await expect(Promise.all([keys.verificationKeys("anna"), keys.verificationKeys("anna")])).rejects.toThrow("no");
  expect(asked).toEqual(["check anna"]);
  isBroken = false;
  const found = await Promise.all(Array.from({ length: 1_000 }, () => keys.verificationKeys("anna")));
  expect(new Set(found).size).toBe(1);
  expect(await keys.verificationKeys("anna")).toBe(found[0]);
  expect(asked).toEqual(["check anna", "check anna"]);
});
