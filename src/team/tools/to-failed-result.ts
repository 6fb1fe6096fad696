import { TroupeError } from "../../protocol/index.ts";
import { failedResult, type ToolResult } from "../../tool/index.ts";

/** What was expected to go wrong, and says so in words, is a failed result; a bug stays one. */
export async function toFailedResult(work: () => Promise<ToolResult>): Promise<ToolResult> {
  try {
    return await work();
  } catch (error) {
    if (TroupeError.is(error)) return failedResult(error.message);
    throw error;
  }
}
