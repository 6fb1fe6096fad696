import { expect, test } from "vitest";
import { sandboxNote } from "../../../src/tool/sandbox/place-in-sandbox.ts";

const sandbox = { hosts: [] as string[], asks: false, attended: true, required: false, writable: ["/work"] };
const failed = { output: "curl: (6) Could not resolve host", place: { walls: "work" as const }, hidden: [] };
const noteOf = (facts: Partial<typeof sandbox>) => sandboxNote(failed, { ...sandbox, ...facts });

test("the note of a failed command names the user only if there is one", () => {
  expect(noteOf({})).toContain("outside_sandbox set to true: the user will be asked");
  const alone = noteOf({ attended: false });
  expect(alone).toContain("No user is available to let it run outside");
  expect(alone).not.toContain("outside_sandbox");
});

test("the hosts that a failed command may reach", () => {
  expect(noteOf({})).toContain("; there is no network.");
  expect(noteOf({ asks: true })).toContain(
    "; hosts can be reached only through the proxy in HTTP_PROXY if your lead allows it.",
  );
  expect(noteOf({ hosts: ["a.example"], asks: true })).toContain(
    "; only these hosts can be reached: a.example, and others through the proxy in HTTP_PROXY if your lead allows them.",
  );
});
