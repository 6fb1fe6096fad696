import { expect, test } from "vitest";
import { type CreateSessionOptions, createSession, TroupeError, z } from "../../../src/index.ts";

/** The message of the usage error for these options. */
async function refusal(options: object): Promise<string> {
  const error = await createSession(options as CreateSessionOptions).then(
    (session) => session.close(),
    (reason: unknown) => reason,
  );
  expect(TroupeError.is(error) && error.code).toBe("usage");
  return (error as TroupeError).message.replace("cannot create the session: ", "");
}

test.each([
  [{ permissionMode: "yolo" }, /^permissionMode: "yolo" is not allowed, expected one of default, .*plan/],
  [{ permisionMode: "plan" }, /^there is no option permisionMode. Did you mean permissionMode\?$/],
  [{ maxBudgetUsd: "x" }, /^maxBudgetUsd: "x" is not allowed, .*number/],
  [{ maxTurns: -1 }, /^maxTurns: -1 is not allowed, .*>0/],
  [{ allowedTools: "Bash" }, /^allowedTools: "Bash" is not allowed, .*array/],
  [{ onPermission: "yes" }, /^onPermission: "yes" is not allowed, expected a function, "reply" or "nobody"$/],
  [{ model: 7 }, /^model: 7 is not allowed, expected a model name or a model client$/],
  [{ memory: true, team: "x" }, /^memory cannot be combined with team$/],
  [{ mcpServers: { a: { foo: 1 } } }, /^mcpServers\.a\.command: .*A server has a command or a url$/],
  [
    { tools: [{ name: "x" }] },
    /^tools\[0\]\.input: undefined is not allowed, expected a schema of zod 4; tools\[0\]\.exec/,
  ],
  [{ tools: [{ name: "x", input: { _def: {} }, execute() {} }] }, /^tools\[0\]\.input: this is a schema of zod 3\./],
  [{ hooks: { PreTool: [] } }, /^hooks: there is no event PreTool, only SessionStart, /],
  [{ hooks: { Stop: ["x"] } }, /^hooks\.Stop\[0\]: expected a function/],
  [
    { hooks: { Stop: [() => undefined] }, settings: { teams: { backend: "tmux" } } },
    /^hooks in code cannot be combined/,
  ],
  [{ outputSchema: {} }, /^outputSchema: an object is not allowed, expected a schema of zod 4$/],
  [{ sandbox: "on" }, /^sandbox: "on" is not allowed, expected "off", "auto"/],
  [{ addDirectories: ["/does/not/exist"] }, /^addDirectories \/does\/not\/exist: folder not found$/],
  [{ agents: { a: { description: "" } } }, /^agents: .*an agent is "name"/],
])("a wrong option is refused with its name and its value: %j", async (options, message) => {
  expect(await refusal({ ...options })).toMatch(message);
});

test("settings of the program are checked like those of a file", async () => {
  const wrong = { settings: { maxTurns: "x" } } as unknown as CreateSessionOptions;
  await expect(createSession(wrong)).rejects.toMatchObject({
    code: "settings",
    message: expect.stringMatching(/^settings.*maxTurns/),
  });
});

test("z is the zod that tools need", () => {
  expect(z.strictObject({ a: z.string() }).parse({ a: "x" })).toEqual({ a: "x" });
});
