export { calls, ScriptedModel, says, stuck } from "./scripted-model.ts";
export { TestRuntime } from "./test-runtime.ts";
export { createToolContext } from "./tool-context.ts";
