export { readJsonFile, writeFileAtomic } from "./atomic-file.ts";
export { type Claim, claim, claimHolder } from "./claim-file.ts";
export { closeAll } from "./close-all.ts";
export { type Clock, systemClock } from "./clock.ts";
export { type CreateId, createIdFactory } from "./create-id.ts";
export { digestOfCall } from "./digest-of-call.ts";
export { findExecutable } from "./find-executable.ts";
export { gitState } from "./git-state.ts";
export { runGit } from "./git.ts";
export { type RotatableLogFile, openRotatableLogFile } from "./movable-file.ts";
export { decodeLine, encodeLine, isSealedLine } from "./line-codec.ts";
export { openLineFile, wasRemoved } from "./line-file.ts";
export { makeFolder } from "./make-folder.ts";
export { nearestName } from "./nearest-name.ts";
export { markdownProblemLine, parseMarkdown } from "./parse-markdown.ts";
export { currentProcess, identifyProcess, isAlive, ProcessIdentity } from "./process-identity.ts";
export { createProcessScope, type ProcessScope } from "./process-scope.ts";
export { endTree as endProcessTree, markVariable as processMarkVariable } from "./process-tree.ts";
export {
  openWithoutFollowingLinks,
  openFolderWithoutFollowingLinks,
  PathMovedError,
  type OpenFolder,
} from "./open-exact.ts";
export { type LineReading, readLines, readLinesOf } from "./read-lines.ts";
export { isInside, realPathSync } from "./real-path.ts";
export { redactionMarksIn, redactSecrets } from "./redact-secrets.ts";
export { createRedactStream } from "./redact-stream.ts";
export { runProcess, type RunRequest } from "./run-process.ts";
export { loadSandbox } from "./sandbox/load-sandbox.ts";
export type { EnteredSandbox, Sandbox } from "./sandbox/sandbox.ts";
export { projectName, safeName } from "./safe-name.ts";
export { createIdFilter, type IdMatch, type IdFilter } from "./seen-ids.ts";
export { openSharedAppendFile, type SharedAppendFile } from "./shared-file.ts";
export type { ProcessRequest } from "./start-process.ts";
export { openStateRoot } from "./state-root.ts";
export { hasErrorCode, storageError } from "./storage-error.ts";
export { syncFolder } from "./sync-folder.ts";
export { version } from "./version.ts";
export { createFolderWatcher, type FolderWatcher } from "./watch-folder.ts";
export { createExclusive } from "./write-once.ts";
