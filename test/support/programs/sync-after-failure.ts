import { openLineFile } from "../../../src/platform/index.ts";

/** sync-after-failure PATH: appends one record and syncs until one sync succeeds. Prints the number of refusals. */
const file = openLineFile(process.argv[2] ?? "", { durability: "soon", soleWriter: true });
await file.append([{ word: "first" }]);
await file.sync();
await file.append([{ word: "second" }]);
let refused = 0;
for (;;) {
  try {
    await file.sync();
    break;
  } catch {
    refused += 1; // counted
  }
}
console.log(JSON.stringify({ refused, words: file.readFrom(0).records.map(({ value }) => value) }));
await file.close();
