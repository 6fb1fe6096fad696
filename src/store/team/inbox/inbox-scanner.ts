import { basename } from "node:path";
import { type MailId, messageOf } from "../../../protocol/index.ts";
import { type CurrentFile, type CurrentScan, openCurrentFile } from "./current-inbox-file.ts";
import type { InboxReaderOptions } from "./file-inbox-reader.ts";
import { createInboxFold, type InboxFold } from "./inbox-fold.ts";
import type { InboxFollower } from "./inbox-follower.ts";
import { listSegments, readSegments } from "./inbox-segments.ts";
import { quarantinePrefix } from "./quarantined-mail.ts";
import { createReadMarks } from "./read-marks.ts";
import type { DamagedLine } from "./scan-inbox.ts";
import { timeForFileName, writeToFreeName } from "../../write-to-free-name.ts";

/** Folds the files of an inbox, tells followers of new mail, and quarantines damaged lines. */
export interface InboxScanner {
  readonly fold: InboxFold;
  readonly current: CurrentFile;
  readonly followers: Set<InboxFollower>;
  /** The numbers of the files that this reader has rotated. */
  readonly moved: Set<number>;
  readonly notices: string[];
  /** Some damaged lines are only in these files, so the files must stay. */
  readonly isDamageUnsaved: boolean;
  scan(): CurrentScan;
  /** Runs maintenance work without blocking the reader. A failure is reported and loses nothing. */
  inTurn(work: () => Promise<void>): void;
  /** Resolves when the damaged lines that are known now are in their own file. */
  quarantined(): Promise<void>;
  /** Resolves when no maintenance work is left. */
  settled(): Promise<void>;
}

export function openInboxScanner(options: InboxReaderOptions): InboxScanner {
  const { path, file } = options;
  const marks = createReadMarks(path);
  const fold = createInboxFold({ keepsRead: false, marks });
  const followers = new Set<InboxFollower>();
  const moved = new Set<number>();
  const notices: string[] = [];
  let chores: Promise<void> = Promise.resolve();
  let quarantined: Promise<void> = chores;
  let isDamageUnsaved = false;

  const segments = listSegments(path);
  const number = (segments.at(-1)?.number ?? 0) + 1;
  const old = readSegments(segments, fold);
  const current = openCurrentFile(path, { fold, number, wasMovedByUs: (which) => moved.has(which) });

  const start = () => {
    notices.push(...old.trouble);
    quarantine(old.damaged);
    const { hasTail } = scan();
    if (!hasTail) return;
    const failure = current.endLastLine();
    if (failure === undefined) scan();
    else notices.push(`cannot repair the end of an inbox: ${failure.message}`);
  };

  const scan = (): CurrentScan => {
    const found = current.scan();
    marks.forget();
    notices.push(...found.trouble);
    quarantine(found.damaged);
    markAgain(fold.takeRepeated());
    for (const follower of followers) follower.deliver(found.arrived);
    return found;
  };

  /**
   * An interrupted sender sent the mail twice. When the file with the first copy is removed, its mark is lost, so it is
   * written again.
   */
  const markAgain = (ids: readonly MailId[]) => {
    if (ids.length === 0) return;
    // Written before this returns, and so before any compaction.
    const written = file.append({ mark: "read", ids }, "soon").catch(reportTo);
    inTurn(() => written);
  };

  const quarantine = (damaged: readonly DamagedLine[]) => {
    if (damaged.length === 0) return;
    inTurn(async () => {
      const wasUnsaved = isDamageUnsaved;
      isDamageUnsaved = true;
      const copy = await saveDamage(damaged, options);
      isDamageUnsaved = wasUnsaved;
      notices.push(damageNotice(path, damaged, copy));
      const record = { aside: damaged.map(({ digest }) => digest) };
      await file.append(record, "soon");
      fold.apply(record, current.number);
    });
    quarantined = chores;
  };

  const inTurn = (work: () => Promise<void>) => {
    chores = chores.then(work).catch(reportTo);
  };

  const reportTo = (error: unknown) => {
    notices.push(`cannot compact the inbox of ${options.member}: ${messageOf(error)}`);
  };

  start();
  return {
    fold,
    current,
    followers,
    moved,
    notices,
    get isDamageUnsaved() {
      return isDamageUnsaved;
    },
    scan,
    inTurn,
    quarantined: () => quarantined,
    settled: () => chores,
  };
}

/** Returns the name of the file with the content of the damaged lines. */
async function saveDamage(damaged: readonly DamagedLine[], { path, clock }: InboxReaderOptions): Promise<string> {
  const data = Buffer.concat(damaged.flatMap(({ bytes }) => [bytes, Buffer.from("\n")]));
  return basename(await writeToFreeName(`${quarantinePrefix(path)}${timeForFileName(clock)}`, { data }));
}

function damageNotice(path: string, damaged: readonly DamagedLine[], copy: string): string {
  const what = damaged.length === 1 ? "a line" : `${damaged.length} lines`;
  return `${path}: cannot read ${what} (${damaged[0]?.reason ?? ""}); the content is in ${copy}.`;
}
