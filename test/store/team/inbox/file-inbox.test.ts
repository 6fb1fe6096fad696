import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createFolderWatcher, encodeLine, systemClock } from "../../../../src/platform/index.ts";
import type { MailId } from "../../../../src/protocol/index.ts";
import { openMailFiles, teamFiles } from "../../../../src/store/index.ts";
import { temporaryFolder } from "../../../support/files/temporary-folder.ts";
import { inboxConformance } from "../../../support/store/inbox-conformance.ts";
import { createId, textMail, textsOf } from "../../../support/mail/sample-mail.ts";

const openFiles = async (home: string, options: { readonly rotateBytes?: number } = {}) => {
  const files = teamFiles(home, "t");
  mkdirSync(files.folder, { recursive: true });
  const watcher = createFolderWatcher();
  const mail = openMailFiles({ team: "t", files, watcher, clock: systemClock, createId, ...options });
  const close = async () => {
    await mail.close();
    watcher.close();
  };
  return { ...mail, files, close };
};

inboxConformance("files", (home) => openFiles(home));
inboxConformance("files that are moved away at once", (home) => openFiles(home, { rotateBytes: 1 }));

async function start(options: { readonly rotateBytes?: number } = {}) {
  const home = temporaryFolder();
  const again = async () => {
    const store = await openFiles(home, options);
    onTestFinished(() => store.close());
    return store;
  };
  const store = await again();
  const path = join(store.files.inboxes, "bert.jsonl");
  return { store, again, path, inbox: store.inbox("bert"), names: () => readdirSync(store.files.inboxes).sort() };
}

describe("inbox on files", () => {
  it("tells nothing about an empty inbox that never had content, as earlier versions leave it", async () => {
    const { inbox, path } = await start();
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, "");
    expect((await inbox.peek()).problems).toEqual([]);
    const reader = await inbox.openReader();
    expect(reader.takeNotices()).toEqual([]);
    await reader.close();
  });

  it("tells that an emptied inbox may miss mail, once to its reader", async () => {
    const { inbox, path, again } = await start();
    await inbox.send(textMail("a"));
    truncateSync(path);
    expect((await inbox.peek()).problems).toEqual(["bert.jsonl: it is empty, so mail may be missing"]);
    expect((await inbox.peekUnread()).problems).toEqual(["bert.jsonl: it is empty, so mail may be missing"]);
    const reader = await inbox.openReader();
    expect(reader.takeNotices()).toEqual([`${path} is empty, so mail may be missing.`]);
    await reader.close();
    const later = await (await again()).inbox("bert").openReader();
    expect(later.takeNotices()).toEqual([]);
    expect((await inbox.peek()).problems).toEqual([]);
  });

  it("says nothing about an inbox that has never had mail", async () => {
    const { inbox, again } = await start();
    expect((await inbox.peek()).problems).toEqual([]);
    await (await inbox.openReader()).close();
    expect((await inbox.peek()).problems).toEqual([]);
    expect((await (await again()).inbox("bert").openReader()).takeNotices()).toEqual([]);
  });

  it("names a last line that is cut off, until it is complete", async () => {
    const { inbox, path } = await start();
    await inbox.send(textMail("a"));
    const whole = statSync(path).size;
    const line = encodeLine({ mail: textMail("b") });
    appendFileSync(path, line.slice(0, 20));
    const problem = expect.stringMatching(/^bert\.jsonl, byte \d+: the last line is cut off, or is being written$/);
    expect((await inbox.peek()).problems).toEqual([problem]);
    expect((await inbox.peekUnread()).problems).toEqual([problem]);
    expect((await inbox.peekUnread()).problems).toEqual([problem]);
    truncateSync(path, whole);
    appendFileSync(path, line);
    const { mail, problems } = await inbox.peekUnread();
    expect(textsOf(mail)).toEqual(["a", "b"]);
    expect(problems).toEqual([]);
  });

  it("sets a very deep line aside and returns all other mail", async () => {
    const { inbox, path, names } = await start();
    await inbox.send(textMail("a"));
    const nested = `${"[".repeat(5000)}${"]".repeat(5000)}`;
    const { id, from, to, timestamp } = textMail("deep");
    const deep = { mail: { id, from, to, timestamp, body: { kind: "zzz", x: "nested" } } };
    appendFileSync(path, `\n${JSON.stringify(deep).replace('"nested"', nested)}\n`);
    await inbox.send(textMail("b"));
    const reading = await inbox.peek();
    expect(textsOf(reading.mail)).toEqual(["a", "b"]);
    expect(reading.problems).toEqual([expect.stringContaining("nested deeper than 1000 levels")]);
    const reader = await inbox.openReader();
    expect(textsOf(await reader.unread())).toEqual(["a", "b"]);
    expect(reader.takeNotices()).toEqual([expect.stringContaining("nested deeper")]);
    expect(names().some((name) => name.startsWith("bert.jsonl.bad-"))).toBe(true);
  });

  it("reports a file of zeros to those who only look", async () => {
    const { inbox, path } = await start();
    await inbox.send(textMail("a"));
    writeFileSync(path, Buffer.alloc(statSync(path).size));
    expect(await inbox.peek()).toMatchObject({ mail: [], problems: [expect.stringContaining("ends in zeros")] });
  });

  it("is private to its owner", async () => {
    const { store, inbox, path } = await start();
    await inbox.send(textMail("a"));
    expect((statSync(path).mode & 0o777).toString(8)).toBe("600");
    expect((statSync(store.files.inboxes).mode & 0o777).toString(8)).toBe("700");
  });

  it("does not return once its team is deleted", async () => {
    const { store, inbox } = await start();
    rmSync(store.files.folder, { recursive: true });
    await expect(inbox.send(textMail("a"))).rejects.toMatchObject({ code: "team" });
    await expect(inbox.openReader()).rejects.toMatchObject({ code: "team" });
    expect(existsSync(store.files.folder)).toBe(false);
  });

  it("unreadable is an error, not empty", async () => {
    const { inbox, path, store } = await start();
    mkdirSync(store.files.inboxes);
    mkdirSync(path);
    await expect(inbox.peek()).rejects.toMatchObject({ code: "storage" });
    await expect(inbox.openReader()).rejects.toMatchObject({ code: "storage" });
    await expect(inbox.send(textMail("a"))).rejects.toMatchObject({ code: "storage" });
  });

  it("becomes unreadable: its followers get an error", async () => {
    const { inbox, path } = await start();
    const reader = await inbox.openReader();
    const batches = reader.follow(new AbortController().signal)[Symbol.asyncIterator]();
    const next = batches.next();
    rmSync(path);
    mkdirSync(path);
    await expect(next).rejects.toMatchObject({ code: "storage" });
  });

  it("unusual names have separate files below the folder", async () => {
    const { store, names } = await start();
    for (const name of ["..", "a/b", "a.b", "Bert", "bert", "名前"]) await store.inbox(name).send(textMail(name));
    expect(names()).toHaveLength(6);
    for (const name of ["..", "a/b", "a.b", "Bert", "bert", "名前"]) {
      expect(textsOf((await store.inbox(name).peek()).mail)).toEqual([name]);
    }
  });
});

