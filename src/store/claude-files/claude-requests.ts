import { appendFileSync, readFileSync } from "node:fs";
import * as z from "zod";
import { hasErrorCode, storageError } from "../../platform/index.ts";
import { RequestId } from "../../protocol/index.ts";
import { idFromUuid } from "./uuid-from-id.ts";

/** A question that is under way, by our name for it and by theirs; what it was about, for its answer. */
const Request = z.object({
  id: RequestId,
  theirs: z.string(),
  digest: z.string().optional(),
  tool: z.string().optional(),
  toolUseId: z.string().optional(),
  input: z.unknown().optional(),
});
export type Request = z.infer<typeof Request>;

/** Kept on our side: what Claude Code asked before a crash is answered after it. */
export interface ClaudeRequests {
  byOurId(id: RequestId): Request | undefined;
  byTheirId(theirs: string): Request | undefined;
  /** Puts it down, unless it is known. */
  keep(request: Request): Request;
  /** Of one that they have named; ours follows from theirs. */
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

/** A last line that a crash has cut short was never acted on. */
function parseLine(line: string): Request | undefined {
  try {
    const parsed = Request.safeParse(JSON.parse(line));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}
