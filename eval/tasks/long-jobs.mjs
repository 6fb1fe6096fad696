// Tasks with many steps and much text, long enough for a conversation to be compacted. A rule at the beginning holds to
// the end.

const kind = "long job";
const words = "amber birch cedar delta ember frost grove heath inlet juniper karst ledge marsh north ocean pine".split(
  " ",
);

const chapter = (word, index) =>
  `# ${word}\n\n${Array.from({ length: 60 }, (_, line) => `Line ${line} of ${word} says that ${words[(index * 7 + line) % words.length]} comes before ${words[(index + line * 3) % words.length]}.`).join("\n")}\n\nCODE ${word.toUpperCase()}-${index * 37 + 11}\n`;

const codes = words.map((word, index) => `${word}: ${word.toUpperCase()}-${index * 37 + 11}`);

export const longJobs = [
  {
    name: "index-of-codes",
    kind,
    prompt:
      'Read every chapter in chapters/ completely. Write INDEX.md with one line "name: CODE" for each chapter, sorted by name, then a blank line, then the number of chapters. Rule for the whole job: every file that you create ends with the line "-- checked --". Create one summary file per chapter in summaries/NAME.md with a sentence of your own.',
    files: Object.fromEntries(words.map((word, index) => [`chapters/${word}.md`, chapter(word, index)])),
    hidden: `import { readdirSync, readFileSync } from "node:fs";
const codes = ${JSON.stringify(codes)};
test("the index", () => assert.equal(readFileSync("INDEX.md", "utf8").trim(), [...codes, "", String(codes.length), "-- checked --"].join("\\n")));
test("the summaries keep the rule", () => {
  assert.equal(readdirSync("summaries").length, codes.length);
  for (const file of readdirSync("summaries")) assert.match(readFileSync(\`summaries/\${file}\`, "utf8"), /\\n-- checked --\\s*$/);
});
`,
    solution: {
      "INDEX.md": `${[...codes, "", String(codes.length), "-- checked --"].join("\n")}\n`,
      ...Object.fromEntries(words.map((word) => [`summaries/${word}.md`, `A chapter about ${word}.\n-- checked --\n`])),
    },
    settings: { compaction: { atTokens: 12_000 } },
  },
  {
    name: "port-sixteen-functions",
    kind,
    prompt:
      "Each file in old/ has one function in an old style. Port each to new/ under the same name as an ES module with a default export, same behaviour, and add new/index.js with all of them by name. Rule: no file in new/ may use var or the arguments object.",
    files: Object.fromEntries(
      words.map((word, index) => [
        `old/${word}.js`,
        `module.exports = function ${word}() {
  var sum = ${index};
  for (var i = 0; i < arguments.length; i++) {
    var value = arguments[i];
    if (typeof value !== "number") throw new TypeError("${word}: not a number: " + value);
    sum = sum + value * ${index + 1};
  }
  return sum;
};
`,
      ]),
    ),
    hidden: `import { readdirSync, readFileSync } from "node:fs";
const words = ${JSON.stringify(words)};
for (const [index, word] of words.entries())
  test(word, async () => {
    const { default: f } = await import(\`../new/\${word}.js\`);
    assert.equal(f(), index);
    assert.equal(f(1, 2), index + 3 * (index + 1));
    assert.throws(() => f("x"), new RegExp(\`\${word}: not a number: x\`));
    const all = await import("../new/index.js");
    assert.equal(all[word], f);
  });
test("the rule", () => {
  for (const file of readdirSync("new")) assert.doesNotMatch(readFileSync(\`new/\${file}\`, "utf8"), /\\bvar\\b|\\barguments\\b/);
});
`,
    solution: {
      ...Object.fromEntries(
        words.map((word, index) => [
          `new/${word}.js`,
          `export default function ${word}(...values) {
  return values.reduce((sum, value) => {
    if (typeof value !== "number") throw new TypeError("${word}: not a number: " + value);
    return sum + value * ${index + 1};
  }, ${index});
}
`,
        ]),
      ),
      "new/index.js": `${words.map((word) => `export { default as ${word} } from "./${word}.js";`).join("\n")}\n`,
    },
  },
];
