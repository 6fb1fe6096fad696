// The reference of the library, from the exports of `src/index.ts` and `src/testing.ts` and their doc comments.
import { dirname, join } from "node:path";
import { declarationsOf, nameOf, openSource } from "./doc-comments.mjs";
import { code, fenced, page, table } from "./markdown.mjs";

const entries = { troupe: "src/index.ts", "troupe/testing": "src/testing.ts" };

export function libraryPage() {
  const open = opener();
  const parts = Object.entries(entries).flatMap(([name, file]) => {
    const rank = ({ kind, name: title }) => `${kind === "function" ? 0 : 1} ${title}`;
    const found = exportsOf(open(file), open).sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
    const shown = found.filter(({ kind }) => kind !== "type");
    const types = found.filter(({ kind }) => kind === "type");
    return [
      `## ${name}`,
      ...shown.map(section),
      `### Other types of ${name}`,
      table(
        ["type", "meaning"],
        types.map(({ name: type, about }) => [code(type), about || "See its declaration."]),
      ),
    ];
  });
  return page("Library", {
    from: "the exports and their doc comments",
    intro:
      "This page lists what `troupe` and `troupe/testing` export. Your editor shows the same texts. [Embed Troupe](../how-to/embed-troupe.md) shows how to use them.",
    parts,
  });
}

function section({ name, about, signature, members }) {
  const parts = [`### ${name}`];
  if (about !== "") parts.push(about);
  if (signature !== undefined) parts.push(fenced("ts", signature));
  if (members?.length > 0) parts.push(table(["member", "meaning"], members));
  return parts.join("\n\n");
}

function opener() {
  const known = new Map();
  return (path) => {
    if (!known.has(path)) known.set(path, openSource(path));
    return known.get(path);
  };
}

/** Every export of a source, followed to its declaration. */
function exportsOf(source, open) {
  const found = new Map();
  for (const statement of source.program.body) {
    if (statement.type === "ExportAllDeclaration" && statement.exported) {
      const { name } = statement.exported;
      found.set(name, { name, about: source.commentOf(statement), kind: "type" });
    } else if (statement.type === "ExportAllDeclaration") {
      for (const one of exportsOf(open(join(dirname(source.path), statement.source.value)), open))
        found.set(one.name, one);
    }
    if (statement.type !== "ExportNamedDeclaration") continue;
    for (const { local, exported } of statement.specifiers)
      found.set(exported.name, { ...find(source, local.name, open), name: exported.name });
    const inner = statement.declaration;
    for (const one of inner?.declarations ?? (inner ? [inner] : []))
      found.set(one.id.name, find(source, one.id.name, open));
  }
  return [...found.values()];
}

/** The declaration of a name, in this source or behind its imports and re-exports. */
function find(source, name, open) {
  const declared = declarationsOf(source).get(name);
  if (declared !== undefined) return describe(name, declared, { source, open });
  for (const statement of source.program.body) {
    const from = statement.source?.value;
    if (from === undefined || !from.startsWith(".")) continue;
    const next = () => open(join(dirname(source.path), from));
    if (statement.type === "ExportAllDeclaration" && exportsOf(next(), open).some((one) => one.name === name))
      return find(next(), name, open);
    const specifier = statement.specifiers?.find((each) => (each.exported ?? each.local).name === name);
    if (specifier !== undefined) return find(next(), (specifier.imported ?? specifier.local).name, open);
  }
  throw new Error(`${source.path}: cannot find the declaration of ${name}.`);
}

function describe(name, declared, { source, open }) {
  const about = declared.map(({ statement }) => source.commentOf(statement)).find((text) => text !== "") ?? "";
  const one = declared.map((each) => each.one);
  const func = one.find(({ type }) => type === "FunctionDeclaration");
  if (func !== undefined) return { name, about, kind: "function", signature: signatureOf(func, source) };
  const shape = one.find(({ type }) => type === "TSInterfaceDeclaration" || type === "ClassDeclaration");
  const own = shape?.body.body.flatMap((member) => memberRow(member, source)) ?? [];
  const members = [...inheritedOf(shape, { source, open }), ...own];
  if (members.some(([, text]) => text !== "")) return { name, about, kind: "interface", members };
  return { name, about, kind: "type" };
}

/** The members of the interfaces that this one extends. */
function inheritedOf(shape, { source, open }) {
  const names = (shape?.extends ?? []).flatMap(({ expression }) =>
    expression.type === "Identifier" && !/^(Omit|Pick|Partial)$/.test(expression.name) ? [expression.name] : [],
  );
  return names.flatMap((name) => find(source, name, open).members ?? []);
}

function signatureOf(func, source) {
  const end = func.body?.start ?? func.end;
  return source.text
    .slice(func.start, end)
    .trim()
    .replace(/^async /, "");
}

function memberRow(member, source) {
  if (member.type === "MethodDefinition" && member.kind === "constructor") return [];
  const name = member.key && nameOf(member);
  if (name === undefined) return [];
  const isCall = member.type === "TSMethodSignature" || member.type === "MethodDefinition";
  const call = isCall
    ? `(${parametersOf(member).join(", ")})`
    : `${member.optional ? "?" : ""}${typeOf(member, source)}`;
  return [[code(`${name}${call}`), source.commentOf(member)]];
}

/** The type of a member, if it is short. */
function typeOf({ typeAnnotation }, source) {
  const text = typeAnnotation ? source.textOf(typeAnnotation).replaceAll(/\s+/g, " ") : "";
  return text.length > 60 ? "" : text;
}

function parametersOf(member) {
  const params = member.params ?? member.value?.params ?? [];
  return params.map((each) => {
    const target = each.type === "AssignmentPattern" ? each.left : each;
    return `${target.name ?? "options"}${target.optional || each !== target ? "?" : ""}`;
  });
}
