import type { Order, OrderSender, ReplacedOrders } from "../orders.ts";
import { escapeSenders } from "./escape-markup.ts";
import { type InstructionFile, instructionBlocks } from "./system/instructions.ts";

export interface LoadedSkillText {
  readonly name: string;
  readonly text: string;
}

/** The most that a compaction repeats of each kind, in characters. */
const limits = { orders: 20_000, skills: 12_000, instructions: 8_000 };
/** The shares of each kind if there is room for less. */
const shares = { orders: 0.5, skills: 0.3, instructions: 0.2 };

/** `room`: the characters that may be repeated after a compaction. */
const limitOf = (kind: keyof typeof limits, room: number) => Math.min(limits[kind], Math.floor(room * shares[kind]));

const names: Readonly<Record<OrderSender, string>> = {
  user: "The user",
  agent: "The agent that started you",
  lead: "Your lead",
};

/**
 * The messages that gave an agent its work, word for word, for its conversation after a compaction: the first one, and
 * the newest that fit. Undefined if there are none.
 */
export function keptOrders({ first, later, leftOut }: ReplacedOrders, room: number): string | undefined {
  if (!first && later.length === 0) return undefined;
  const limit = limitOf("orders", room);
  const opening = first && { ...first, text: cutMiddle(first.text, Math.floor(limit / 2)) };
  let left = limit - (opening?.text.length ?? 0);
  const newest: Order[] = [];
  for (const order of later.toReversed()) {
    const text = newest.length === 0 ? cutMiddle(order.text, Math.max(left, 0)) : order.text;
    left -= text.length;
    if (left < 0) break;
    newest.unshift({ ...order, text });
  }
  const missing = leftOut + later.length - newest.length;
  const line = ({ from, text }: Order) => `${names[from]}:\n${escapeSenders(text)}`;
  return [
    "<earlier-messages>",
    "The messages that gave you your work, word for word, oldest first. They still hold.",
    ...(opening ? [line(opening)] : []),
    ...(missing > 0 ? [`[${missing} older ${missing === 1 ? "message is" : "messages are"} left out here]`] : []),
    ...newest.map(line),
    "</earlier-messages>",
  ].join("\n\n");
}

/** The skills that an agent has loaded, for its conversation after a compaction. The newest come first. */
export function keptSkills(skills: readonly LoadedSkillText[], room: number): string | undefined {
  if (skills.length === 0) return undefined;
  const { fitting, others } = fit(skills.toReversed(), limitOf("skills", room));
  const again = others.map(({ name }) => name).join(", ");
  return [
    ...(fitting.length === 0 ? [] : ["Skills that you have loaded. They still apply:"]),
    ...fitting.map(({ name, text }) => `<skill name=${JSON.stringify(name)}>\n${escapeSenders(text)}\n</skill>`),
    ...(others.length === 0 ? [] : [`You have also loaded ${again}. Load it again with Skill before you need it.`]),
  ].join("\n");
}

/** The instructions of folders that an agent has worked in, for its conversation after a compaction. */
export function keptInstructions(files: readonly InstructionFile[], room: number): string | undefined {
  if (files.length === 0) return undefined;
  const { fitting, others } = fit(files, limitOf("instructions", room));
  const paths = others.map(({ path }) => path).join(", ");
  return [
    ...(fitting.length === 0
      ? []
      : [`Instructions of folders that you have worked in. They still apply there:\n${instructionBlocks(fitting)}`]),
    ...(others.length === 0 ? [] : [`Also ${paths}. Read it before you work in that folder.`]),
  ].join("\n");
}

function fit<T extends { readonly text: string }>(all: readonly T[], limit: number): { fitting: T[]; others: T[] } {
  let left = limit;
  const [fitting, others]: [T[], T[]] = [[], []];
  for (const each of all) {
    const fits = each.text.length <= left;
    if (fits) left -= each.text.length;
    (fits ? fitting : others).push(each);
  }
  return { fitting, others };
}

/** Keeps the beginning and the end of a text that is too long. */
export function cutMiddle(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const head = text.slice(0, Math.floor((limit * 2) / 3));
  const tail = text.slice(text.length - Math.floor(limit / 3));
  return `${head}\n[… ${text.length - head.length - tail.length} characters are left out here …]\n${tail}`;
}
