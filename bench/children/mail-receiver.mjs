// Follows its inbox and prints how long after the start of its send each mail arrived. Arguments: folder of the parts,
// home, count.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { openMail } from "../mail-team.mjs";

const [parts, home, count] = process.argv.slice(2);
const inside = (name) => import(pathToFileURL(join(parts, `${name}.js`)).href);
const { mailbox, close } = await openMail({ inside, home, names: ["receiver", "sender"] });
await mailbox.markRead("receiver", []);
const times = [];
process.stdout.write("ready\n");
for await (const { id, body } of mailbox.follow("receiver")) {
  times.push(Number(process.hrtime.bigint()) / 1e6 - Number(body.text));
  await mailbox.markRead("receiver", [id]);
  if (times.length === Number(count)) break;
}
await close();
process.stdout.write(`${JSON.stringify(times)}\n`);
