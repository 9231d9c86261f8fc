import { createIds } from "@parley/base";
import { expect, test } from "vitest";
import type { McpServerSettings } from "../../vocabulary/mcp/server.ts";
import type { SandboxKind } from "../../vocabulary/sandbox.ts";
import type { ToolContext } from "../../vocabulary/tool.ts";
import type { McpServer } from "./mcp-server.ts";
import { mcpTool } from "./mcp-tool.ts";

const program: McpServerSettings = {
	...{ name: "shop", command: "shop", args: [], timeoutMs: 1_000 },
	...{ environment: {}, secrets: [], read: [], write: [], hosts: [] },
};

async function classesOf(settings: McpServerSettings, mode: SandboxKind = "bubblewrap") {
	const listed = { name: "buy", inputSchema: { type: "object" as const } };
	const tool = mcpTool(
		{ name: "shop__buy", listed },
		{
			settings,
			// The cast is safe because a plan does not call the server.
			server: {} as McpServer,
			ids: createIds(),
			approved: { hasChanged: () => Promise.resolve(false), record: () => Promise.resolve() },
			described: { description: "", schema: {} },
		},
	);
	// The cast is safe because a plan uses only the roots and the mode of the sandbox.
	const { classes } = await tool.plan({}, { roots: ["/work"], sandbox: { mode } } as unknown as ToolContext);
	return classes;
}

test("rights of a server add classes to its calls", async () => {
	await expect(classesOf(program)).resolves.toEqual(["mcp"]);
	await expect(classesOf({ ...program, hosts: ["api.example.com"] })).resolves.toEqual(["mcp", "egress"]);
	await expect(classesOf({ ...program, read: ["/work/a"] })).resolves.toEqual(["mcp"]);
	await expect(classesOf({ ...program, read: ["/home"] })).resolves.toEqual(["mcp", "outside-read"]);
	await expect(classesOf({ ...program, secrets: ["s"] })).resolves.toEqual(["mcp", "outside-read"]);
});

test("a program that runs in the container of the gateway reaches its network and all of its files", async () => {
	await expect(classesOf(program, "container")).resolves.toEqual(["mcp", "outside-read", "egress"]);
	const remote = { name: "shop", url: "https://shop.example/", headers: {}, allowPrivate: false };
	const facts = { ...remote, secrets: [], timeoutMs: 1_000 };
	await expect(classesOf(facts, "container")).resolves.toEqual(["mcp", "egress"]);
});
