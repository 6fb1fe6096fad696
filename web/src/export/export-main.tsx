import "../disable-zod-eval.ts";
import "../styles/tokens.css";
import "../styles/base.css";
import "../styles/controls.css";
import { hrefOf } from "../route.ts";
import { startPage } from "../start-page.tsx";
import { browserPorts } from "../state/browser-ports.ts";
import { installEmbeddedServer } from "./embedded-server.ts";
import { readEmbedded } from "./read-embedded.ts";

/** A session in a file: the dashboard with embedded server data. */
const packed = document.querySelector("#session")?.textContent?.trim() ?? "";
const embedded = await readEmbedded(packed);
installEmbeddedServer(embedded, globalThis);
if (location.hash === "") location.hash = hrefOf(embedded.session, "summary");
startPage(browserPorts);
