import { type ContentPart, type Event, type PromptId, teamLead, teamUser } from "../protocol/index.ts";
import { isRuntimeText } from "./fragments/escape-markup.ts";
import { cutMiddle } from "./fragments/kept-context.ts";

/** The sender of an agent's work: the user, the agent that started it, or the lead of its team. */
export type OrderSender = "user" | "agent" | "lead";

/** A message that gave an agent work, word for word. */
export interface Order {
  readonly from: OrderSender;
  readonly text: string;
}

export interface ReplacedOrders {
  /** The first message of all, however old it is. */
  readonly first: Order | undefined;
  /** The others, oldest first. */
  readonly later: readonly Order[];
  /** The number of messages between them that are no longer known. */
  readonly leftOut: number;
}

/** The orders of one agent, folded from its log. A compaction keeps them beside its summary. */
export interface Orders {
  apply(event: Event): void;
  /** The orders of these senders that are not in the turns that a compaction keeps. */
  replaced(keptFromTurn: number | null, senders: readonly OrderSender[]): ReplacedOrders;
  /** For a fork: it knows the orders of its parent, and has its own. */
  copy(): Orders;
}

interface Given {
  from: OrderSender;
  readonly text: string;
  readonly promptId: PromptId;
  /** Known to come from this sender. That of a mail is known a little later than its text. */
  isCertain: boolean;
  /** The turn that answered it. */
  turn?: number;
}

/** The characters of each sender that are remembered, in addition to the first message. */
const remembered = 20_000;

export function createOrders(inherited: readonly Given[] = []): Orders {
  const waiting = new Map<PromptId, Given>();
  let given: Given[] = [...inherited];
  let first: Given | undefined;
  const forgotten = new Map<OrderSender, number>();

  /** Mail of the lead and of the user is an order. Mail of other members is not. */
  const identify = (promptId: PromptId, sender: string) => {
    const order = waiting.get(promptId) ?? given.find((each) => each.promptId === promptId);
    if (!order) return;
    if (sender === teamLead || sender === teamUser) {
      order.from = sender === teamUser ? "user" : "lead";
      order.isCertain = true;
      return;
    }
    waiting.delete(promptId);
    given = given.filter((each) => each !== order);
  };

  const answer = (turn: number) => {
    first ??= given.find((order) => order.isCertain && !inherited.includes(order));
    for (const order of given) order.turn ??= turn;
    for (const sender of senders) forgetOldest(sender);
  };

  const forgetOldest = (sender: OrderSender) => {
    let room = remembered;
    for (const order of given.toReversed()) {
      if (order.from !== sender || order === first || order.turn === undefined) continue;
      room -= order.text.length;
      if (room >= 0) continue;
      given = given.filter((each) => each !== order);
      forgotten.set(sender, (forgotten.get(sender) ?? 0) + 1);
    }
  };

  return {
    apply(event) {
      switch (event.type) {
        case "prompt.admitted": {
          const { promptId, source } = event;
          const text = textOf(event.parts);
          if (text === "" || source === "hook" || source === "background") return;
          const isMail = source === "mail";
          waiting.set(promptId, { promptId, text, from: isMail ? "lead" : source, isCertain: !isMail });
          return;
        }
        case "mail.received":
          if (event.promptId !== undefined) identify(event.promptId, event.from);
          return;
        case "prompt.promoted": {
          const order = waiting.get(event.promptId);
          waiting.delete(event.promptId);
          if (order) given.push(order);
          return;
        }
        case "turn.ended":
          if (event.parts.length > 0) answer(event.turn);
          return;
        default:
          return;
      }
    },
    replaced(keptFromTurn, wanted) {
      const isReplaced = ({ turn, isCertain }: Given) =>
        isCertain && turn !== undefined && (keptFromTurn === null || turn <= keptFromTurn);
      return {
        first: first && isReplaced(first) ? first : undefined,
        later: given.filter((order) => order !== first && wanted.includes(order.from) && isReplaced(order)),
        leftOut: wanted.reduce((sum, sender) => sum + (forgotten.get(sender) ?? 0), 0),
      };
    },
    copy: () => createOrders(given.map((order) => ({ ...order }))),
  };
}

const senders: readonly OrderSender[] = ["user", "agent", "lead"];

/** The sender's own words, without what the runtime added to them. */
function textOf(parts: readonly ContentPart[]): string {
  const words = parts
    .map((part) => (part.type === "text" ? (isRuntimeText(part.text) ? "" : senderText(part.text)) : `[${part.type}]`))
    .filter((text) => text !== "")
    .join("\n\n");
  return cutMiddle(words, remembered);
}

/** The text inside the tag of a mail, or after the instructions of a fork. */
const senderText = (text: string) =>
  text
    .replace(/^<fork-instructions>[\s\S]*?<\/fork-instructions>\s*/, "")
    .replace(/^<teammate-message\b[^>]*>\n([\s\S]*)\n<\/teammate-message>$/, "$1")
    .trim();
