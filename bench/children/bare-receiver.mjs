// The minimum for a receiver: detects that a file has grown, reads the new line, and sends a request to a server, if
// there is one. Prints the time. Arguments: file, url (optional).
import { openSync, readSync, watch } from "node:fs";
import { dirname } from "node:path";

const [file, url] = process.argv.slice(2);
const fd = openSync(file, "r");
const buffer = Buffer.alloc(65_536);
const body = JSON.stringify({ text: "x".repeat(20_000) });
let offset = 0;
watch(dirname(file), () => void look());

async function look() {
  const bytes = readSync(fd, buffer, 0, buffer.length, offset);
  offset += bytes;
  if (bytes === 0) return;
  JSON.parse(buffer.toString("utf8", 0, bytes));
  if (url === undefined) console.log(Number(process.hrtime.bigint()) / 1e6);
  else console.log(await (await fetch(url, { method: "POST", body })).text());
}
console.log("ready");
