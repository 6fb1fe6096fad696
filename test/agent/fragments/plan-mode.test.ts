import { expect, test } from "vitest";
import {
  planModeOff,
  planModeOn,
  planModeOnForCoordinator,
  planUnattended,
} from "../../../src/agent/fragments/plan-mode.ts";

test("what a model is told of plan mode", () => {
  expect([planModeOn, planModeOff, planUnattended]).toMatchSnapshot();
  expect(planModeOnForCoordinator).toMatchSnapshot();
});
