import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildProgram } from "../../support/processes/build-program.ts";
import { needStrace, onlyTheseStop } from "../../support/processes/required-tools.ts";
import { isSoak } from "../../support/setup/soak-rounds.ts";
import { temporaryFolder } from "../../support/files/temporary-folder.ts";
import { openMail } from "../../support/mail/open-mail.ts";

let program: Awaited<ReturnType<typeof buildProgram>>;
let unsynced: Awaited<ReturnType<typeof buildProgram>>;

beforeAll(async () => {
  needStrace();
  program = await buildProgram("mail-steps.ts");
  unsynced = await buildProgram("mail-with-failed-sync.ts");
});
afterAll(() => {
  program.remove();
  unsynced.remove();
});

/**
 * One fault at the Nth call of its kind on the inbox's files, for N = 1, 2, 3… until a run meets none. Kinds that are
 * frequent and change nothing, or fail like others, are only sampled. The suite tries every sixth call.
 */
const faults = [
  ["openat", "error=EMFILE"],
  ["openat", "error=EROFS", 3],
  ["openat", "signal=KILL"],
  ["write", "error=ENOSPC"],
  ["write", "error=EDQUOT"],
  ["write", "error=EIO"],
  ["write", "signal=KILL"],
  ["pread64", "error=EIO", 2],
  ["statx", "error=EIO", 4],
  ["fdatasync", "error=EIO"],
  ["fdatasync", "signal=KILL"],
  ["fsync", "error=EIO"],
  ["close", "error=EIO"],
  ["close", "signal=KILL"],
  ["rename", "error=EIO"],
  ["rename", "signal=KILL"],
  ["unlink", "error=EIO"],
  ["unlink", "signal=KILL"],
] as const;

describe("fault at any system call of sending, reading, marking and rotating mail", () => {
  it.concurrent.for(faults)("%s %s", async ([call, fault, stride = 1], test) => {
    let hits = 0;
    for (let n = 1; ; n += isSoak ? stride : 6 * stride) {
      const home = temporaryFolder(test.onTestFinished);
      const before = await twoMails(home);
      const trace = join(home, "trace");
      const inboxes = join(home, "teams", "t", "inboxes");
      const paths = [inboxes, ...["", ".1", ".2", ".3"].map((end) => join(inboxes, `bert.jsonl${end}`))];
      const inject = ["-e", `trace=${call}`, "-e", `inject=${call}:${fault}:when=${n}`];
      const args = [
        "-f",
        ...onlyTheseStop(fault),
        "-qq",
        "-o",
        trace,
        ...paths.flatMap((path) => ["-P", path]),
        ...inject,
      ];
      const said = await run("strace", [...args, process.execPath, program.path, home]);
      const isKilled = said.at(-1)?.startsWith("close") !== true;
      await expectWhole(home, { before, said, code: fault.replace("error=", "") });
      if (!isKilled && !readFileSync(trace, "utf8").includes("INJECTED")) {
        expect(said.filter((line) => line.includes("failed"))).toEqual([]);
        break;
      }
      hits += 1;
    }
    expect(hits).toBeGreaterThan(0);
  });
});

it("text that the disk did not keep is reported at once and to the next sender; a retry keeps it", async (test) => {
  const home = temporaryFolder(test.onTestFinished);
  const path = join(home, "teams", "t", "inboxes", "bert.jsonl");
  const inject = ["-P", path, "-e", "trace=fdatasync", "-e", "inject=fdatasync:error=EIO:when=1"];
  const strace = ["-f", "-qq", "-o", "/dev/null", ...inject];
  const why = `Cannot sync ${path}: the disk reports an error; check the disk before you continue (EIO).`;
  expect(await run("strace", [...strace, process.execPath, unsynced.path, home])).toEqual([
    "sent one",
    `told The last writes to the inbox of bert may not survive a power cut. ${why}`,
    `failed ${why}`,
    "sent three",
    "one,three",
  ]);
});

interface Run {
  readonly before: readonly string[];
  readonly said: readonly string[];
  readonly code: string;
}

/**
 * Every acknowledged mail is there once with its mark. Apart from that only the interrupted step may have left
 * something.
 */
async function expectWhole(home: string, { before, said, code }: Run): Promise<void> {
  const steps = said.map((line) => line.split(" ") as [string, string, string?]);
  for (const [name, how, what, ...more] of steps) {
    if (how === "failed") expect([name, what, more]).toEqual([name, code, []]);
  }
  const done = (which: string) =>
    steps.filter(([name, how]) => name === which && how === "ok").map(([, , id]) => id ?? "");
  const stored = [...before, ...done("send")];
  const marked = done("mark").filter((id) => id !== "");
  const { mailbox, close } = openMail(home, { names: ["anna", "bert"] });
  const unread = (await mailbox.readUnread("bert")).map(({ id }) => id as string);
  // A mark without an acknowledgement may still count, and so may a mail.
  const begun = (which: string) => steps.filter(([name, how]) => name === which && how === "begins");
  const maybeMarked = begun("mark").map(([, , id]) => id ?? "");
  expect(unread.filter((id) => stored.includes(id))).toEqual(
    stored.filter((id) => !marked.includes(id) && (unread.includes(id) || !maybeMarked.includes(id))),
  );
  const strangers = unread.filter((id) => !stored.includes(id));
  expect(new Set(strangers).size).toBe(strangers.length);
  expect(strangers.length).toBeLessThanOrEqual(begun("send").length - done("send").length);
  // The inbox still works: the next mail is stored and read after all others, also by a new reader.
  const { id } = await mailbox.send({ from: "anna", to: "bert", text: "next" });
  await mailbox.markDelivered("bert", [id]);
  expect((await mailbox.readUnread("bert")).map((mail) => mail.id as string)).toEqual([...unread, id]);
  await close();
}

async function twoMails(home: string): Promise<string[]> {
  const { mailbox, close } = openMail(home, { names: ["anna", "bert"] });
  const ids: string[] = [];
  for (const text of ["one", "two"]) ids.push((await mailbox.send({ from: "anna", to: "bert", text })).id);
  await close();
  return ids;
}

function run(command: string, args: readonly string[]): Promise<string[]> {
  // strace counts calls per thread, so only one thread may do file work.
  const env = { ...process.env, UV_THREADPOOL_SIZE: "1" };
  return new Promise((resolve, reject) => {
    execFile(command, args, { env }, (_error, stdout, stderr) => {
      if (stderr !== "" && !stderr.includes("Killed")) reject(new Error(stderr));
      else resolve(stdout.split("\n").filter((line) => line !== ""));
    });
  });
}
