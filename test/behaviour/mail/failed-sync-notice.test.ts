import { join } from "node:path";
import { expect, test } from "vitest";
import { needStrace } from "../../support/processes/required-tools.ts";
import { bypass, workplace } from "../../support/cli/workplace.ts";

const script = `
const mate = { tool: "Agent", input: { description: "d", prompt: "look", name: "scout" } };
const say = { tool: "SendMessage", input: { to: "scout", message: "and there" } };
export default (ask) => {
  if (ask.agent !== "lead") return { text: "done" };
  if (ask.turn === 1) return { calls: [mate] };
  return ask.turn === 2 ? { calls: [say] } : { text: "waiting" };
};`;

test("session warns at once when the disk did not keep its mail", async () => {
  needStrace();
  const place = workplace();
  place.write("s.mjs", script);
  const inbox = join(place.home, ".troupe", "teams", "alpha", "inboxes", "scout.jsonl");
  const inject = ["-e", "trace=fdatasync", "-e", "inject=fdatasync:error=EIO:when=1"];
  const asked = ["-p", "--team", "alpha", "--model", "scripted/s.mjs", ...bypass];
  const format = ["--input-format", "stream-json", "--output-format", "stream-json"];
  const lead = place.start([...asked, ...format], {
    via: ["strace", "-f", "--seccomp-bpf", "-qq", "-o", "/dev/null", "-P", inbox, ...inject],
    env: { UV_THREADPOOL_SIZE: "1" },
  });
  lead.write(JSON.stringify({ type: "prompt", content: "go" }));
  const said = await lead.saw(/"code":"storage"/);
  const notice = said.split("\n").find((line) => line.includes('"code":"storage"')) ?? "";
  expect(notice).toContain('"level":"error"');
  expect(notice).toContain(`The last writes to the inbox of scout may not survive a power cut. Cannot sync ${inbox}`);
  lead.end();
  await lead.done;
});
