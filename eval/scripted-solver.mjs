// A scripted model that writes the solution of a task, in every way of working. It tests the evaluation itself.
import { readFileSync } from "node:fs";

const { files, commits } = JSON.parse(readFileSync(process.env.TROUPE_EVAL_SOLUTION, "utf8"));
const mode = process.env.TROUPE_EVAL_MODE;
const call = (tool, input) => ({ tool, input });

/** Reads what it will replace, writes the files, commits. */
function work({ turn }) {
  const written = files.filter(([, content]) => content !== undefined && content !== null);
  const removed = files.filter(([, content]) => content === undefined || content === null);
  switch (turn) {
    case 1:
      return { text: "I read the files.", calls: files.map(([file_path]) => call("Read", { file_path })) };
    case 2:
      return {
        text: "I write them.",
        calls: [
          ...written.map(([file_path, content]) => call("Write", { file_path, content })),
          ...removed.map(([path]) => call("Bash", { command: `git rm -q ${path}` })),
        ],
      };
    case 3:
      return commits
        ? {
            text: "I commit.",
            calls: [
              "git add -A",
              "git commit -q -m one",
              ...["two", "three"].map((name) => `git commit -q --allow-empty -m ${name}`),
            ].map((command) => call("Bash", { command })),
          }
        : { text: "Done." };
    default:
      return { text: "Done." };
  }
}

const start = (input) => ({
  text: "I hand it over.",
  calls: [call("Agent", { description: "Do the task", prompt: "Do the whole task.", ...input })],
});

/** The lead hands everything to one agent, and answers when that has reported. */
function lead({ turn, said, result }) {
  if (mode === "subagents") return turn === 1 ? start({ subagent_type: "general-purpose" }) : { text: "It is done." };
  if (mode === "coordinator") return turn === 1 ? start({}) : { text: "It is done." };
  if (turn === 1) return start({ name: "worker" });
  if (result === undefined && said.includes("Done.") && said.includes("worker"))
    return {
      text: "It may end.",
      calls: [call("SendMessage", { to: "worker", message: { type: "shutdown_request" } })],
    };
  return { text: "It is done." };
}

function endRequested({ said }) {
  const id = /"request_id":"([^"]+)"/.exec(said)?.[1];
  return (
    id && {
      text: "I end.",
      calls: [
        call("SendMessage", { to: "team-lead", message: { type: "shutdown_response", request_id: id, approve: true } }),
      ],
    }
  );
}

export default (ask) => {
  if (ask.purpose !== "answer")
    return {
      text: files
        .map(([name]) => name)
        .join(", ")
        .padEnd(600, " and so on"),
    };
  if (mode === "solo") return work(ask);
  return ask.agent === "lead" ? lead(ask) : (endRequested(ask) ?? work(ask));
};
