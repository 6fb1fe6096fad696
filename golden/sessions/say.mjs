// What scripts of sessions are made of.
export const call = (tool, input) => ({ tool, input });
export const calls = (...list) => ({ calls: list });
export const agent = (name, prompt, more = {}) =>
  call("Agent", { description: `${name} works`, prompt: `[actor ${name}] ${prompt}`, ...more });
export const send = (to, message, summary = "a word") => call("SendMessage", { to, message, summary });
export const bypass = ["--permission-mode", "bypassPermissions"];
export const stream = ["--output-format", "stream-json"];
export const model = ["--model", "anthropic/claude-sonnet-4-5"];

/** The same in every run: texts with durations in them are not always equally long. */
export const usage = { inputTokens: 1000, outputTokens: 100, cacheReadTokens: 0, cacheWriteTokens: 0 };

/** One prompt, from start to end. */
export const print = (stage, prompt, ...more) =>
  stage.start(["-p", `[actor lead] ${prompt}`, ...stream, ...(more.includes("--model") ? [] : model), ...more]).done;

/** A session that reads commands from its input. */
export const open = (stage, ...more) =>
  stage.start(["-p", "--input-format", "stream-json", ...stream, ...model, ...more], { input: null });

export const prompt = (text, more = {}) => ({ type: "prompt", content: `[actor lead] ${text}`, ...more });

/** Answers the question of this number, once it is asked; a member's is asked in its lead's stream as well. */
export async function reply(stage, run, number, answer, { ofMember = false } = {}) {
  const isOne = ({ event }) => event.type === "permission.asked" && (event.member !== undefined) === ofMember;
  const { event } = await stage.seen(isOne, number);
  run.send({ type: "permission.reply", requestId: event.requestId, answer });
}
