/**
 * Returns the environment for shells, hooks and servers: the user's, without model keys and the bus address. `allowed`
 * names the keys that a command may still get. All other variables (`GITHUB_TOKEN`, `NODE_OPTIONS`, …) stay, because
 * the user's tools need them.
 */
export function childEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  allowed: readonly string[] = [],
): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && (!isModelSecret(name) || allowed.includes(name))) kept[name] = value;
  }
  return kept;
}

const modelVendors = [
  "AI21",
  "ANTHROPIC",
  "AZURE_OPENAI",
  "CEREBRAS",
  "CLAUDE_CODE",
  "COHERE",
  "DASHSCOPE",
  "DEEPSEEK",
  "FIREWORKS",
  "GEMINI",
  "GOOGLE",
  "GOOGLE_GENERATIVE_AI",
  "GROQ",
  "HF",
  "HUGGINGFACE",
  "HUGGING_FACE_HUB",
  "LITELLM",
  "MINIMAX",
  "MISTRAL",
  "MOONSHOT",
  "NVIDIA",
  "OLLAMA",
  "OPENAI",
  "OPENROUTER",
  "PERPLEXITY",
  "REPLICATE",
  "TOGETHER",
  "TROUPE_LOCAL",
  "VOYAGE",
  "XAI",
  "ZAI",
];

/** True for all variables of Anthropic and OpenAI, and for names that look like a key of another model vendor. */
function isModelSecret(name: string): boolean {
  const upper = name.toUpperCase();
  // With the bus address, a command could write to a team without the limits of a member.
  if (upper === "TROUPE_BUS") return true;
  if (upper.startsWith("ANTHROPIC_") || upper.startsWith("OPENAI_")) return true;
  return /(?:KEY|TOKEN|SECRET)$/.test(upper) && modelVendors.some((vendor) => upper.startsWith(`${vendor}_`));
}
