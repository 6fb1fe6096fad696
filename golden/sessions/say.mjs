// Helpers for the scripts of sessions.
export const call = (tool, input) => ({ tool, input });
export const calls = (...list) => ({ calls: list });
export const agent = (name, prompt, more = {}) =>
  call("Agent", { description: `${name} works`, prompt: `[actor ${name}] ${prompt}`, ...more });
export const send = (to, message, summary = "a word") => call("SendMessage", { to, message, summary });
export const bypass = ["--permission-mode", "bypassPermissions"];
export const stream = ["--output-format", "stream-json"];
export const model = ["--model", "anthropic/claude-sonnet-4-5"];

/** Fixed usage: texts with durations vary in length, and so do estimates of their tokens. */
export const usage = { inputTokens: 1000, outputTokens: 100, cacheReadTokens: 0, cacheWriteTokens: 0 };

/** Runs one prompt to its end. */
export const print = (stage, prompt, ...more) =>
  stage.start(["-p", `[actor lead] ${prompt}`, ...stream, ...(more.includes("--model") ? [] : model), ...more]).done;

/** Starts a session that reads commands from its input. */
export const open = (stage, ...more) =>
  stage.start(["-p", "--input-format", "stream-json", ...stream, ...model, ...more], { input: null });

export const prompt = (text, more = {}) => ({ type: "prompt", content: `[actor lead] ${text}`, ...more });

/** Waits for a permission question and answers it. The lead's stream repeats the questions of members. */
export async function reply(stage, run, number, answer, { ofMember = false } = {}) {
  const isOne = ({ event }) => event.type === "permission.asked" && (event.member !== undefined) === ofMember;
  const { event } = await stage.seen(isOne, number);
  run.send({ type: "permission.reply", requestId: event.requestId, answer });
}
