const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Instruction files: the next session of a coding agent obeys them. */
const instructionFiles = words(`
  AGENTS.md AGENTS.override.md CLAUDE.md CLAUDE.local.md GEMINI.md QWEN.md copilot-instructions.md .windsurfrules
  .clinerules
`);

/** Files that name programs which package managers, git hooks and build servers run. */
const runnerFiles = words(`
  .npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs bunfig.toml lefthook.yml .lefthook.yml .pre-commit-config.yaml
  .gitlab-ci.yml .travis.yml azure-pipelines.yml bitbucket-pipelines.yml Jenkinsfile
`);

/** The names of files that other programs and agents obey. */
export const obeyedNames: readonly string[] = [...instructionFiles, ...runnerFiles];

const names = new Set(obeyedNames);
export const isObeyed = (name: string) => names.has(name);

const reasons = new Map([
  ...instructionFiles.map((name) => [name.toLowerCase(), "agents obey the instructions in it"] as const),
  ...runnerFiles.map((name) => [name.toLowerCase(), "it names programs that others run"] as const),
]);

const folders = /\/(\.circleci|\.github\/(workflows|actions)|node_modules\/\.bin)\//i;

/**
 * Returns why a change of this file needs a yes although edits are accepted, or undefined. The path is real and absolute.
 */
export function obeyedReason(path: string): string | undefined {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  return reasons.get(name) ?? (folders.test(path) ? "build servers or shells run the files in this folder" : undefined);
}
