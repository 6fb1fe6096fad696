import { openLineFile } from "../../../src/platform/index.ts";

/** append-lines PATH WRITER COUNT BYTES: appends lines and prints a message when it is done. */
const [path = "", writer = "", count = "", bytes = ""] = process.argv.slice(2);
const file = openLineFile(path, { durability: "process" });
const fill = writer.repeat(Number(bytes));
for (let n = 0; n < Number(count); n++) await file.append([{ writer, n, fill }]);
await file.close();
