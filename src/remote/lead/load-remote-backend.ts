import type { Backend } from "../../team/index.ts";
import type { RemoteBackendOptions } from "./remote-backend.ts";

/** Loads the code of the remote backend only when a member needs it. */
export async function createRemoteBackend(options: RemoteBackendOptions): Promise<Backend> {
  const remote = await import("./remote-backend.ts");
  return remote.createRemoteBackend(options);
}
