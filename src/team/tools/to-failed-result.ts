import { TroupeError } from "../../protocol/index.ts";
import { failedResult, type ToolResult } from "../../tool/index.ts";

/** Turns an expected error (`TroupeError`) into a failed result. Other errors are bugs and stay errors. */
export async function toFailedResult(work: () => Promise<ToolResult>): Promise<ToolResult> {
  try {
    return await work();
  } catch (error) {
    if (TroupeError.is(error)) return failedResult(error.message);
    throw error;
  }
}
