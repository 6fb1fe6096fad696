import * as z from "zod";
import { Command, Envelope, Settings, TroupeError } from "../../protocol/index.ts";

const schemas = { events: Envelope, commands: Command, settings: Settings };

/** Prints the protocol as JSON schema: the events and commands of `stream-json`, and the settings. */
export async function printSchema(which: string | undefined): Promise<void> {
  if (which !== undefined && !Object.hasOwn(schemas, which)) {
    throw new TroupeError(
      "usage",
      `there is no schema ${JSON.stringify(which)}. Schemas: ${Object.keys(schemas).join(", ")}.`,
    );
  }
  const toJson = (schema: z.ZodType) => z.toJSONSchema(schema, { io: "input" });
  const all = Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, toJson(schema)]));
  process.stdout.write(`${JSON.stringify(which === undefined ? all : all[which], null, 2)}\n`);
}