describe("inbox that has grown", () => {
  it("rotates when most mail is read, and keeps only unread mail and the last file", async () => {
    const { inbox, again, names } = await start({ rotateBytes: 4_000 });
    const reader = await inbox.openReader();
    const stays = textMail("stays");
    await inbox.send(stays);
    for (let i = 0; i < 300; i++) {
      const mail = textMail(`${i} ${"x".repeat(100)}`);
      await inbox.send(mail);
      await reader.mark([mail.id], i % 2 === 0 ? "delivered" : "read");
      await reader.mark([mail.id], "read");
    }
    expect(textsOf(await reader.unread())).toEqual(["stays"]);
    await reader.close();
    expect(reader.takeNotices()).toEqual([]);
    const segments = names().filter((name) => /\.\d+$/.test(name));
    expect(segments.length).toBeLessThanOrEqual(2);
    const next = await (await again()).inbox("bert").openReader();
    expect((await next.unread()).map(({ mail }) => mail)).toEqual([stays]);
    const { compactedThrough, mail } = await inbox.peek();
    expect(compactedThrough?.startsWith("mail_")).toBe(true);
    expect(mail.length).toBeLessThan(60);
    expect(mail[0]?.mail).toEqual(stays);
  });

  it("recognizes a mail that its sender had to write twice", async () => {
    const { inbox, again, path } = await start({ rotateBytes: 1 });
    const reader = await inbox.openReader();
    const [a, b, c] = [textMail("a"), textMail("b"), textMail("c")];
    await inbox.send(a);
    await reader.mark([a.id], "read");
    expect(existsSync(`${path}.1`)).toBe(true);
    // As a sender that was stopped between its write and its second check.
    appendFileSync(path, encodeLine({ mail: a }) + encodeLine({ mail: b }));
    expect(textsOf(await reader.unread())).toEqual(["b"]);
    await reader.close();
    const next = await (await again()).inbox("bert").openReader();
    expect(textsOf(await next.unread())).toEqual(["b"]);
    await inbox.send(c);
    expect(textsOf(await next.unread())).toEqual(["b", "c"]);
  });

  it("recognizes it also when the file with the first copy is gone and its reader has restarted", async () => {
    const { inbox, again, path, names } = await start({ rotateBytes: 1 });
    const reader = await inbox.openReader();
    const [a, b] = [textMail("a"), textMail("b")];
    await inbox.send(a);
    await reader.mark([a.id], "read");
    appendFileSync(path, encodeLine({ mail: a }));
    await inbox.send(b);
    await reader.mark([b.id], "read");
    await reader.close();
    expect(names()).not.toContain("bert.jsonl.1");
    expect(readFileSync(`${path}.2`, "utf8")).toContain(a.id);
    const next = await (await again()).inbox("bert").openReader();
    expect(await next.unread()).toEqual([]);
  });

  it("loses no acknowledged mail while it is rotated again and again", async () => {
    const { inbox, again } = await start({ rotateBytes: 2_000 });
    const reader = await inbox.openReader();
    const senders = await Promise.all(Array.from({ length: 4 }, again));
    const seen: string[] = [];
    const sent: string[][] = [[], [], [], []];
    for (let round = 0; round < 200; round++) {
      await Promise.all(
        senders.map(async (sender, which) => {
          const text = `${which} ${round}`;
          await sender.inbox("bert").send(textMail(text));
          sent[which]?.push(text);
        }),
      );
      const unread = await reader.unread();
      seen.push(...textsOf(unread));
      await reader.mark(
        unread.map(({ mail }) => mail.id),
        "read",
      );
    }
    expect(seen).toHaveLength(800);
    for (const [which, texts] of sent.entries())
      expect(seen.filter((text) => text.startsWith(`${which} `))).toEqual(texts);
  });

  it("a watcher continues across the files", async () => {
    const { inbox, again } = await start({ rotateBytes: 500 });
    const reader = await inbox.openReader();
    const abort = new AbortController();
    const seen: string[] = [];
    for await (const batch of (await again()).inbox("bert").watch(abort.signal)) {
      seen.push(...textsOf(batch));
      if (seen.length >= 50) break;
      for (let i = 0; i < 5; i++) {
        const mail = textMail(`${seen.length + i}`);
        await inbox.send(mail);
        await reader.mark([mail.id], i < 4 ? "read" : "delivered");
      }
    }
    expect(new Set(seen).size).toBe(seen.length);
  });
});

