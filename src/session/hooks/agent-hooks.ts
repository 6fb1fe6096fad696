import type { AgentHooks, HookedCall } from "../../agent/index.ts";
import type { PermissionMode, ToolOutcome } from "../../protocol/index.ts";
import { parseRule } from "../../tool/index.ts";
import type { HookRunner } from "./hook-runner.ts";

/** Runs hooks for the events of one agent, with the input fields that hooks expect. */
export function createAgentHooks(
  runner: HookRunner,
  { mode, subagent }: { readonly mode: () => PermissionMode; readonly subagent?: string | undefined },
): AgentHooks {
  let stop: string | undefined;
  const stopEvent = subagent === undefined ? "Stop" : "SubagentStop";

  return {
    async beforeCall(call, signal) {
      const said = await runner.run("PreToolUse", { input: callInput(call), callId: call.callId, signal });
      stop = said.stop ?? stop;
      const context = said.context.length === 0 ? undefined : said.context.join("\n");
      const { reason, input } = said;
      if (said.stop !== undefined) return { verdict: "deny", reason: reason ?? said.stop };
      if (said.decision === "ask" && mode() === "dontAsk") {
        return {
          verdict: "deny",
          reason: `The hook requires the user's approval, and this session never asks. ${reason ?? ""}`,
        };
      }
      return { verdict: said.decision ?? "none", reason, input, context };
    },

    async afterCall(call, outcome, signal) {
      if (!runner.has("PostToolUse")) return [];
      const input = { ...callInput(call), tool_response: responseOf(call, outcome) };
      const said = await runner.run("PostToolUse", { input, callId: call.callId, signal });
      if (signal.aborted) return [];
      stop = said.stop ?? stop;
      return [...(said.decision === "deny" && said.reason !== undefined ? [said.reason] : []), ...said.context];
    },

    async beforeAsking(call, signal) {
      const input = { ...callInput(call), permission_suggestions: call.suggestions.flatMap(suggestionOf) };
      const said = await runner.run("PermissionRequest", { input, callId: call.callId, signal });
      stop = said.stop ?? stop;
      if (said.decision === "deny" || said.stop !== undefined) {
        return { behavior: "deny", message: said.reason ?? said.stop ?? "The hook gave no reason." };
      }
      return said.decision === "allow" ? { behavior: "allow", input: said.input } : undefined;
    },

    asking(question) {
      const input = { message: question, title: "Troupe", notification_type: "permission_prompt" };
      runner.start("Notification", input);
    },

    async beforeStop({ lastWords, again }, signal) {
      if (!runner.has(stopEvent)) return undefined;
      const type = subagent === undefined ? {} : { agent_type: subagent };
      const input = { stop_hook_active: again, last_assistant_message: lastWords, ...type };
      const said = await runner.run(stopEvent, { input, signal });
      if (said.stop !== undefined || said.decision !== "deny") return undefined;
      return said.reason ?? "The hook gave no reason.";
    },

    async beforeCompaction({ trigger, instructions }, signal) {
      const input = { trigger: trigger === "asked" ? "manual" : "auto", custom_instructions: instructions ?? "" };
      const said = await runner.run("PreCompact", { input, signal });
      return said.decision === "deny" ? `a hook blocked it: ${said.reason ?? "no reason given"}` : undefined;
    },

    takeStop() {
      const reason = stop;
      stop = undefined;
      return reason;
    },
  };
}

const callInput = ({ tool, input, callId }: HookedCall) => ({
  tool_name: tool,
  tool_input: input,
  tool_use_id: callId,
});

const responseLimit = 100_000;

/** Adds the fields where hooks look for a command's output and a file's path. */
function responseOf({ tool, input }: HookedCall, { outcome, content }: ToolOutcome) {
  const text = content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
  const shown = text.slice(0, responseLimit);
  const path = typeof input === "object" && input !== null && "file_path" in input ? input.file_path : undefined;
  return {
    success: outcome === "ok",
    content: shown,
    ...(tool === "Bash" && { stdout: shown, stderr: "", interrupted: false }),
    ...(path !== undefined && { filePath: path }),
  };
}

/** Converts a rule to the format of hook suggestions. */
function suggestionOf(text: string) {
  const { tool, specifier } = parseRule(text);
  const rule = { toolName: tool, ...(specifier !== undefined && { ruleContent: specifier }) };
  return [{ type: "addRules", rules: [rule], behavior: "allow", destination: "localSettings" }];
}
