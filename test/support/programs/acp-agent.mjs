// An external agent built with the protocol's own SDK. The prompt controls it: `@@ask` asks for permission, `@@die`
// exits in the middle, `@@hang` waits for ever, `@@garbage` writes an invalid message, `@@deaf` waits for ever and
// ignores cancellation, `@@fail` answers with an error, `@@echo` repeats the prompt.
import { Readable, Writable } from "node:stream";
import { agent, methods, ndJsonStream, PROTOCOL_VERSION } from "@agentclientprotocol/sdk";

const text = (words) => ({ type: "text", text: words });
let turns = 0;
let mcp = [];
const cancelled = new Map();

const app = agent({ name: "other" })
  .onRequest(methods.agent.initialize, () => ({ protocolVersion: PROTOCOL_VERSION, agentCapabilities: {} }))
  .onRequest(methods.agent.session.new, ({ params }) => {
    mcp = params.mcpServers;
    return { sessionId: "s1" };
  })
  .onNotification(methods.agent.session.cancel, ({ params }) => cancelled.get(params.sessionId)?.())
  .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
    turns += 1;
    const said = params.prompt.map((block) => block.text ?? "").join("");
    const fresh = said.split("This is new:").at(-1);
    const { sessionId } = params;
    const tell = (update) => client.notify(methods.client.session.update, { sessionId, update });
    if (fresh.includes("@@die") && !fresh.includes("go on")) process.exit(3);
    if (fresh.includes("@@garbage")) process.stdout.write("this is not a message\n");
    if (fresh.includes("@@hang")) {
      await tell({ sessionUpdate: "agent_message_chunk", content: text("half a w") });
      await new Promise((resolve) => cancelled.set(sessionId, resolve));
      return { stopReason: "cancelled" };
    }
    if (fresh.includes("@@deaf")) {
      await tell({ sessionUpdate: "agent_message_chunk", content: text(`${process.pid}`) });
      await new Promise(() => undefined);
    }
    if (fresh.includes("@@fail")) throw new Error(`${process.pid} cannot`);
    if (fresh.includes("@@echo")) {
      await tell({ sessionUpdate: "agent_message_chunk", content: text(said) });
      return { stopReason: "end_turn" };
    }
    await tell({
      sessionUpdate: "tool_call",
      toolCallId: "c1",
      title: "Looking around",
      kind: "read",
      status: "in_progress",
    });
    await tell({ sessionUpdate: "tool_call_update", toolCallId: "c1", status: "completed" });
    let allowed = "";
    if (fresh.includes("@@ask")) {
      const { outcome } = await client.request(methods.client.session.requestPermission, {
        sessionId,
        toolCall: { toolCallId: "c2", title: "Run make", kind: "execute", rawInput: { command: "make" } },
        options: [
          { optionId: "y", name: "Yes", kind: "allow_once" },
          { optionId: "n", name: "No", kind: "reject_once" },
        ],
      });
      allowed = outcome.outcome === "selected" && outcome.optionId === "y" ? " allowed" : " refused";
    }
    const retold = said.includes("You worked on this before, in a previous run.") ? " again" : "";
    const words = `turn ${turns}${retold}${allowed}; servers: ${mcp.map(({ name }) => name).join(",")}`;
    await tell({ sessionUpdate: "agent_message_chunk", content: text(words) });
    return { stopReason: "end_turn" };
  });

const connection = app.connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
await connection.closed;
process.exit(0);
