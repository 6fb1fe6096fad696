// Takes orders: creates a task for each, sends mail to the cook, and waits until all of them are ready.
import { openTeam } from "troupe";

const team = await openTeam("kitchen", { home: process.argv[2] });
const orders = ["soup", "bread", "pie"];
for (const dish of orders) {
  await team.tasks.create({ subject: dish, description: `For table 7: ${dish}` }, { name: "waiter" });
}
// Resolves when it is stored: from then on it survives the death of any process.
await team.mailbox.send({ from: "waiter", to: "cook", text: "three orders for table 7" });

for (let served = 0; served < orders.length; served++) {
  // Pushed, not polled: it waits without using the CPU.
  const mail = await team.mailbox.waitForMessage("waiter");
  console.log(`waiter receives from ${mail.from}: ${mail.body.text}`);
  await team.mailbox.markRead("waiter", [mail.id]);
}
await team.mailbox.send({ from: "waiter", to: "cook", text: "thank you, that is all" });
await team.close();
