// The reference of events, from the schemas and doc comments in `src/protocol/event.ts`.
import { declarationsOf, nameOf, openSource } from "./doc-comments.mjs";
import { code, page, table } from "./markdown.mjs";

const file = "src/protocol/event.ts";

export function eventsPage() {
  const source = openSource(file);
  const declared = declarationsOf(source);
  const eventsOf = (union, kind) => {
    const [{ one }] = declared.get(union);
    return one.init.arguments[1].elements.map((call) => readEvent(call, kind, source));
  };
  const events = [...eventsOf("StoredEvent", "stored"), ...eventsOf("LiveEvent", "live")];
  return page("Events", {
    from: `\`${file}\``,
    intro: [
      "Everything that happens in a session is an event. A **stored** event is in the log of its agent, and a resumed session replays it. A **live** event is for viewers only, and a stored event later carries its content.",
      "`troupe schema events` prints the exact types. [Headless](headless.md#the-stream-out) shows an event in its envelope. A refused call never has `tool.called`. It always has `tool.settled` with `denied`.",
    ].join("\n\n"),
    parts: [
      table(
        ["event", "kind", "meaning"],
        events.map(({ name, kind, about }) => [code(name), kind, about]),
      ),
      "## Fields",
      "A question mark marks an optional field.",
      table(
        ["event", "fields"],
        events.map(({ name, fields }) => [code(name), fields.join(", ")]),
      ),
      "## Notes on fields",
      table(
        ["field", "meaning"],
        events.flatMap(({ notes }) => notes),
      ),
    ],
  });
}

function readEvent(call, kind, source) {
  const [type, shape] = call.arguments;
  const about = source.commentOf(call);
  if (about === "") throw new Error(`${file}: the event ${type.value} needs a doc comment.`);
  const fields = [];
  const notes = [];
  for (const property of shape.properties) {
    if (property.type === "SpreadElement") {
      fields.push(`the fields of ${code(source.textOf(property.argument).replace(/\.shape$/, ""))}`);
      continue;
    }
    const name = nameOf(property);
    const mark = source.textOf(property.value).endsWith(".optional()") ? "?" : "";
    fields.push(code(`${name}${mark}`));
    const comment = source.commentOf(property);
    if (comment !== "") notes.push([code(`${type.value} ${name}`), comment]);
  }
  return { name: type.value, kind, about, fields, notes };
}
