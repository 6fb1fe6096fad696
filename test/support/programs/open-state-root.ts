import { openStateRoot } from "../../../src/platform/index.ts";

/** open-state-root PATH: prints the result as JSON. */
try {
  console.log(JSON.stringify(await openStateRoot(process.argv[2] ?? "")));
} catch (error) {
  const { code, message } = error as { code: string; message: string };
  console.log(JSON.stringify({ code, message }));
}
