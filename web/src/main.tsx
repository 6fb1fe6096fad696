import "./disable-zod-eval.ts";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/controls.css";
import { startPage } from "./start-page.tsx";
import { browserPorts } from "./state/browser-ports.ts";
import { canShareStream, openSharedStream } from "./state/shared-stream/open-shared-stream.ts";

startPage(canShareStream() ? { ...browserPorts, openStream: openSharedStream } : browserPorts);
