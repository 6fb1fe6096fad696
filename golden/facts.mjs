// Compares runs with real concurrency, by facts: some appear in every run, some only in a few.
import { inOrder } from "./collect.mjs";
import { withoutText } from "./compare.mjs";

/** Plays a story several times. `always` has the facts of every play, `ever` the facts of any play. */
export async function factsOf(play, times = 6) {
  const plays = [];
  for (let count = 0; count < times; count += 1) plays.push(new Set(await play()));
  const ever = inOrder(new Set(plays.flatMap((facts) => [...facts])));
  return { always: ever.filter((fact) => plays.every((facts) => facts.has(fact))), ever };
}

/** Masks text in facts. Events keep their shape; printed lines are dropped. */
export function factsWithoutText({ always, ever }) {
  const shape = (fact) => {
    if (!/^in \S+ \{/.test(fact)) return /^(exit|file) /.test(fact) ? [fact] : [];
    const at = fact.indexOf(" {");
    return [`${fact.slice(0, at)} ${JSON.stringify(withoutText(JSON.parse(fact.slice(at + 1))))}`];
  };
  return { always: always.flatMap(shape), ever: ever.flatMap(shape) };
}

/** Finds facts that prove a change of behaviour. */
export function otherFacts(before, after, most = 6) {
  const missing = before.always.filter((fact) => !after.ever.includes(fact));
  const added = after.always.filter((fact) => !before.ever.includes(fact));
  const found = [
    ...missing.map((fact) => ({ at: "always before, never now", before: fact, after: undefined })),
    ...added.map((fact) => ({ at: "never before, always now", before: undefined, after: fact })),
  ];
  return found.slice(0, most);
}

/** Turns a recording into facts: one for each event, file and line. */
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
        (part?.events ?? [part]).map((entry) => `in ${path} ${JSON.stringify(entry)}`),
      ),
    ]),
  ].map(plain);
}

/** Removes counts and measures, since the number of turns varies. */
function plain(fact) {
  return fact
    .replaceAll(/<([a-z]+) \d+>/g, "<$1>")
    .replaceAll(/"(turn|generation|\w*Tokens|costUsd)":[\d.]+/g, '"$1":0')
    .replaceAll(/\b\d+(\.\d+)? (ms|s|min)\b/g, "<duration>")
    .replaceAll(/\b\d+ (token|turn|call)s?\b/g, "<n> $1s")
    .replaceAll(/(Nobody else is in it yet|The others are now: [^;]*)(?=[;.])/g, "<others>")
    .replaceAll(/(Stored for \w+ \(<mail>\))[^"]*/g, "$1")
    .replaceAll(/(call_[\w/@.-]+?)_\d+_\d+/g, "$1_<n>")
    .replaceAll(/\$\d+\.\d+/g, "<usd>")
    .replaceAll(/\(duration_ms [\d.]+\)|duration_ms [\d.]+|\([\d.]+ms\)/g, "<ms>");
}
