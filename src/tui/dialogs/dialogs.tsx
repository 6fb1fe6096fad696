import type { ReactNode } from "react";
import { useAppState } from "../app-context.ts";
import { BackgroundDialog } from "./background-dialog.tsx";
import { ConfirmLeave } from "./confirm-leave.tsx";
import type { FrontendFacts } from "../frontend-facts.ts";
import { DiffDialog } from "./diff-dialog.tsx";
import { Help } from "./help.tsx";
import { PermissionDialog } from "./permission-dialog.tsx";
import { RewindDialog } from "./rewind-dialog.tsx";
import { ResumePicker } from "./resume-picker.tsx";
import { TrustDialog } from "./trust-dialog.tsx";
import {
  AgentsDialog,
  CostDialog,
  HooksDialog,
  McpDialog,
  ModelDialog,
  PermissionsDialog,
  TeamDialog,
} from "./slash-dialogs.tsx";

/** The open dialog, if any. It receives all keys except those that end or suspend the program. */
export function Dialogs({ facts }: { readonly facts: FrontendFacts }): ReactNode {
  const kind = useAppState(({ dialog }) => dialog.kind);
  switch (kind) {
    case "none":
    case "transcript": // uses the alternate screen
      return null;
    case "permission":
      return <PermissionDialog />;
    case "background":
      return <BackgroundDialog />;
    case "help":
      return <Help facts={facts} />;
    case "agents":
      return <AgentsDialog facts={facts} />;
    case "team":
      return <TeamDialog />;
    case "model":
      return <ModelDialog facts={facts} />;
    case "cost":
      return <CostDialog />;
    case "permissions":
      return <PermissionsDialog facts={facts} />;
    case "mcp":
      return <McpDialog />;
    case "hooks":
      return <HooksDialog facts={facts} />;
    case "resume":
      return <ResumePicker facts={facts} />;
    case "trust":
      return <TrustDialog facts={facts} />;
    case "rewind":
      return <RewindDialog facts={facts} />;
    case "diff":
      return <DiffDialog facts={facts} />;
    case "confirm-leave":
      return <ConfirmLeave facts={facts} />;
  }
}
