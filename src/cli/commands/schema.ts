import * as z from "zod";
import { Command, Envelope, Settings, TroupeError } from "../../protocol/index.ts";

const schemas = { events: Envelope, commands: Command, settings: Settings };

/** The protocol as JSON schema: what `stream-json` prints and reads, and what a settings file may say. */
export async function printSchema(which: string | undefined): Promise<void> {
  if (which !== undefined && !Object.hasOwn(schemas, which)) {
    throw new TroupeError(
      "usage",
      `there is no schema ${JSON.stringify(which)}; there is: ${Object.keys(schemas).join(", ")}`,
    );
  }
  const toJson = (schema: z.ZodType) => z.toJSONSchema(schema, { io: "input" });
  const all = Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, toJson(schema)]));
  process.stdout.write(`${JSON.stringify(which === undefined ? all : all[which], null, 2)}\n`);
}
