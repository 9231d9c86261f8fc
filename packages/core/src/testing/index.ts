export { EventLog } from "./event-log.ts";
export { calls, ScriptedModel, says, stuck } from "./scripted-model.ts";
export { testConnector } from "./test-connector.ts";
export { TestRuntime, unkeyed } from "./test-runtime.ts";
export { createToolContext } from "./tool-context.ts";
