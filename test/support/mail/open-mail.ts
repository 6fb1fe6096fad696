import { mkdirSync } from "node:fs";
import { createFolderWatcher, createIdFactory, systemClock } from "../../../src/platform/index.ts";
import type { Member } from "../../../src/protocol/index.ts";
import { openMailFiles, teamFiles } from "../../../src/store/index.ts";
import { createMailbox } from "../../../src/team/mailbox/index.ts";

interface MailOptions {
  readonly names: readonly string[];
  readonly rotateBytes?: number;
  readonly onNotice?: (text: string) => void;
}

/** The mail of a team in which every requested name is a member. */
export function openMail(home: string, { names, rotateBytes, onNotice }: MailOptions) {
  const files = teamFiles(home, "t");
  mkdirSync(files.folder, { recursive: true });
  const watcher = createFolderWatcher();
  const createId = createIdFactory(systemClock);
  const options = { team: "t", files, watcher, clock: systemClock, createId };
  const store = openMailFiles({ ...options, onNotice, ...(rotateBytes !== undefined && { rotateBytes }) });
  const members = names.map(memberNamed);
  const keyOf = (name: string) => Promise.resolve({ type: "secret" as const, secret: Buffer.from(`key of ${name}`) });
  const mailbox = createMailbox({ ...options, store, members: () => members, keyOf, pairsPerMinute: Infinity });
  const close = async () => {
    await mailbox.close();
    await store.close();
    watcher.close();
  };
  return { mailbox, store, files, close };
}

export const memberNamed = (name: string): Member => ({
  agentId: `${name}@t`,
  name,
  joinedAt: "2026-01-01T00:00:00.000Z",
  tmuxPaneId: "",
  cwd: "/",
  subscriptions: [],
  backendType: "tmux",
});
