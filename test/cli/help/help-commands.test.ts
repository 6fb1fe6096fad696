import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { runProgram } from "../../../src/cli/program.ts";
import { workplace } from "../../support/cli/workplace.ts";

test("help prints the help of the program, of a command and of a subcommand", async () => {
  const place = workplace();
  for (const [words, flags] of [
    [[], ["--help"]],
    [["sessions"], ["sessions", "--help"]],
    [
      ["sessions", "show"],
      ["sessions", "show", "--help"],
    ],
  ] as const) {
    const [help, flag] = [await place.run(["help", ...words]), await place.run([...flags])];
    expect(help).toMatchObject({ code: 0, stdout: flag.stdout, stderr: "" });
  }
});

test.each([
  [["help", "sesions"], "there is no command 'troupe sesions'. Did you mean 'troupe sessions'?"],
  [
    ["help", "sessions", "x"],
    "there is no command 'troupe sessions x'. Run 'troupe sessions --help' to see its commands.",
  ],
  [["help", "login"], "there is no command 'troupe login'. Set ANTHROPIC_API_KEY or OPENAI_API_KEY"],
  [["sessions", "shwo"], "there is no command 'troupe sessions shwo'. Did you mean 'troupe sessions show'?"],
  [["sessions", "show"], "missing required argument 'id'. Run 'troupe sessions show --help' for details."],
  [["-p", "x", "--max-turns", "abc"], "option '--max-turns <n>' argument 'abc' is invalid. Give a number above 0."],
])("%j is a usage error with the way out", async (args, text) => {
  await expect(runProgram([...args])).rejects.toMatchObject({ code: "usage", message: expect.stringContaining(text) });
});

test.each(["init", "login", "update", "config", "completions", "hello", "doctr", "config set", "login anthropic"])(
  "'troupe %s' is not a prompt",
  async (words) => {
    const [word] = words.split(" ");
    await expect(runProgram(words.split(" "))).rejects.toMatchObject({
      code: "usage",
      message: expect.stringMatching(
        `^there is no command '${word}'\\. .* To use it as a prompt: troupe -p '${words}'\\.$`,
      ),
    });
  },
);

test("a single word reaches no model", async () => {
  const place = workplace();
  const script = place.write("script.json", { version: 1, rules: [{ answer: { text: "paid" } }] });
  expect(await place.run(["doctr", "--model", `scripted/${script}`])).toMatchObject({
    code: 2,
    stdout: "",
    stderr:
      "troupe: there is no command 'doctr'. Did you mean 'troupe doctor'? To use it as a prompt: troupe -p 'doctr'.\n",
  });
});

test("bash completes commands, options and the choices of an option", async () => {
  const { stdout } = await workplace().run(["completion", "bash"]);
  const complete = (...words: string[]) => {
    const call = `COMP_WORDS=(troupe ${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length}; _troupe; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout: found, stderr } = spawnSync("bash", ["--norc", "-c", `${stdout}\n${call}`], { encoding: "utf8" });
    expect(stderr).toBe("");
    return found.trim().split("\n");
  };
  expect(complete("ses")).toEqual(["sessions"]);
  expect(complete("sessions", "sh")).toEqual(["show"]);
  expect(complete("sessions", "export", "--format", "")).toEqual(["markdown", "jsonl", "html"]);
  expect(complete("--permission-mode", "acc")).toEqual(["acceptEdits"]);
  expect(complete("--perm")).toEqual(["--permission-mode"]);
  expect(complete("--settings", "")).toEqual([""]);
});

test("zsh and fish get a script with every command", async () => {
  const place = workplace();
  for (const shell of ["zsh", "fish"]) {
    const { code, stdout } = await place.run(["completion", shell]);
    expect(code).toBe(0);
    for (const name of ["sessions", "land", "doctor", "repair", "permission-mode", "acceptEdits"])
      expect(stdout).toContain(name);
  }
  expect(await place.run(["completion", "tcsh"])).toMatchObject({ code: 2 });
});
