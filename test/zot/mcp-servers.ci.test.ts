import { afterAll, beforeAll, expect, test } from "vitest";
import { only, ZotClient } from "../conformance/drivers/zot-client.ts";
import { startEverything } from "../mcp/everything-server.ts";
import { FakeAnthropic } from "../simulators/anthropic/fake-anthropic.ts";
import { says, uses } from "../simulators/anthropic/reply.ts";

let server: Awaited<ReturnType<typeof startEverything>>;
beforeAll(async () => {
	server = await startEverything();
});
afterAll(() => server.stop());

async function toolsOf(flags: readonly string[]) {
	await using service = await FakeAnthropic.start();
	service.script(uses("toolu_1", "notes__echo", { message: "hello" }), says("Done."));
	const servers = { notes: { url: server.url, allowPrivate: true } };
	await using agent = await ZotClient.start({ service, flags, servers });
	agent.send({ id: "1", type: "prompt", message: "go" });
	const results = only(await agent.turn(), "tool_result");
	const tools = service.requests[0]?.body.tools ?? [];
	return { names: tools.map((tool) => ("name" in tool ? tool.name : "")), results: JSON.stringify(results) };
}

test("the operator's MCP servers are used by the agent in a subprocess", async () => {
	const { names, results } = await toolsOf([]);
	expect(names).toEqual(expect.arrayContaining(["read", "bash", "notes__echo"]));
	expect(results).toContain("Echo: hello");
});

test("--tools excludes the servers", async () => {
	const { names, results } = await toolsOf(["--tools", "read"]);
	expect(names).toEqual(["read"]);
	expect(results).not.toContain("Echo");
});
