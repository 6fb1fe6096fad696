import { expect, test } from "vitest";
import { workplace } from "../support/cli/workplace.ts";

test("with -p all words are the prompt, even the name of a command", async () => {
  const place = workplace();
  const script = place.write("script.json", { version: 1, rules: [{ answer: { text: "as a prompt" } }] });
  for (const args of [
    ["-p", "sessions"],
    ["--print", "doctor"],
    ["--verbose", "-p", "cost"],
  ]) {
    const { code, stdout } = await place.run([...args, "--model", `scripted/${script}`]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "as a prompt\n" });
  }
});

test("help lists the commands, also with -p", async () => {
  const place = workplace();
  for (const args of [["--help"], ["-p", "--help"]]) expect((await place.run(args)).stdout).toMatch(/^ {2}doctor /m);
});
