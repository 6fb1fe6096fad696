import { appendFileSync, readFileSync } from "node:fs";
import * as z from "zod";
import { hasErrorCode, storageError } from "../../platform/index.ts";
import { RequestId } from "../../protocol/index.ts";
import { idFromUuid } from "./uuid-from-id.ts";

/** An open question with our id and theirs, and its subject for checking the answer. */
const Request = z.object({
  id: RequestId,
  theirs: z.string(),
  digest: z.string().optional(),
  tool: z.string().optional(),
  toolUseId: z.string().optional(),
  input: z.unknown().optional(),
  /** The digest of a plan in their form. */
  planDigest: z.string().optional(),
});
export type Request = z.infer<typeof Request>;

/** Stored in our files, so that a question from before a crash can be answered after it. */
export interface ClaudeRequests {
  byOurId(id: RequestId): Request | undefined;
  byTheirId(theirs: string): Request | undefined;
  /** Stores the request unless it is known. */
  keep(request: Request): Request;
  /** Returns our id for a request that they named; it is derived from theirs. */
  idFor(theirs: string): RequestId;
}

export function openClaudeRequests(path: string): ClaudeRequests {
  const ours = new Map<RequestId, Request>();
  const theirs = new Map<string, Request>();
  let isRead = false;

  const put = (request: Request) => {
    ours.set(request.id, request);
    theirs.set(request.theirs, request);
  };

  const load = () => {
    if (isRead) return;
    isRead = true;
    for (const line of linesOf(path)) {
      const request = parseLine(line);
      if (request) put(request);
    }
  };

  return {
    byOurId: (id) => (load(), ours.get(id)),
    byTheirId: (name) => (load(), theirs.get(name)),
    keep(request) {
      load();
      const known = theirs.get(request.theirs);
      if (known) return known;
      try {
        appendFileSync(path, `${JSON.stringify(request)}\n`, { mode: 0o600 });
      } catch (error) {
        throw storageError("write", path, error);
      }
      put(request);
      return request;
    },
    idFor: (name) => (load(), theirs.get(name)?.id ?? idFromUuid<RequestId>("ask", name)),
  };
}

function linesOf(path: string): string[] {
  try {
    return readFileSync(path, "utf8").split("\n");
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return [];
    throw storageError("read", path, error);
  }
}

/** Ignores a last line that a crash cut: nothing acted on it. */
function parseLine(line: string): Request | undefined {
  try {
    const parsed = Request.safeParse(JSON.parse(line));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}
