import type { McpSetup, McpSource } from "@parley/core";

/** A source of the operator's setup that a test can change. */
export class TestSource implements McpSource {
	setup: McpSetup = { servers: [], trusted: [] };
	async current(): Promise<McpSetup> {
		return this.setup;
	}
}
