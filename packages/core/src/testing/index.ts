export { type ProbeFacts, probeScript, probes } from "../sandbox/probes.ts";
export { hasBubblewrap, shellCommand } from "./commands.ts";
export { EventLog } from "./event-log.ts";
export { noSandboxes } from "./no-sandboxes.ts";
export { calls, ScriptedModel, type ScriptedReply, says, stuck } from "./scripted-model.ts";
export { testConnector } from "./test-connector.ts";
export { TestRuntime, unkeyed } from "./test-runtime.ts";
export { createToolContext } from "./tool-context.ts";
