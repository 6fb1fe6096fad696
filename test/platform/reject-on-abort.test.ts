import { expect, test } from "vitest";
import { rejectOnAbort, untilAborted } from "../../src/platform/index.ts";

const never = new Promise<never>(() => undefined);

test("settles like the promise", async () => {
  const { signal } = new AbortController();
  await expect(rejectOnAbort(Promise.resolve(1), signal)).resolves.toBe(1);
  await expect(rejectOnAbort(Promise.reject(new Error("broken")), signal)).rejects.toThrow("broken");
  await expect(rejectOnAbort(Promise.resolve(2), undefined)).resolves.toBe(2);
});

test("rejects with the reason as soon as the signal aborts", async () => {
  const abort = new AbortController();
  const waiting = rejectOnAbort(never, abort.signal);
  abort.abort(new Error("enough"));
  await expect(waiting).rejects.toThrow("enough");
});

test("an abort that came before wins over an answer that is already there", async () => {
  await expect(rejectOnAbort(Promise.resolve(1), AbortSignal.abort(new Error("early")))).rejects.toThrow("early");
});

test("an abort in the same moment wins over the answer", async () => {
  const abort = new AbortController();
  const answer = Promise.resolve(1);
  const waiting = rejectOnAbort(answer, abort.signal);
  abort.abort(new Error("both"));
  await expect(waiting).rejects.toThrow("both");
});

test("a failure after an abort is not an unhandled rejection", async () => {
  let fail: (error: Error) => void = () => undefined;
  const promise = new Promise<never>((_, reject) => (fail = reject));
  const waiting = rejectOnAbort(promise, AbortSignal.abort(new Error("early")));
  fail(new Error("late"));
  await expect(waiting).rejects.toThrow("early");
});

test("untilAborted resolves at the abort, also if it came before", async () => {
  const abort = new AbortController();
  const waiting = untilAborted(abort.signal);
  abort.abort();
  await waiting;
  await untilAborted(AbortSignal.abort());
});
