import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseAst } from "rolldown/parseAst";

/** A node of the syntax tree. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

/** The origin of a name: a declaration in this repository, or a package. */
type Origin = { readonly file: string; readonly name: string } | { readonly package: string; readonly name: string };

interface Module {
  readonly text: string;
  readonly declared: ReadonlyMap<string, readonly Node[]>;
  readonly imported: ReadonlyMap<string, { readonly from: string; readonly name: string }>;
  readonly exported: ReadonlyMap<string, { readonly from?: string; readonly name: string }>;
  readonly all: readonly string[];
}

/**
 * Lists every export of a declaration file, with the shape of every type it refers to. Internal types get a number instead of
 * a name, and paths are left out. So moving a file or renaming an internal type changes nothing.
 */
export function publicTypes(entry: string): string {
  const modules = new Map<string, Module>();
  const open = (file: string): Module => {
    const known = modules.get(file) ?? readModule(file);
    modules.set(file, known);
    return known;
  };
  const names = exportsOf(entry, open).toSorted((a, b) => (a < b ? -1 : 1));
  const known = new Map<string, string>();
  for (const name of names) known.set(keyOf(originOf(entry, name, open)), name);
  const waiting: Origin[] = names.map((name) => originOf(entry, name, open));
  const printed: string[] = [];
  let hidden = 0;
  const nameOf = (origin: Origin): string => {
    if ("package" in origin) return `${origin.package}:${origin.name}`;
    const found = known.get(keyOf(origin));
    if (found !== undefined) return found;
    const name = `#${(hidden += 1)}`;
    known.set(keyOf(origin), name);
    waiting.push(origin);
    return name;
  };
  for (let origin = waiting.shift(); origin !== undefined; origin = waiting.shift()) {
    const title = nameOf(origin);
    if ("package" in origin) printed.push(`${origin.name} = ${title}`);
    else printed.push(...declarationsOf(origin, { title, open, nameOf }));
  }
  return `${printed.join("\n")}\n`;
}

const keyOf = (origin: Origin) =>
  "package" in origin ? `${origin.package}:${origin.name}` : `${origin.file}#${origin.name}`;

interface Printing {
  readonly title: string;
  open(file: string): Module;
  nameOf(origin: Origin): string;
}

function declarationsOf({ file, name }: { file: string; name: string }, { title, open, nameOf }: Printing): string[] {
  const module = open(file);
  const nodes = module.declared.get(name);
  if (nodes === undefined) throw new Error(`${file} declares no ${name}`);
  return nodes.map((node) => {
    const changes: { start: number; end: number; text: string }[] = [];
    const change = ({ start, end }: Node, text: string) => changes.push({ start, end, text });
    walk(node, (inner, parent) => {
      if (isParameter(inner, parent)) change({ ...inner, end: inner.start + (inner["name"] as string).length }, "_");
      else if (inner.type === "TSImportType") {
        const { source, qualifier } = inner as unknown as { source: { value: string }; qualifier: Node | null };
        const first = qualifier && leftmost(qualifier);
        if (!first) return;
        const origin = from(file, source.value, first["name"] as string, open);
        changes.push({ start: inner.start, end: first.end, text: nameOf(origin) });
      } else if (isReference(inner, parent)) {
        const word = inner["name"] as string;
        if (word === name || module.declared.has(word) || module.imported.has(word))
          change(inner, nameOf(originOf(file, word, open, "inside")));
      }
    });
    const variables = (node["declarations"] ?? []) as { id: Node }[];
    const own = variables.find(({ id }) => id["name"] === name)?.id ?? (node["id"] as Node);
    change({ ...own, end: own.start + name.length }, title);
    return tidy(rewritten(module.text, node, changes));
  });
}

function rewritten(
  text: string,
  { start, end }: Node,
  changes: { start: number; end: number; text: string }[],
): string {
  let out = "";
  let at = start;
  for (const change of changes.toSorted((a, b) => a.start - b.start)) {
    if (change.start < at) continue;
    out += text.slice(at, change.start) + change.text;
    at = change.end;
  }
  return out + text.slice(at, end);
}

const tidy = (text: string) =>
  text
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line !== "")
    .join("\n");

/** True for a name that refers to a declaration: a type, a value after `typeof`, or a base type. */
function isReference(node: Node, parent: Node | undefined): boolean {
  if (node.type !== "Identifier" || parent === undefined) return false;
  const is = (key: string) => parent[key] === node;
  if (parent.type === "TSTypeReference") return is("typeName");
  if (parent.type === "TSTypeQuery") return is("exprName");
  if (parent.type === "TSQualifiedName") return is("left");
  if (parent.type === "TSInterfaceHeritage" || parent.type === "TSClassImplements") return is("expression");
  if (parent.type === "MemberExpression") return is("object");
  if (parent.type === "ClassDeclaration") return is("superClass");
  return parent.computed === true && is("key");
}

