export { rejectOnAbort } from "./reject-on-abort.ts";
export { untilAborted } from "./until-aborted.ts";
export { ifPresent, ifPresentSync, missingOrFile } from "./files/if-present.ts";
export { createQueue } from "./queue.ts";
export { createSerialQueue } from "./serial-queue.ts";
export { readJsonFile, writeFileAtomic } from "./files/atomic-file.ts";
export { type Claim, claim, claimHolder } from "./files/claim-file.ts";
export { closeAll } from "./close-all.ts";
export { type Cleanup, createCleanup } from "./cleanup.ts";
export { createLate, type Late } from "./late.ts";
export { type Clock, sleepUnlessAborted, systemClock, withTimeLimit } from "./clock.ts";
export { type CreateId, createIdFactory } from "./create-id.ts";
export { definedFields } from "./defined-fields.ts";
export { canonicalJson, digestOfCall } from "./text/call-digest.ts";
export { findExecutable } from "./process/find-executable.ts";
export { gitBranch, type GitState, gitState, repositoryFolder } from "./git/git-state.ts";
export { runGit } from "./git/run-git.ts";
export { openSnapshots, type SnapshotLimits, type Snapshots } from "./snapshots/snapshots.ts";
export { type RotatableLogFile, openRotatableLogFile } from "./files/rotatable-log-file.ts";
export { decodeLine, encodeLine, isSealedLine } from "./files/line-codec.ts";
export { openLineFile, wasRemoved } from "./files/line-file.ts";
export { makeFolder } from "./files/make-folder.ts";
export { never } from "./never.ts";
export { nearestName } from "../protocol/index.ts";
export { sameName } from "./text/same-name.ts";
export { markdownProblemLine, parseMarkdown } from "./text/parse-markdown.ts";
export { currentProcess, identifyProcess, isAlive, ProcessIdentity } from "./process/process-identity.ts";
export { createProcessScope, type ProcessScope } from "./process/process-scope.ts";
export { endTree as endProcessTree, markVariable as processMarkVariable } from "./process/process-tree.ts";
export {
  openWithoutFollowingLinks,
  openFolderWithoutFollowingLinks,
  PathMovedError,
  type OpenFolder,
} from "./files/open-without-following-links.ts";
export { readLines, readLinesOf, scanLines } from "./files/read-lines.ts";
export { readRegularFileSync } from "./files/read-regular-file.ts";
export { isInside, realPathSync } from "./files/real-path.ts";
export { redactionMarksIn, redactSecrets } from "./secrets/redact-secrets.ts";
export { createRedactStream } from "./secrets/redact-stream.ts";
export { runProcess, type RunRequest } from "./process/run-process.ts";
export { loadSandbox } from "./sandbox/load-sandbox.ts";
export type { EnteredSandbox, Sandbox, Walls } from "./sandbox/sandbox.ts";
export { wallsProblem } from "./sandbox/walls-problem.ts";
export { projectName, safeName } from "./text/safe-name.ts";
export { createIdFilter, type IdMatch, type IdFilter } from "./id-filter.ts";
export { openSharedAppendFile, type SharedAppendFile } from "./files/shared-append-file.ts";
export { createSilence } from "./silence-timer.ts";
export type { ProcessRequest } from "./process/start-process.ts";
export { openStateRoot } from "./files/state-root.ts";
export { hasErrorCode, storageError } from "./files/storage-error.ts";
export { syncFolder } from "./files/sync-folder.ts";
export { version } from "./version.ts";
export { createFolderWatcher, type FolderWatcher } from "./files/watch-folder.ts";
export { createExclusive } from "./files/create-exclusive.ts";
