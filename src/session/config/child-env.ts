/**
 * The environment for shells, hooks and servers: the user's, without the keys to models and the way to the bus. A command that needs one has to be
 * given it: `allowed` names those that are. What else is there (`GITHUB_TOKEN`, `NODE_OPTIONS`, …) is the user's own and stays: their tools need it.
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

/** All of the two providers we speak to ourselves, and whatever looks like a key of another vendor of models. */
function isModelSecret(name: string): boolean {
  const upper = name.toUpperCase();
  // With it a command could write to a team past all that a member may do.
  if (upper === "TROUPE_BUS") return true;
  if (upper.startsWith("ANTHROPIC_") || upper.startsWith("OPENAI_")) return true;
  return /(?:KEY|TOKEN|SECRET)$/.test(upper) && modelVendors.some((vendor) => upper.startsWith(`${vendor}_`));
}
