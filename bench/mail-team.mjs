/** The mail of a team with these names, from a build of `src`. All callers on the same folder share it. */
export async function openMail({ inside, home, names, rotateBytes }) {
  const { createFolderWatcher, createIdFactory, systemClock } = await inside("platform");
  const { openMailFiles, teamFiles } = await inside("store");
  const { createMailbox } = await inside("mailbox");
  const { mkdirSync } = await import("node:fs");
  const files = teamFiles(home, "t");
  mkdirSync(files.folder, { recursive: true });
  const watcher = createFolderWatcher();
  const options = { team: "t", files, watcher, clock: systemClock, createId: createIdFactory(systemClock) };
  const store = openMailFiles(rotateBytes === undefined ? options : { ...options, rotateBytes });
  const members = names.map(memberNamed);
  const key = Buffer.alloc(32, 7);
  const mailbox = createMailbox({
    ...options,
    store,
    members: () => members,
    keyOf: () => Promise.resolve({ type: "secret", secret: key }),
    pairsPerMinute: Infinity,
  });
  const close = async () => {
    await mailbox.close();
    await store.close();
    watcher.close();
  };
  return { mailbox, store, files, close };
}

const memberNamed = (name) => ({
  agentId: `${name}@t`,
  name,
  joinedAt: "2026-01-01T00:00:00.000Z",
  tmuxPaneId: "",
  cwd: "/",
  subscriptions: [],
  backendType: "tmux",
});
