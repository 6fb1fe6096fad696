import { onTestFinished } from "vitest";
import { type CreateSessionOptions, createSession, type LibrarySession } from "../../../src/index.ts";
import { createScriptedModel, type Script, systemClock } from "../../../src/testing.ts";
import { tempTree } from "../files/temp-tree.ts";

type Answers = Parameters<typeof createScriptedModel>[0];

/** A session of the library with a scripted model, in memory unless the options say otherwise. */
export async function librarySession<Output = unknown>(
  answers: Omit<Script, "version"> | Extract<Answers, (...args: never[]) => unknown>,
  options: CreateSessionOptions<Output> = {},
): Promise<LibrarySession<Output>> {
  const tree = tempTree({ "home/.troupe/settings.json": {}, "project/a.txt": "hello" });
  const script: Answers = typeof answers === "function" ? answers : { version: 1, ...answers };
  const session = await createSession({
    cwd: tree.path("project"),
    memory: true,
    model: createScriptedModel(script, { clock: systemClock }),
    env: {
      PATH: process.env["PATH"],
      TROUPE_SANDBOX: "off",
      HOME: tree.path("home"),
      TROUPE_HOME: tree.path("home/.troupe"),
    },
    ...options,
  });
  onTestFinished(() => session.close());
  return session;
}
