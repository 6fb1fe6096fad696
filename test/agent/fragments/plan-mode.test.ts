import { expect, test } from "vitest";
import {
  planModeOff,
  planModeOn,
  planModeOnForCoordinator,
  planUnattended,
} from "../../../src/agent/fragments/plan-mode.ts";

test("plan mode text for the model", () => {
  expect([planModeOn, planModeOff, planUnattended]).toMatchSnapshot();
  expect(planModeOnForCoordinator).toMatchSnapshot();
});
