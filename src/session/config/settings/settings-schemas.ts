import * as z from "zod";
import { ClaudeSettings, Settings } from "../../../protocol/index.ts";

/** What `.mcp.json` and its like hold; what a server may say is checked by those who start it. */
const McpFile = z.object({ mcpServers: z.record(z.string().min(1), z.unknown()).optional() });

/** In a file of their own: they are many, and most folders have no settings to check. */
export const settingsSchemas = { troupe: Settings, claude: ClaudeSettings, mcp: McpFile } as const;