describe("damaged inbox", () => {
  const sample = () => {
    const mails = ["one", "two", "three"].map((text) => textMail(text));
    return { mails, bytes: Buffer.from(mails.map((mail) => encodeLine({ mail })).join("")) };
  };

  it("returns the valid mail, sets the rest aside, and reports it once, also across restarts", async () => {
    const { inbox, again, path, names } = await start();
    const { mails, bytes } = sample();
    mkdirSync(join(path, ".."));
    bytes[bytes.indexOf("two") + 1] = 0x58;
    writeFileSync(path, bytes);
    const reader = await inbox.openReader();
    expect((await reader.unread()).map(({ mail }) => mail)).toEqual([mails[0], mails[2]]);
    const [notice, ...others] = reader.takeNotices();
    expect(notice).toMatch(/bert\.jsonl: cannot read a line \(its checksum does not match\); .*bert\.jsonl\.bad-/);
    expect(others).toEqual([]);
    await reader.close();
    const bad = names().filter((name) => name.includes(".bad-"));
    expect(bad).toHaveLength(1);
    expect(readFileSync(join(path, "..", bad[0] ?? ""), "utf8")).toContain("tXo");
    const next = await (await again()).inbox("bert").openReader();
    expect(await next.unread()).toHaveLength(2);
    expect(next.takeNotices()).toEqual([]);
    expect(names().filter((name) => name.includes(".bad-"))).toEqual(bad);
  });

  it("any byte flipped: no mail is changed, no other mail is lost, and the damage is reported", async () => {
    const { inbox, path, names } = await start();
    const { mails, bytes } = sample();
    mkdirSync(join(path, ".."));
    // Not the last newline: an unfinished line may still be written.
    for (let at = 0; at < bytes.length - 1; at++) {
      const flipped = Buffer.from(bytes);
      flipped[at] = (flipped[at] ?? 0) ^ (1 << (at % 8));
      writeFileSync(path, flipped);
      const { mail, problems } = await inbox.peek();
      const whole = mail.map((held) => held.mail);
      // A newline between two records may be lost: there are two of them.
      expect(whole.length + problems.length, `byte ${at}`).toBe(3);
      expect(problems.length).toBeLessThanOrEqual(1);
      expect(mails.filter(({ id }) => whole.some((found) => found.id === id))).toEqual(whole);
      if (at % 64 > 0) continue;
      const reader = await inbox.openReader();
      expect((await reader.unread()).map((held) => held.mail)).toEqual(whole);
      expect(reader.takeNotices()).toHaveLength(problems.length);
      await reader.close();
      for (const name of names()) if (name.includes(".bad-")) rmSync(join(path, "..", name));
    }
  });

  it("cut at any length: complete mail is there, and the next mail arrives", async () => {
    const { inbox, path } = await start();
    const { mails, bytes } = sample();
    mkdirSync(join(path, ".."));
    const ends = mails.map(
      (_, i) =>
        mails
          .slice(0, i + 1)
          .map((mail) => encodeLine({ mail }))
          .join("").length,
    );
    for (let length = 0; length <= bytes.length; length++) {
      writeFileSync(path, bytes.subarray(0, length));
      const next = textMail("next");
      if (length % 32 === 0) {
        const reader = await inbox.openReader();
        await inbox.send(next);
        const found = (await reader.unread()).map(({ mail }) => mail);
        expect(found).toEqual([...mails.filter((_, i) => (ends[i] ?? 0) - 1 <= length), next]);
        await reader.close();
        continue;
      }
      await inbox.send(next);
      expect((await inbox.peek()).mail.map(({ mail }) => mail)).toEqual([
        ...mails.filter((_, i) => (ends[i] ?? 0) - 1 <= length),
        next,
      ]);
    }
  });

  it("invalid lines are reported and block nothing; an unknown kind of mail is shown as text", async () => {
    const { inbox, path } = await start();
    mkdirSync(join(path, ".."));
    const newer = { ...textMail("x"), body: { kind: "hologram", beam: 3 } };
    const lines = [
      "[]",
      "null",
      '{"mail":{}}',
      '{"mail":{"id":"mail_12345678"}}',
      '{"mark":"read"}',
      '{"__proto__":1}',
      "{",
      '""',
    ];
    writeFileSync(path, `\ufeff${lines.join("\n")}\n${JSON.stringify({ mail: newer })}\n`);
    await inbox.send(textMail("whole"));
    const reader = await inbox.openReader();
    expect(textsOf(await reader.unread())).toEqual(['{"kind":"hologram","beam":3}', "whole"]);
    expect(reader.takeNotices()).toEqual([expect.stringContaining("cannot read 8 lines")]);
  });

  it("a reader whose file is cut, removed or moved continues and reports it", async () => {
    const { inbox, path } = await start();
    const reader = await inbox.openReader();
    const send = async (text: string) => {
      const mail = textMail(text);
      await inbox.send(mail);
      return mail;
    };
    await send("a");
    await send("b");
    expect(textsOf(await reader.unread())).toEqual(["a", "b"]);
    truncateSync(path, 10);
    await send("c");
    expect(textsOf(await reader.unread())).toEqual(["a", "b", "c"]);
    expect(reader.takeNotices()).toEqual([
      expect.stringMatching(/^another program cut .* from \d+ to \d+ bytes; the rest is read again\.$/),
      expect.stringMatching(/: cannot read .*; the content is in /),
    ]);
    rmSync(path);
    await send("d");
    expect(textsOf(await reader.unread())).toEqual(["a", "b", "c", "d"]);
    renameSync(path, `${path}-elsewhere`);
    await send("e");
    await reader.mark([(await reader.unread())[0]?.mail.id as MailId], "read");
    expect(textsOf(await reader.unread())).toEqual(["b", "c", "d", "e"]);
    expect(reader.takeNotices()).toEqual([
      expect.stringMatching(/^another program moved or removed .*\.$/),
      expect.stringMatching(/^another program moved or removed .*\.$/),
    ]);
  });
});
