import { describe, expect, onTestFinished } from "vitest";
import type { HeldMail, Inbox, MailBodies } from "../../../src/store/index.ts";
import { type Cannot, heldBy } from "./test-if-supported.ts";
import { temporaryFolder } from "../files/temporary-folder.ts";
import { bodyMail, createId, shutdownRequest, textMail, textsOf } from "../mail/sample-mail.ts";
import type { MailId } from "../../../src/protocol/index.ts";

export interface OpenMail {
  inbox(member: string): Inbox;
  readonly bodies: MailBodies;
  close(): Promise<void>;
}

/** The contract of every mail store. `open` opens the same team again at each call, as another process would. */
export function inboxConformance(name: string, open: (home: string) => Promise<OpenMail>, cannot: Cannot = {}): void {
  const it = heldBy(cannot);
  const start = async () => {
    const home = temporaryFolder();
    const opened: OpenMail[] = [];
    const another = async () => {
      const store = await open(home);
      opened.push(store);
      return store;
    };
    onTestFinished(async () => {
      for (const store of opened) await store.close();
    });
    return { home, another, store: await another() };
  };

  describe(`mail in ${name}`, () => {
    it("unused inbox is empty, and looking at it creates nothing", async () => {
      const { store } = await start();
      expect(await store.inbox("bert").peek()).toEqual({ mail: [], problems: [] });
    });

    it("stored mail is visible to every process, as sent, in the order of one sender's calls", async () => {
      const { store, another } = await start();
      const mails = [
        textMail("one", { summary: "first", color: "blue", urgent: true }),
        bodyMail(shutdownRequest(), { signature: "x" }),
        textMail('{"kind":"shutdown_request"}\n\u2028\0 "ü🎭\ud800'),
        textMail("four", { replyTo: createId<MailId>("mail") }),
      ];
      await Promise.all(mails.map((mail) => store.inbox("bert").send(mail)));
      for (const seen of [store, await another()]) {
        const { mail } = await seen.inbox("bert").peek();
        expect(mail).toEqual(mails.map((sent) => ({ mail: sent, state: "queued" })));
      }
      expect((await store.inbox("carl").peek()).mail).toEqual([]);
    });

    it("order follows the calls, whatever the clock says", async () => {
      const { store } = await start();
      const inbox = store.inbox("bert");
      for (const hour of [9, 5, 7]) await inbox.send(textMail(`${hour}`, { timestamp: `2026-01-01T0${hour}:00:00Z` }));
      expect(textsOf((await inbox.peek()).mail)).toEqual(["9", "5", "7"]);
    });

    it("the same id again is the same mail", async () => {
      const { store, another } = await start();
      const mail = textMail("once");
      await store.inbox("bert").send(mail);
      await store.inbox("bert").send(textMail("other"));
      await (await another()).inbox("bert").send(mail);
      const reader = await store.inbox("bert").openReader();
      expect(textsOf(await reader.unread())).toEqual(["once", "other"]);
      expect(textsOf((await store.inbox("bert").peek()).mail)).toEqual(["once", "other"]);
    });

    it("repeated query of unread mail without being the reader returns exactly that each time", async () => {
      const { store, another } = await start();
      const looker = (await another()).inbox("bert");
      const unread = async () => textsOf((await looker.peekUnread()).mail);
      expect(await unread()).toEqual([]);
      const reader = await store.inbox("bert").openReader();
      const sent: MailId[] = [];
      for (let round = 0; round < 6; round++) {
        const mail = textMail(`${round}`);
        await store.inbox("bert").send(mail);
        sent.push(mail.id);
        expect(await unread()).toEqual([round - 1, round].filter((which) => which >= 0).map(String));
        if (round > 0) await reader.mark([sent[round - 1] as MailId], "read");
        expect(await unread()).toEqual([`${round}`]);
        await reader.mark([mail.id], "delivered");
        expect(await unread()).toEqual([`${round}`]);
      }
    });

    it("marks only advance, are stored, and are visible to every process", async () => {
      const { store, another } = await start();
      const mails = ["a", "b", "c"].map((text) => textMail(text));
      const [a, b, c] = mails.map(({ id }) => id) as [MailId, MailId, MailId];
      for (const mail of mails) await store.inbox("bert").send(mail);
      const reader = await store.inbox("bert").openReader();
      await reader.mark([a, b], "delivered");
      await reader.mark([b, createId<MailId>("mail")], "read");
      await reader.mark([b], "delivered");
      const states = (held: readonly HeldMail[]) => held.map(({ mail, state }) => [mail.id, state]);
      const expected = [
        [a, "delivered"],
        [b, "read"],
        [c, "queued"],
      ];
      expect(states(await reader.unread())).toEqual([expected[0], expected[2]]);
      const other = await another();
      expect(states((await other.inbox("bert").peek()).mail)).toEqual(expected);
      await reader.close();
      const next = await other.inbox("bert").openReader();
      expect(states(await next.unread())).toEqual([expected[0], expected[2]]);
    });

    it("mail can be marked as soon as it is stored", async () => {
      const { store, another } = await start();
      const reader = await store.inbox("bert").openReader();
      const mail = textMail("a");
      await (await another()).inbox("bert").send(mail);
      await reader.mark([mail.id], "read");
      expect(await reader.unread()).toEqual([]);
    });

    it("inbox has one reader: a second one reads who holds it and gets it after the first closes", async () => {
      const { store, another } = await start();
      const other = await another();
      const reader = await store.inbox("bert").openReader();
      const refused = { code: "session_busy", message: expect.stringContaining(`process ${process.pid}`) };
      await expect(other.inbox("bert").openReader()).rejects.toMatchObject(refused);
      await expect(store.inbox("bert").openReader()).rejects.toMatchObject(refused);
      await other.inbox("carl").openReader();
      await reader.close();
      await other.inbox("bert").openReader();
    });

    it("following yields unread mail, then all new mail, each once, and no read mail", async () => {
      const { store, another } = await start();
      const sender = (await another()).inbox("bert");
      const [a, b] = [textMail("a"), textMail("b")];
      for (const mail of [a, b]) await sender.send(mail);
      const reader = await store.inbox("bert").openReader();
      await reader.mark([a.id], "read");
      const abort = new AbortController();
      const seen: string[] = [];
      for await (const batch of reader.follow(abort.signal)) {
        seen.push(...textsOf(batch));
        if (seen.length < 40) await sender.send(textMail(`more ${seen.length}`));
        else abort.abort();
      }
      expect(seen).toEqual(["b", ...Array.from({ length: 39 }, (_, i) => `more ${i + 1}`)]);
    });

    it("following ends with its signal, with the reader and with the store", async () => {
      const { store, another } = await start();
      const other = await another();
      const collect = async (batches: AsyncIterable<readonly HeldMail[]>) => {
        let count = 0;
        for await (const batch of batches) count += batch.length;
        return count;
      };
      const never = new AbortController().signal;
      const abort = new AbortController();
      const reader = await store.inbox("bert").openReader();
      const ends = [collect(reader.follow(abort.signal)), collect(store.inbox("bert").watch(abort.signal))];
      abort.abort();
      expect(await Promise.all(ends)).toEqual([0, 0]);
      expect(await collect(reader.follow(abort.signal))).toBe(0);
      const byReader = collect(reader.follow(never));
      await reader.close();
      expect(await byReader).toBe(0);
      const second = await other.inbox("bert").openReader();
      const byStore = [collect(second.follow(never)), collect(other.inbox("bert").watch(never))];
      await other.close();
      expect(await Promise.all(byStore)).toEqual([0, 0]);
    });

    it("watching yields everything once and does not block the reader", async () => {
      const { store, another } = await start();
      const inbox = store.inbox("bert");
      await inbox.send(textMail("a"));
      const reader = await inbox.openReader();
      await reader.mark([(await reader.unread())[0]?.mail.id as MailId], "read");
      const abort = new AbortController();
      const seen: string[] = [];
      for await (const batch of (await another()).inbox("bert").watch(abort.signal)) {
        seen.push(...textsOf(batch));
        if (seen.length < 5) await inbox.send(textMail(`${seen.length}`));
        else abort.abort();
      }
      expect(seen).toEqual(["a", "1", "2", "3", "4"]);
    });

    it("large body is read in full under its given name only", async () => {
      const { store, another } = await start();
      const text = "ü\n".repeat(100_000);
      const body = await store.bodies.save(createId<MailId>("mail"), text);
      const other = await another();
      expect(await other.bodies.read(body)).toBe(text);
      expect(other.bodies.pathOf("../../team.jsonl")).toBeUndefined();
      await expect(other.bodies.read("../keys/anna")).rejects.toMatchObject({ code: "mail" });
    });
  });
}
