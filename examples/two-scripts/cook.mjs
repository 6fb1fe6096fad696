// Waits for mail, cooks everything on the task list, and reports each dish to the waiter.
import { openTeam } from "troupe";

const team = await openTeam("kitchen", { home: process.argv[2] });
for (;;) {
  const mail = await team.mailbox.waitForMessage("cook");
  console.log(`cook receives from ${mail.from}: ${mail.body.text}`);
  await team.mailbox.markRead("cook", [mail.id]);
  if (mail.body.text.includes("that is all")) break;

  for (const { id, subject, status } of await team.tasks.list()) {
    if (status !== "pending") continue;
    // A second cook could claim the same task: the list gives it to exactly one of them.
    const claimed = await team.tasks.claim(id, { name: "cook" });
    if (!claimed.ok) continue;
    await team.tasks.complete(id, { name: "cook", generation: claimed.item.generation });
    await team.mailbox.send({ from: "cook", to: "waiter", text: `${subject} is ready` });
  }
}
await team.close();
