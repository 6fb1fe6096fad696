// Fields that stand for "set later": `x: () => value`, where `value` does not exist yet when the object is made.
// That is a constant declared further down, a `let` without a value, or a `Late`. Two-phase wiring avoids them.
//   node scripts/late-fields.mjs   lists them
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { lineCounter, listFiles, parseFile, walk } from "./source-files.mjs";

export const maxLateFields = 30;

/** Returns the late fields of `src` as `file:line name`. */
export function findLateFields() {
  return listFiles(["src"], /\.tsx?$/).flatMap(lateFieldsOf);
}

function lateFieldsOf(file) {
  const text = readFileSync(file, "utf8");
  const lineOf = lineCounter(text);
  const variables = new Map();
  const fields = [];
  walk(parseFile(file, text).program, (node, ancestors) => {
    if (node.type === "VariableDeclarator" && node.id.type === "Identifier") {
      const { kind } = ancestors.at(-1);
      const known = variables.get(node.id.name) ?? [];
      variables.set(node.id.name, [...known, { kind, node, scope: scopeOf(ancestors) }]);
    }
    if (node.type === "Property") fields.push({ node, scopes: ancestors });
  });
  return fields
    .filter(({ node, scopes }) => isLate(valueOf(node.value), node, { variables, scopes }))
    .map(({ node }) => `${file}:${lineOf(node.start)} ${node.key.name ?? node.key.value}`);
}

const scopeOf = (ancestors) => ancestors.findLast(({ type }) => type === "BlockStatement" || type === "Program");

/** The name that a thunk reads, such as `agent` of `() => agent` and `() => agent.id`; `late` of `late.get`. */
function valueOf(value) {
  const isThunk = value.type === "ArrowFunctionExpression" && value.params.length === 0 && value.expression;
  let node = isThunk ? value.body : value;
  if (!isThunk && !(node.type === "MemberExpression" && node.property.name === "get")) return undefined;
  while (node.type === "MemberExpression" || node.type === "CallExpression") node = node.object ?? node.callee;
  return node.type === "Identifier" ? { name: node.name, isThunk } : undefined;
}

function isLate(value, field, { variables, scopes }) {
  if (value === undefined) return false;
  const found = (variables.get(value.name) ?? []).findLast(({ scope }) => scopes.includes(scope));
  if (found === undefined) return false;
  const { kind, node } = found;
  if (node.init?.type === "CallExpression" && node.init.callee.name === "createLate") return true;
  if (!value.isThunk) return false;
  if (kind === "let") return node.init === null;
  const isInOwnInit = node.start < field.start && field.end < node.end;
  const isFunction = /Function/.test(node.init?.type ?? "");
  return !isFunction && (isInOwnInit || node.start > field.end);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const fields = findLateFields();
  for (const field of fields) console.log(field);
  console.log(`${fields.length} late fields, the limit is ${maxLateFields - 1}`);
}
