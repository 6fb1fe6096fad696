// Tasks whose parts touch the same lines, so that parallel work has to be brought together.

const kind = "conflicting changes";

const router = `/** All routes, in order. */
export const routes = [
  ["GET /", "home"],
];

export function find(method, path) {
  const found = routes.find(([pattern]) => pattern === \`\${method} \${path}\`);
  return found?.[1];
}
`;

export const conflicts = [
  {
    name: "three-routes",
    kind,
    prompt:
      'Three independent features, all in src/router.js and README.md: (1) add the route "GET /health" -> "health"; (2) add "POST /login" -> "login" and make methods case-insensitive in find(); (3) let patterns have parameters: "GET /users/:id" -> "user", and find() then returns "user" for any id without a slash. Each feature gets its own commit and one line in the list "Routes" of README.md. The order of the routes is the order above.',
    files: { "src/router.js": router, "README.md": "# Router\n\n## Routes\n- GET /: home\n" },
    hidden: `import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { find, routes } from "../src/router.js";
test("routes", () => {
  assert.deepEqual(routes.map(([pattern]) => pattern), ["GET /", "GET /health", "POST /login", "GET /users/:id"]);
  assert.equal(find("GET", "/health"), "health");
  assert.equal(find("post", "/login"), "login");
  assert.equal(find("get", "/users/7"), "user");
  assert.equal(find("GET", "/users/7/x"), undefined);
  assert.equal(find("GET", "/users/"), undefined);
  assert.equal(find("GET", "/nope"), undefined);
});
test("documented", () => {
  const text = readFileSync("README.md", "utf8");
  for (const route of ["/health", "/login", "/users/:id"]) assert.match(text, new RegExp(\`^- .*\${route}\`, "m"));
});
test("committed", () => assert.ok(execFileSync("git", ["log", "--oneline"], { encoding: "utf8" }).trim().split("\\n").length >= 4));
`,
    commits: true,
    solution: {
      "src/router.js": `/** All routes, in order. */
export const routes = [
  ["GET /", "home"],
  ["GET /health", "health"],
  ["POST /login", "login"],
  ["GET /users/:id", "user"],
];

export function find(method, path) {
  const wanted = \`\${method.toUpperCase()} \${path}\`.split("/");
  const found = routes.find(([pattern]) => {
    const parts = pattern.split("/");
    return parts.length === wanted.length && parts.every((part, index) => (part.startsWith(":") ? wanted[index] !== "" : part === wanted[index]));
  });
  return found?.[1];
}
`,
      "README.md":
        "# Router\n\n## Routes\n- GET /: home\n- GET /health: health\n- POST /login: login\n- GET /users/:id: user\n",
    },
  },
  {
    name: "two-branches",
    kind,
    prompt:
      "The branches feature/limits and feature/labels both change src/config.js. Bring both to main so that both features work together, with all their tests. Nothing of either may get lost. Leave the working tree clean.",
    files: {
      "src/config.js": `export const config = { name: "app", size: 10 };
export const describe = () => config.name + " " + config.size;
`,
    },
    branches: {
      "feature/limits": {
        "src/config.js": `export const config = { name: "app", size: 10, limit: 100 };
export const describe = () => config.name + " " + Math.min(config.size, config.limit);
`,
        "test/limits.test.js": `import assert from "node:assert/strict";
import { test } from "node:test";
import { config } from "../src/config.js";

test("has a limit", () => assert.equal(config.limit, 100));
`,
      },
      "feature/labels": {
        "src/config.js": `export const config = { name: "app", size: 10, label: "App" };
export const describe = () => config.label + " " + config.size;
`,
        "test/labels.test.js": `import assert from "node:assert/strict";
import { test } from "node:test";
import { config } from "../src/config.js";

test("has a label", () => assert.equal(config.label, "App"));
`,
      },
    },
    hidden: `import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { config, describe as text } from "../src/config.js";
test("both features", () => {
  assert.deepEqual(config, { name: "app", size: 10, limit: 100, label: "App" });
  assert.equal(text(), "App 10");
  config.size = 500;
  assert.equal(text(), "App 100");
});
test("both tests are there", () => assert.ok(existsSync("test/limits.test.js") && existsSync("test/labels.test.js")));
test("on main", () => assert.match(execFileSync("git", ["branch", "--show-current"], { encoding: "utf8" }), /main/));
`,
    commits: true,
    solution: {
      "src/config.js": `export const config = { name: "app", size: 10, limit: 100, label: "App" };
export const describe = () => config.label + " " + Math.min(config.size, config.limit);
`,
      "test/limits.test.js": `import assert from "node:assert/strict";
import { test } from "node:test";
import { config } from "../src/config.js";

test("has a limit", () => assert.equal(config.limit, 100));
`,
      "test/labels.test.js": `import assert from "node:assert/strict";
import { test } from "node:test";
import { config } from "../src/config.js";

test("has a label", () => assert.equal(config.label, "App"));
`,
    },
  },
];
