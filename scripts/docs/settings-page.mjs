// The reference of settings: keys and comments from `src/protocol/settings.ts`, values from the JSON schema.
import { readFileSync } from "node:fs";
import { declarationsOf, nameOf, openSource } from "./doc-comments.mjs";
import { code, page, table } from "./markdown.mjs";

const file = "src/protocol/settings.ts";
const schemaFile = "test/behaviour/surface/snapshots/schema.txt";

export function settingsPage() {
  const source = openSource(file);
  const declared = declarationsOf(source);
  const [{ one }] = declared.get("Settings");
  const schema = JSON.parse(readFileSync(schemaFile, "utf8")).settings;
  const keys = keysOf(one.init, { source, declared });
  const groups = new Map();
  for (const { path, comment } of keys) {
    const group = path.length > 1 ? path[0] : "General";
    const row = [code(path.join(".")), valueOf(schemaAt(schema, path)), comment];
    groups.set(group, [...(groups.get(group) ?? []), row]);
  }
  return page("Settings", {
    from: `\`${file}\``,
    intro: [
      "A settings file is JSON without comments. An unknown key is an error that names the nearest known key. [Settings files](settings-files.md) says where they are and which one wins.",
      "`troupe schema settings` prints the JSON schema for your editor. `troupe doctor` lists all problems of all files.",
    ].join("\n\n"),
    parts: [...groups].map(([title, rows]) => `## ${title}\n\n${table(["key", "value", "meaning"], rows)}`),
  });
}

/** Lists the keys of a schema in the source. Names of constants are followed; `*` stands for any name. */
function keysOf(node, context, path = []) {
  const shape = shapeOf(node, context);
  if (shape === undefined) return [];
  if (shape.any !== undefined) return keysOf(shape.any, context, [...path, "*"]);
  return shape.properties.flatMap((property) => {
    const at = [...path, nameOf(property)];
    const inner = keysOf(property.value, context, at);
    if (inner.length > 0) return inner;
    const comment = context.source.commentOf(property);
    if (comment === "") throw new Error(`${file}: the setting ${at.join(".")} needs a doc comment.`);
    return [{ path: at, comment }];
  });
}

/** The object literal behind a schema, or the value schema of a record of objects. */
function shapeOf(node, context) {
  if (node.type === "Identifier") {
    const found = context.declared.get(node.name)?.[0]?.one.init;
    return found && shapeOf(found, context);
  }
  if (node.type !== "CallExpression") return undefined;
  const called = node.callee.property?.name;
  if (called === "strictObject") return { properties: node.arguments[0].properties };
  if (called === "record") {
    const any = node.arguments[1];
    return shapeOf(any, context) === undefined ? undefined : { any };
  }
  return node.callee.type === "MemberExpression" ? shapeOf(node.callee.object, context) : undefined;
}

function schemaAt(schema, path) {
  return path.reduce((at, name) => (name === "*" ? at.additionalProperties : at.properties[name]), schema);
}

function valueOf(schema) {
  if (schema.enum) return schema.enum.map(code).join(", ");
  const either = schema.anyOf ?? schema.oneOf;
  if (either) return either.map(valueOf).join(" or ");
  if (schema.type === "array") return `list of ${schema.items.type === "string" ? "texts" : schema.items.type}`;
  if (schema.type === "object") return "names and values";
  if (schema.type === "string") return schema.format === "uri" ? "URL" : "text";
  if (schema.type === "boolean") return "true or false";
  if (schema.type === "integer" || schema.type === "number") return rangeOf(schema);
  return "see its page";
}

function rangeOf({ minimum, maximum, exclusiveMinimum }) {
  const text = (number) => number.toLocaleString("en-US");
  const top = maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum;
  if (exclusiveMinimum !== undefined) return `more than ${text(exclusiveMinimum)}`;
  if (minimum === undefined) return "number";
  return top === undefined ? `${text(minimum)} or more` : `${text(minimum)} to ${text(top)}`;
}
