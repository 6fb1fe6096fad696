import type { Store } from "../../view/index.ts";
import { type CompletionItem, completionQueryAt, slashItems } from "./prompt-complete.ts";
import type { PromptPorts } from "./prompt-controller.ts";
import type { PromptState } from "./prompt-state.ts";

export interface OfferPorts extends Pick<PromptPorts, "slashCommands" | "findFiles"> {
  readonly store: Store<PromptState>;
  onError(error: unknown): void;
}

/** Offers completions for the word at the cursor. A new offer, or `cancel`, ends the search for files. */
export function createOffers({ store, slashCommands, findFiles, onError }: OfferPorts) {
  let fileSearch: AbortController | undefined;
  const cancel = () => fileSearch?.abort();
  const show = (asked: ReturnType<typeof completionQueryAt>, items: readonly CompletionItem[]) =>
    store.setState((state) => {
      if (!asked || items.length === 0) return state.completion ? { ...state, completion: undefined } : state;
      return { ...state, completion: { ...asked, items, chosen: 0 } };
    });
  return {
    cancel,
    offer() {
      cancel();
      const { buffer, historyAt, search } = store.getState();
      const asked = historyAt === undefined && !search ? completionQueryAt(buffer) : undefined;
      if (!asked) return show(undefined, []);
      if (asked.kind === "slash") return show(asked, slashItems(slashCommands(), asked.query));
      const { signal } = (fileSearch = new AbortController());
      findFiles(asked.query, signal)
        .then((files) => signal.aborted || show(asked, asItems(files)))
        .catch((error: unknown) => signal.aborted || onError(error));
    },
  };
}

const asItems = (files: readonly string[]): CompletionItem[] => files.map((value) => ({ value }));
