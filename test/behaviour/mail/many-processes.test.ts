import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { buildProgram } from "../../support/processes/build-program.ts";
import { temporaryFolder } from "../../support/files/temporary-folder.ts";
import { openMail } from "../../support/mail/open-mail.ts";
import { isSoak, soakRounds } from "../../support/setup/soak-rounds.ts";

const killRounds = soakRounds({ suite: 16, soak: 10_000 });
const [senderCount, mailCount] = isSoak ? [64, 500] : [16, 100];
const mailsToRead = isSoak ? 300 : 100;

let sender: Awaited<ReturnType<typeof buildProgram>>;
let reader: Awaited<ReturnType<typeof buildProgram>>;

beforeAll(async () => {
  sender = await buildProgram("send-mail.ts");
  reader = await buildProgram("read-mail.ts");
});
afterAll(() => {
  sender.remove();
  reader.remove();
});

describe("mail between processes", () => {
  it(`${senderCount} senders of ${mailCount} mails each, one compacting reader: each is read once, in sender order`, async () => {
    const { home, inbox } = start("bert", { rotateBytes: 400_000 });
    const senders = Array.from({ length: senderCount }, (_, n) => `sender-${n}`);
    const sent = Promise.all(senders.map((from) => run(sender.path, [home, from, "bert", String(mailCount)])));
    const seen = await inbox.until(({ length }) => length >= senderCount * mailCount);
    const acknowledged = (await sent).flatMap(({ code, lines }) => (code === 0 ? lines : ["failed"]));
    expect(acknowledged).toHaveLength(senderCount * mailCount);
    await inbox.close();
    expect(seen).toHaveLength(senderCount * mailCount);
    expect(new Set(seen.map(({ id }) => id))).toEqual(new Set(acknowledged.map((line) => line.split(" ")[0])));
    for (const from of senders) {
      const numbers = seen.filter((mail) => mail.from === from).map(({ number }) => number);
      expect(numbers).toEqual(Array.from({ length: mailCount }, (_, n) => n));
    }
    expect(inbox.notices()).toEqual([]);
  });

  it(`${killRounds} senders killed at any moment: no acknowledged mail is lost or doubled`, {
    timeout: 300_000 + killRounds * 10_000,
  }, async () => {
    const { home, inbox } = start("bert", { rotateBytes: 300_000 });
    const acknowledged: string[] = [];
    let started = 0;
    const killOnAndOn = async () => {
      while (started < killRounds) {
        const round = started++;
        acknowledged.push(...(await sendAndKill([home, `sender-${round}`, "bert", "0"], 1 + ((round * 7919) % 29))));
      }
    };
    await Promise.all(Array.from({ length: 4 }, killOnAndOn));
    const last = await run(sender.path, [home, "last", "bert", "3"]);
    acknowledged.push(...last.lines.map((line) => line.split(" ")[0] ?? ""));
    const seen = await inbox.until((mails) => mails.filter(({ from }) => from === "last").length === 3);
    await inbox.close();
    const ids = seen.map(({ id }) => id);
    const known = new Set<string>(ids);
    expect(known.size).toBe(ids.length);
    expect(acknowledged.filter((id) => !known.has(id))).toEqual([]);
    expect(ids.length - acknowledged.length).toBeLessThanOrEqual(killRounds);
    const bySender = new Map<string, number[]>();
    for (const { from, number } of seen) bySender.set(from, [...(bySender.get(from) ?? []), number]);
    for (const numbers of bySender.values()) expect(numbers).toEqual(numbers.map((_, n) => n));
    for (const notice of inbox.notices()) expect(notice).toMatch(/cannot read (a line|\d+ lines)/);
  });

  it("reader killed between any two steps: no mail is stored twice and none is skipped", async () => {
    const home = temporaryFolder();
    const transcript = join(home, "transcript");
    const { lines } = await run(sender.path, [home, "anna", "bert", String(mailsToRead)]);
    const args = [reader.path, home, "bert", transcript, String(mailsToRead)];
    let rounds = 0;
    for (; rounds < 200; rounds++) {
      const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
      onTestFinished(() => void child.kill("SIGKILL"));
      killAtWord(child, 1 + ((rounds * 7919) % 211));
      const [code] = (await once(child, "close")) as [number | null];
      if (code === 0) break;
    }
    expect(rounds).toBeGreaterThan(2);
    const put = readFileSync(transcript, "utf8").trim().split("\n");
    expect(put).toEqual(lines.map((line) => line.split(" ")[0]));
    const { mailbox, close } = openMail(home, { names: ["bert"] });
    expect(await mailbox.readUnread("bert")).toEqual([]);
    await close();
  });
});

interface Seen {
  readonly id: string;
  readonly from: string;
  readonly number: number;
}

/** Follows an inbox in this process and marks everything it receives. */
function start(name: string, { rotateBytes }: { readonly rotateBytes: number }) {
  const home = temporaryFolder();
  const { mailbox, close } = openMail(home, { names: [name], rotateBytes });
  const seen: Seen[] = [];
  const abort = new AbortController();
  let check: () => void = () => undefined;
  const follow = async () => {
    for await (const { id, from, body } of mailbox.follow(name, abort.signal)) {
      const text = (body.kind === "text" ? body.text : body.kind === "idle_notification" ? body.result : "") ?? "";
      seen.push({ id, from, number: Number(text.split(" ")[0]) });
      await mailbox.markRead(name, [id]);
      check();
    }
  };
  const following = follow();
  const until = (isEnough: (mails: readonly Seen[]) => boolean) =>
    Promise.race([
      following.then(() => seen),
      new Promise<readonly Seen[]>((resolve) => {
        check = () => (isEnough(seen) ? resolve(seen) : undefined);
        check();
      }),
    ]);
  const notices: string[] = [];
  const end = async () => {
    notices.push(...mailbox.takeNotices(name));
    abort.abort();
    await following;
    await close();
  };
  onTestFinished(end);
  return { home, inbox: { until, close: end, notices: () => notices } };
}

async function run(program: string, args: readonly string[]): Promise<{ code: number | null; lines: string[] }> {
  const child = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const said = collect(child);
  const [code] = (await once(child, "close")) as [number | null];
  return { code, lines: said() };
}

/** Kills the process after it has printed `words` lines. Returns the mail it acknowledged. */
async function sendAndKill(args: readonly string[], words: number): Promise<string[]> {
  const child = spawn(process.execPath, [sender.path, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const said = collect(child);
  killAtWord(child, words);
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  expect({ code, signal }).toEqual({ code: null, signal: "SIGKILL" });
  return said().map((line) => line.split(" ")[0] ?? "");
}

function killAtWord(child: ChildProcess, words: number): void {
  let said = 0;
  child.stdout?.on("data", (data: Buffer) => {
    for (const byte of data) if (byte === 0x0a) said += 1;
    if (said >= words) child.kill("SIGKILL");
  });
}

function collect(child: ChildProcess): () => string[] {
  let said = "";
  child.stdout?.on("data", (data: Buffer) => (said += data.toString()));
  return () => said.split("\n").slice(0, -1);
}
