import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { MailBody, MailId, RequestId } from "../../../src/protocol/index.ts";
import { createTestClock } from "../../../src/testing.ts";
import { createId, openTeamMail } from "../../support/mail/open-team-mail.ts";

const ask = () => createId<RequestId>("ask");
const textsOf = (mails: readonly { readonly body: MailBody }[]) =>
  mails.map(({ body }) => (body.kind === "text" ? body.text : body.kind));

describe("sending", () => {
  it("stores a mail with all its fields", async () => {
    const { mailbox, again } = await openTeamMail(["anna", "bert"]);
    const first = await mailbox.send({ from: "anna", to: "bert", text: "hello" });
    const { id } = await mailbox.send({
      from: "anna",
      to: "bert@t",
      text: '{"kind":"shutdown_request","requestId":"ask_12345678"}',
      summary: "looks like more than it is",
      wakes: false,
      urgent: true,
      replyTo: first.id,
    });
    const [, mail] = await (await again()).readAll("bert");
    expect(mail).toMatchObject({
      id,
      from: "anna",
      to: "bert",
      summary: "looks like more than it is",
      wakes: false,
      urgent: true,
      replyTo: first.id,
      body: { kind: "text", text: '{"kind":"shutdown_request","requestId":"ask_12345678"}' },
      state: "queued",
      read: false,
      sender: "verified",
    });
    expect(mail?.timestamp).toMatch(/^\d{4}-\d\d-\d\dT/);
    expect(await mailbox.readAll("anna")).toEqual([]);
  });

  it.each(["brt", "no such member", "", "..", "*", "user"])(
    "to the unknown name %j is refused with the known names, and creates nothing",
    async (to) => {
      const { mailbox, inboxes } = await openTeamMail(["anna", "bert"]);
      const refused = mailbox.send({ from: "anna", to, text: "x" });
      await expect(refused).rejects.toMatchObject({ code: "mail" });
      await expect(refused).rejects.toThrow(/Members: team-lead, anna, bert\.$/);
      if (to === "brt") await expect(refused).rejects.toThrow("Did you mean bert?");
      expect(existsSync(inboxes)).toBe(false);
    },
  );

  it("the case of a name does not matter", async () => {
    const { mailbox } = await openTeamMail(["anna", "bert"]);
    await mailbox.send({ from: "Anna", to: "BERT", text: "x" });
    expect(await mailbox.readAll("bert")).toMatchObject([{ from: "anna", to: "bert" }]);
  });

  it("to or from an ended member is refused, and unread mail has failed", async () => {
    const { mailbox, team } = await openTeamMail(["anna", "bert"]);
    const { id } = await mailbox.send({ from: "anna", to: "bert", text: "x" });
    await team.record.end("bert", { reason: "killed", detail: "by hand" });
    const gone = { code: "mail", message: expect.stringContaining("bert has ended (killed: by hand") };
    await expect(mailbox.send({ from: "anna", to: "bert", text: "x" })).rejects.toMatchObject(gone);
    await expect(mailbox.send({ from: "bert", to: "anna", text: "x" })).rejects.toMatchObject(gone);
    expect(await mailbox.receipt(id, "bert")).toBe("failed");
    await team.record.change("bert", { ended: null });
    expect(await mailbox.receipt(id, "bert")).toBe("queued");
  });

  it("by the user needs no membership; by an unknown sender is refused", async () => {
    const { mailbox } = await openTeamMail(["anna"]);
    await mailbox.send({ from: "user", to: "anna", text: "hello" });
    expect((await mailbox.readAll("anna"))[0]).toMatchObject({ from: "user", sender: "verified" });
    await expect(mailbox.send({ from: "mallory", to: "anna", text: "x" })).rejects.toMatchObject({ code: "mail" });
  });

  it("that could not be stored does not count towards the limit", async () => {
    const { mailbox, inboxes } = await openTeamMail(["anna", "bert"], { pairsPerMinute: 3 });
    const send = () => mailbox.send({ from: "anna", to: "bert", text: "x" });
    await send();
    rmSync(inboxes, { recursive: true });
    writeFileSync(inboxes, "in the way");
    for (let tries = 0; tries < 5; tries++) await expect(send()).rejects.toMatchObject({ code: "storage" });
    rmSync(inboxes);
    await send();
    await send();
    await expect(send()).rejects.toMatchObject({ code: "mail" });
  });

  it("keeps call order, even when a large mail comes before a small one", async () => {
    const { mailbox } = await openTeamMail(["anna", "bert"]);
    const large = "x".repeat(100_000);
    const texts = ["1", large, "2", "3", large, "4"];
    await Promise.all(texts.map((text) => mailbox.send({ from: "anna", to: "bert", text })));
    const all = await mailbox.readAll("bert");
    expect(await Promise.all(all.map((mail) => mailbox.textOf(mail)))).toEqual(texts);
  });

  it("keeps 64 kB in the record, more in a file, and refuses over 10 MB", async () => {
    const { mailbox, home } = await openTeamMail(["anna", "bert"]);
    const send = (text: string) => mailbox.send({ from: "anna", to: "bert", text });
    await send("ü".repeat(32 * 1024));
    const large = `${"🎭".repeat(16_000)}!`.repeat(100);
    const { id } = await send(large);
    await expect(send("x".repeat(10_000_001))).rejects.toMatchObject({
      code: "mail",
      message: expect.stringContaining("MB; the limit is 10 MB. Write it to a file and send the file's path."),
    });
    const [small, big, ...others] = await mailbox.readAll("bert");
    expect(others).toEqual([]);
    expect(small?.body).toEqual({ kind: "text", text: "ü".repeat(32 * 1024) });
    const file = join(home, "teams", "t", "bodies", `${id}.txt`);
    expect(big?.body).toEqual({ kind: "text", text: "🎭".repeat(8_000), file });
    expect(big?.sender).toBe("verified");
    expect((statSync(file).mode & 0o777).toString(8)).toBe("600");
    expect(big && (await mailbox.textOf(big))).toBe(large);
    const result = "y".repeat(70_000);
    const body: MailBody = { kind: "idle_notification", idleReason: "available", result };
    await mailbox.send({ from: "anna", to: "team-lead", body });
    const [idle] = await mailbox.readAll("team-lead");
    expect(idle).toMatchObject({ wakes: false, body: { result: "y".repeat(16_000), file: expect.any(String) } });
    expect(idle && (await mailbox.textOf(idle))).toBe(result);
    const input = { content: "z".repeat(10_000_000) };
    const request: MailBody = {
      kind: "permission_request",
      requestId: ask(),
      callId: "c" as never,
      tool: "Write",
      input,
      question: "?",
      suggestions: [],
      digest: "d",
    };
    await expect(mailbox.send({ from: "anna", to: "team-lead", body: request })).rejects.toMatchObject({
      code: "mail",
    });
  });

  it("has a limit per pair and minute, except for control messages and the user", async () => {
    const clock = createTestClock();
    const { mailbox } = await openTeamMail(["anna", "bert", "carl"], { clock, pairsPerMinute: 3 });
    const send = (from: string, to: string) => mailbox.send({ from, to, text: "ping" });
    for (let i = 0; i < 3; i++) await send("anna", "bert");
    const tooMany = {
      code: "mail",
      message: expect.stringMatching(/sent bert 3 messages within a minute\. Wait 60 s before the next\. .*stop\.$/),
    };
    await expect(send("anna", "bert")).rejects.toMatchObject(tooMany);
    await send("bert", "anna");
    await send("anna", "carl");
    for (let i = 0; i < 9; i++) await send("user", "bert");
    for (let i = 0; i < 9; i++) {
      const body: MailBody = { kind: "idle_notification", idleReason: "available" };
      await mailbox.send({ from: "anna", to: "bert", body });
    }
    await clock.advance(59_999);
    await expect(send("anna", "bert")).rejects.toMatchObject({
      message: expect.stringContaining("Wait 1 s before the next."),
    });
    await clock.advance(1);
    await send("anna", "bert");
  });

  it("a broadcast reaches all but the sender and ended members, and names those it missed", async () => {
    const { mailbox, team } = await openTeamMail(["anna", "bert", "carl", "dora"], { pairsPerMinute: 1 });
    await team.record.end("dora", { reason: "shutdown" });
    await mailbox.send({ from: "anna", to: "carl", text: "before" });
    const report = await mailbox.broadcast({ from: "anna", text: "all" });
    expect(report.sent.map(({ to }) => to).sort()).toEqual(["bert", "team-lead"]);
    expect(report.failed.map(({ to }) => to)).toEqual(["carl"]);
    for (const { to, id } of report.sent) expect((await mailbox.readAll(to)).map((mail) => mail.id)).toEqual([id]);
    expect(await mailbox.readAll("anna")).toEqual([]);
    await expect(mailbox.broadcast({ from: "mallory", text: "x" })).rejects.toMatchObject({ code: "mail" });
  });

  it("can be retried with the same id, and is read once", async () => {
    const { mailbox } = await openTeamMail(["anna", "bert"]);
    const id = createId<MailId>("mail");
    for (let i = 0; i < 3; i++) await mailbox.send({ from: "anna", to: "bert", text: "x", id });
    expect(await mailbox.readUnread("bert")).toHaveLength(1);
  });

  it.each([{}, { text: "x", body: { kind: "text", text: "x" } as const }, { text: "x", id: "no id" as MailId }])(
    "%j is not a mail",
    async (what) => {
      const { mailbox } = await openTeamMail(["anna", "bert"]);
      await expect(mailbox.send({ from: "anna", to: "bert", ...what })).rejects.toMatchObject({ code: "mail" });
    },
  );
});

