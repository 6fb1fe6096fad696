// What can be said of a run that nobody holds up: what happens every time, and what happens at all.
import { inOrder } from "./collect.mjs";

/** Plays so many times; `always` is what each of them had, `ever` what any of them had. */
export async function factsOf(play, times = 3) {
  const plays = [];
  for (let count = 0; count < times; count += 1) plays.push(new Set(await play()));
  const ever = inOrder(new Set(plays.flatMap((facts) => [...facts])));
  return { always: ever.filter((fact) => plays.every((facts) => facts.has(fact))), ever };
}

/** Where two recordings cannot be of the same behaviour. */
export function otherFacts(before, after, most = 6) {
  const missing = before.always.filter((fact) => !after.ever.includes(fact));
  const added = after.always.filter((fact) => !before.ever.includes(fact));
  const found = [
    ...missing.map((fact) => ({ at: "always before, never now", before: fact, after: undefined })),
    ...added.map((fact) => ({ at: "never before, always now", before: undefined, after: fact })),
  ];
  return found.slice(0, most);
}

/** A recording as a list of facts: each event, file and line by itself. */
export function listed({ runs, home }) {
  return [
    ...runs.flatMap(({ exit, stdout, stderr }) => [
      `exit ${exit}`,
      ...stderr.map((line) => `stderr ${line}`),
      ...stdout.map((line) => `stdout ${line}`),
    ]),
    ...home.flatMap(({ path, content }) => [
      `file ${path}`,
      ...(Array.isArray(content) ? content : [content]).flatMap((part) =>
        (part?.events ?? [part]).map((entry) => `${path} ${JSON.stringify(entry)}`),
      ),
    ]),
  ].map(plain);
}

/** Without what counts or measures: how many turns something took is not certain. */
function plain(fact) {
  return fact
    .replaceAll(/<([a-z]+) \d+>/g, "<$1>")
    .replaceAll(/"(turn|generation|\w*Tokens|costUsd)":[\d.]+/g, '"$1":0')
    .replaceAll(/\b\d+(\.\d+)? (ms|s|min)\b/g, "<duration>")
    .replaceAll(/\b\d+ (token|turn|call)s?\b/g, "<n> $1s")
    .replaceAll(/\$\d+\.\d+/g, "<usd>")
    .replaceAll(/\(duration_ms [\d.]+\)|duration_ms [\d.]+|\([\d.]+ms\)/g, "<ms>");
}
