import { writeSync } from "node:fs";
import { openMail } from "../mail/open-mail.ts";

/**
 * send-mail HOME FROM TO COUNT: sends COUNT mails of all sizes, or without end for 0. Prints the id and the number of
 * each when it is acknowledged.
 */
const [home = "", from = "", to = "", count = "0"] = process.argv.slice(2);
const { mailbox, close } = openMail(home, { names: [from, to, "team-lead"] });
const last = count === "0" ? Infinity : Number(count);
for (let n = 0; n < last; n++) {
  const fill = "x".repeat(n % 25 === 7 ? 60_000 : (n * 37) % 700);
  const { id } =
    n % 20 === 19
      ? await mailbox.send({
          from,
          to,
          body: { kind: "idle_notification", idleReason: "available", result: `${n} ${fill}` },
        })
      : await mailbox.send({ from, to, text: `${n} ${fill}` });
  writeSync(1, `${id} ${n}\n`);
}
await close();