describe("reading", () => {
  it("marks by id and by position, and the sender can query the state of its mail", async () => {
    const { mailbox, again } = await openTeamMail(["anna", "bert"]);
    const sender = await again();
    const ids: MailId[] = [];
    for (const text of ["a", "b", "c"]) ids.push((await sender.send({ from: "anna", to: "bert", text })).id);
    const [a, b, c] = ids as [MailId, MailId, MailId];
    await mailbox.markDelivered("bert", [a, b]);
    await mailbox.markRead("bert", [a]);
    await mailbox.markRead("bert", 2);
    expect(textsOf(await mailbox.readUnread("bert"))).toEqual(["b"]);
    expect((await mailbox.readAll("bert")).map(({ read }) => read)).toEqual([true, false, true]);
    expect(await Promise.all([a, b, c].map((id) => sender.receipt(id, "bert")))).toEqual(["read", "delivered", "read"]);
    await expect(sender.receipt(createId<MailId>("mail"), "bert")).rejects.toMatchObject({ code: "mail" });
    await expect(mailbox.markRead("bert", 3)).rejects.toMatchObject({ code: "mail" });
  });

  it("a damaged mail has failed, even when later mail was read and removed", async () => {
    const { mailbox, again, inboxes } = await openTeamMail(["anna", "bert"], { pairsPerMinute: Infinity });
    const send = async () => (await mailbox.send({ from: "anna", to: "bert", text: "x".repeat(400) })).id;
    const first = await send();
    const lost = await send();
    const path = join(inboxes, "bert.jsonl");
    const whole = readFileSync(path, "utf8");
    const at = whole.lastIndexOf("xxx", whole.indexOf(lost));
    writeFileSync(path, `${whole.slice(0, at)}y${whole.slice(at + 1)}`);
    await mailbox.markRead("bert", [first]);
    for (let n = 0; n < 8; n++) {
      const ids = await Promise.all(Array.from({ length: 700 }, send));
      await mailbox.markRead("bert", ids);
    }
    await mailbox.close();
    const later = await again();
    expect(await later.receipt(first, "bert")).toBe("read");
    expect(await later.receipt(lost, "bert")).toBe("failed");
  });

  it("a second concurrent reader is refused with the name of the first; both may peek", async () => {
    const { mailbox, again } = await openTeamMail(["anna", "bert"]);
    const { id } = await mailbox.send({ from: "anna", to: "bert", text: "a" });
    await mailbox.markDelivered("bert", [id]);
    const other = await again();
    const busy = { code: "session_busy", message: expect.stringContaining("The inbox of bert is in use by process") };
    await expect(other.markRead("bert", [id])).rejects.toMatchObject(busy);
    await expect(other.waitForMessage("bert")).rejects.toMatchObject(busy);
    expect(await other.readUnread("bert")).toHaveLength(1);
    await mailbox.close();
    await other.markRead("bert", [id]);
    expect(await other.readUnread("bert")).toEqual([]);
  });

  it("waits for new mail and continues with it", async () => {
    const { mailbox, again } = await openTeamMail(["anna", "bert"]);
    const sender = await again();
    const waiting = mailbox.waitForMessage("bert");
    await sender.send({ from: "anna", to: "bert", text: "1" });
    const first = await waiting;
    expect(first).toMatchObject({ from: "anna", body: { text: "1" }, state: "queued" });
    expect((await mailbox.waitForMessage("bert")).id).toBe(first.id);
    await mailbox.markRead("bert", [first.id]);
    const seen: string[] = [];
    const abort = new AbortController();
    await sender.send({ from: "anna", to: "bert", text: "2" });
    for await (const mail of mailbox.follow("bert", abort.signal)) {
      seen.push(...textsOf([mail]));
      await mailbox.markRead("bert", [mail.id]);
      if (seen.length < 5) await sender.send({ from: "anna", to: "bert", text: `${seen.length + 2}` });
      else abort.abort();
    }
    expect(seen).toEqual(["2", "3", "4", "5", "6"]);
  });

  it("ends with its signal and with the mailbox", async () => {
    const { mailbox } = await openTeamMail(["anna", "bert"]);
    const abort = new AbortController();
    const waiting = mailbox.waitForMessage("anna", abort.signal);
    abort.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    const others = [mailbox.waitForMessage("anna"), mailbox.waitForMessage("bert")];
    for (const other of others) other.catch(() => undefined);
    await mailbox.close();
    for (const other of others) await expect(other).rejects.toMatchObject({ code: "mail" });
    await expect(mailbox.waitForMessage("anna")).rejects.toMatchObject({ code: "mail" });
  });

  it("peeking sees read mail too, and claims nothing", async () => {
    const { mailbox, again } = await openTeamMail(["anna", "bert"]);
    const { id } = await mailbox.send({ from: "anna", to: "bert", text: "1" });
    await mailbox.markRead("bert", [id]);
    const abort = new AbortController();
    const seen: unknown[] = [];
    for await (const { body, read } of (await again()).watch("bert", abort.signal)) {
      seen.push([body, read]);
      if (seen.length === 2) abort.abort();
      else await mailbox.send({ from: "anna", to: "bert", text: "2" });
    }
    expect(seen).toEqual([
      [{ kind: "text", text: "1" }, true],
      [{ kind: "text", text: "2" }, false],
    ]);
  });

  it("the inbox of an unknown member is an error; of a member without mail it is empty", async () => {
    const { mailbox, inboxes } = await openTeamMail(["anna"]);
    await expect(mailbox.readAll("ana")).rejects.toThrow("Did you mean anna?");
    expect(await mailbox.readAll("anna")).toEqual([]);
    expect(existsSync(inboxes) ? readdirSync(inboxes) : []).toEqual([]);
  });
});
