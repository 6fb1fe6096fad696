import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The packages of the other programs. */
export const packages = {
  pi: "@mariozechner/pi-coding-agent",
  "Claude Code": "@anthropic-ai/claude-code",
  codex: "@openai/codex",
};

/**
 * How each program is started for one prompt, what it needs in its home folder, which call reads a file, and which jobs
 * it plays. A program that is not installed has no version.
 */
export function programs({ builds, peers, url }) {
  return [...builds.map((build) => troupe(build, url)), ...(peers === undefined ? [] : others(peers, url))];
}

/** `settings` are JSON for `--settings`. */
const troupe = ({ name, program, settings, jobs = ["turns", "agents"] }, url) => ({
  name,
  jobs,
  version: "build",
  command: (prompt) => [
    process.execPath,
    [
      program,
      "-p",
      prompt,
      "--model",
      "sonnet",
      "--permission-mode",
      "bypassPermissions",
      "--settings",
      JSON.stringify(settings),
    ],
  ],
  env: (home) => ({ ...anthropic(url), TROUPE_HOME: join(home, "troupe") }),
  read: (path) => ({ name: "Read", input: { file_path: path } }),
});

const anthropic = (url) => ({ ANTHROPIC_API_KEY: "none", ANTHROPIC_BASE_URL: url });

function others(peers, url) {
  const bin = (name) => join(peers, "node_modules", ".bin", name);
  const version = (name) => {
    const file = join(peers, "node_modules", name, "package.json");
    return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).version : undefined;
  };
  return [
    {
      name: "pi",
      jobs: ["turns"],
      version: version(packages.pi),
      command: (prompt) => [
        process.execPath,
        [bin("pi"), "-p", prompt, "--provider", "anthropic", "--model", "claude-sonnet-4-5"],
      ],
      env: () => ({ ANTHROPIC_API_KEY: "none", PI_OFFLINE: "1", PI_TELEMETRY: "0", PI_SKIP_VERSION_CHECK: "1" }),
      prepareHome: (home) => {
        mkdirSync(join(home, ".pi", "agent"), { recursive: true });
        const models = { providers: { anthropic: { baseUrl: url } } };
        writeFileSync(join(home, ".pi", "agent", "models.json"), JSON.stringify(models));
      },
      read: (path) => ({ name: "read", input: { path } }),
    },
    {
      name: "Claude Code",
      version: version(packages["Claude Code"]),
      command: (prompt) => [bin("claude"), ["-p", prompt, "--model", "sonnet", "--dangerously-skip-permissions"]],
      env: () => ({
        ...anthropic(url),
        IS_SANDBOX: "1",
        DISABLE_AUTOUPDATER: "1",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      }),
      read: (path) => ({ name: "Read", input: { file_path: path } }),
      jobs: ["turns", "agents"],
    },
    {
      name: "codex",
      jobs: ["turns"],
      version: version(packages.codex),
      command: (prompt) => [
        process.execPath,
        [
          bin("codex"),
          "exec",
          "--skip-git-repo-check",
          "--dangerously-bypass-approvals-and-sandbox",
          "--model",
          "gpt-5.1",
          prompt,
        ],
      ],
      env: (home) => ({ BENCH_KEY: "none", CODEX_HOME: join(home, ".codex") }),
      prepareHome: (home) => {
        mkdirSync(join(home, ".codex"), { recursive: true });
        writeFileSync(join(home, ".codex", "config.toml"), codexSettings(url));
      },
      read: (path) => ({ name: "exec_command", input: { cmd: `cat ${path}` } }),
    },
  ];
}

const codexSettings = (url) => `model_provider = "bench"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.bench]
name = "bench"
base_url = "${url}/v1"
env_key = "BENCH_KEY"
wire_api = "responses"
`;
