export { type ProbeFacts, probeScript, probes } from "../sandbox/probes.ts";
export {
	deniedCalls,
	deniedUnixSocket,
	refusedWithoutFilter,
	systemCallData,
	systemCallProgram,
} from "../sandbox/system-calls/denied-calls.ts";
export {
	errno,
	filterProgram,
	filterRules,
	knownArchitecture,
	noUnixSockets,
} from "../sandbox/system-calls/filter.ts";
export { hasBubblewrap, shellCommand } from "./commands.ts";
export { EventLog } from "./event-log.ts";
export { checkEventOrder } from "./event-order.ts";
export { testImages } from "./images.ts";
export { noSandboxes } from "./no-sandboxes.ts";
export { probeTool } from "./probe-tool.ts";
export { calls, gated, ScriptedModel, type ScriptedReply, says, stuck } from "./scripted-model.ts";
export { testConnector } from "./test-connector.ts";
export { TestRuntime, type TestRuntimeOptions, unkeyed } from "./test-runtime.ts";
export { createToolContext } from "./tool-context.ts";
