import type { Clock } from "../platform/index.ts";
import type { ModelClient } from "../protocol/index.ts";

/** Opens a script file that the answers of every model passed through the result are written to. */
export async function recordTo(
  file: string,
  options: { clock: Clock; secrets: readonly string[] },
): Promise<(client: ModelClient) => ModelClient> {
  const { openRecording, recordModel } = await import("./scripted/index.ts");
  const recording = openRecording(file, options);
  return (client) => recordModel(client, recording, options.clock);
}
