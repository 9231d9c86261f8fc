import { checkStart, type OpenAgentOptions } from "./check-start.ts";
import type { OpenAgent } from "./open-agent.ts";

/** Opens the agent. Rejects with an error that the client can fix; flags are checked before the core is loaded. */
export async function startAgent(options: OpenAgentOptions): Promise<OpenAgent> {
	const checked = await checkStart(options);
	const { openAgent } = await import("./open-agent.ts");
	return openAgent(options, checked);
}