/** The name of a parameter is not part of the public surface. */
function isParameter(node: Node, parent: Node | undefined): boolean {
  if (node.type !== "Identifier" || parent === undefined) return false;
  if (parent.type === "TSTypePredicate") return parent["parameterName"] === node && node["name"] !== "this";
  if (parent.type === "RestElement") return parent["argument"] === node;
  if (node["name"] === "this") return false;
  return Array.isArray(parent["params"]) && parent["params"].includes(node);
}

function leftmost(node: Node): Node {
  return node.type === "TSQualifiedName" ? leftmost(node["left"] as Node) : node;
}

function walk(node: Node, visit: (node: Node, parent: Node | undefined) => void, parent?: Node): void {
  visit(node, parent);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value])
      if (child !== null && typeof child === "object" && "type" in child) walk(child as Node, visit, node);
  }
}

function exportsOf(file: string, open: (file: string) => Module): string[] {
  const { exported, all } = open(file);
  return [...new Set([...exported.keys(), ...all.flatMap((path) => exportsOf(resolve(dirname(file), path), open))])];
}

/** Follows a name through imports and exports to its declaration. */
function originOf(
  file: string,
  name: string,
  open: (file: string) => Module,
  side: "inside" | "outside" = "outside",
): Origin {
  const { declared, imported, exported, all } = open(file);
  if (side === "outside") {
    const found = exported.get(name);
    if (found?.from !== undefined) return from(file, found.from, found.name, open);
    if (found !== undefined) return originOf(file, found.name, open, "inside");
    const beyond = all.map((path) => resolve(dirname(file), path)).find((path) => exportsOf(path, open).includes(name));
    if (beyond !== undefined) return originOf(beyond, name, open);
    throw new Error(`${file} exports no ${name}`);
  }
  if (declared.has(name)) return { file, name };
  const found = imported.get(name);
  if (found === undefined) throw new Error(`${file} has no ${name}`);
  return from(file, found.from, found.name, open);
}

function from(file: string, path: string, name: string, open: (file: string) => Module): Origin {
  if (!path.startsWith(".")) return { package: path, name };
  const target = declarationFile(resolve(dirname(file), path));
  return originOf(target, name, open);
}

function declarationFile(path: string): string {
  const stem = path.replace(/(\.d)?\.[cm]?tsx?$|\.js$/, "");
  const found = [`${stem}.d.ts`, join(stem, "index.d.ts")].find((file) => existsSync(file));
  if (found === undefined) throw new Error(`there is no declaration file for ${path}`);
  return found;
}

function readModule(path: string): Module {
  const text = withoutComments(readFileSync(declarationFile(path), "utf8"));
  const { body } = parseAst(text, { lang: "dts", sourceType: "module" }) as unknown as { body: readonly Node[] };
  const declared = new Map<string, Node[]>();
  const imported = new Map<string, { from: string; name: string }>();
  const exported = new Map<string, { from?: string; name: string }>();
  const all: string[] = [];
  const declare = (node: Node): string[] => {
    const names =
      node.type === "VariableDeclaration"
        ? (node["declarations"] as { id: { name: string } }[]).map(({ id }) => id.name)
        : [(node["id"] as { name: string }).name];
    for (const name of names) declared.set(name, [...(declared.get(name) ?? []), node]);
    return names;
  };
  for (const node of body) {
    const source = (node["source"] as { value: string } | null)?.value;
    if (node.type === "ImportDeclaration") {
      for (const { local, imported: named } of node["specifiers"] as Specifier[])
        imported.set(local.name, { from: source ?? "", name: named?.name ?? "*" });
    } else if (node.type === "ExportAllDeclaration") {
      const named = node["exported"] as { name: string } | null;
      if (named) exported.set(named.name, { from: source ?? "", name: "*" });
      else all.push(source ?? "");
    } else if (node.type === "ExportNamedDeclaration") {
      const inner = node["declaration"] as Node | null;
      if (inner) for (const name of declare(inner)) exported.set(name, { name });
      for (const { local, exported: named } of node["specifiers"] as Specifier[])
        exported.set(named?.name ?? "", { ...(source !== undefined && { from: source }), name: local.name });
    } else if (node.type === "ExportDefaultDeclaration") {
      throw new Error(`${path} has a default export`);
    } else declare(node);
  }
  return { text, declared, imported, exported, all };
}

interface Specifier {
  readonly local: { readonly name: string };
  readonly imported?: { readonly name: string };
  readonly exported?: { readonly name: string };
}

/** Replaces comments with spaces, so that positions stay the same. */
function withoutComments(text: string): string {
  const strings = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g;
  return text.replaceAll(strings, (part) => (part.startsWith("/") ? part.replaceAll(/[^\n]/g, " ") : part));
}
