import * as z from "zod";
import { ClaudeSettings, Settings } from "../../../protocol/index.ts";

/** The content of `.mcp.json` and similar files. Server entries are validated when the servers are started. */
const McpFile = z.object({ mcpServers: z.record(z.string().min(1), z.unknown()).optional() });

/** A separate module, because the schemas are large and most folders have no settings to validate. */
export const settingsSchemas = { troupe: Settings, claude: ClaudeSettings, mcp: McpFile } as const;
