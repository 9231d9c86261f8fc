import { once } from "node:events";
import { realpath, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname } from "node:path";
import { programOf, readDirectoryFile } from "@parley/core";
import { hasBubblewrap } from "@parley/core/testing";
import { writeMcpFile } from "@parley/gateway";
import { expect, onTestFinished, test, vi } from "vitest";
import { OzzieClient } from "../conformance/drivers/ozzie-client.ts";
import { TestGateway } from "../conformance/gateway.ts";

/** A server whose tool reports which resources its process can reach. */
const program = `
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
const [address, ...paths] = process.argv.slice(2);
const readable = (path) => {
	try { return readFileSync(path, "utf8"); } catch (error) { return error.code; }
};
const answers = {
	initialize: ({ protocolVersion }) => ({
		protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "look", version: "1" },
	}),
	"tools/list": () => ({ tools: [{ name: "look", inputSchema: { type: "object" } }] }),
	"tools/call": async () => {
		const reached = await fetch(address).then(() => "reached", () => "not reached");
		const facts = [reached, ...paths.map(readable), "SHOP_SECRET" in process.env ? "has it" : "lacks it"];
		return { content: [{ type: "text", text: facts.join("|") }] };
	},
};
for await (const line of createInterface({ input: process.stdin })) {
	const { id, method, params } = JSON.parse(line);
	if (id === undefined) continue;
	const answer = answers[method];
	const rest = answer ? { result: await answer(params) } : { error: { code: -32601, message: "unknown" } };
	process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...rest }) + "\\n");
}
`;

async function openListener() {
	let reached = 0;
	const server = createServer((_request, response) => {
		reached += 1;
		response.end();
	}).listen(0, "127.0.0.1");
	await once(server, "listening");
	onTestFinished(() => void server.close());
	// The cast is safe because the server listens on a TCP port.
	const { port } = server.address() as AddressInfo;
	return { url: `http://127.0.0.1:${port}/`, count: () => reached };
}

test.skipIf(!hasBubblewrap)(
	"a trusted program of a directory reads its directory, and has no network, no other path and no variable",
	async () => {
		vi.stubEnv("SHOP_SECRET", "a-secret-of-the-gateway");
		onTestFinished(() => void vi.unstubAllEnvs());
		const listener = await openListener();
		await using gateway = await TestGateway.start({ config: { sandbox: "required" } });
		const work = await realpath(gateway.path("work"));
		await writeFile(gateway.path("work", "own.txt"), "own text");
		await writeFile(gateway.path("other.txt"), "hidden text");
		await writeFile(gateway.path("work", "server.mjs"), program);
		const paths = ["own.txt", gateway.path("other.txt"), gateway.path("data", "parley.sqlite")];
		const args = ["server.mjs", listener.url, ...paths];
		const file = { mcpServers: { local: { command: process.execPath, args } } };
		await writeFile(gateway.path("work", ".mcp.json"), JSON.stringify(file));
		const directoryFile = await readDirectoryFile(work);
		const [entry] = directoryFile?.entries ?? [];
		if (!directoryFile || !entry || "url" in entry) throw new Error("the file has no program");
		// The sandbox hides the interpreter of this test unless it is allowed explicitly.
		const rights = { read: [dirname(process.execPath)] };
		const servers = { local: { ...(await programOf(entry, work)), ...rights } };
		const trusted = [{ directory: work, file: directoryFile.hash, servers }];
		await writeMcpFile(gateway.path("data", "mcp.json"), { servers: {}, trusted });
		const client = await OzzieClient.connect(gateway.url);
		const { session_id } = await client.call("open_session", { root_dir: work });
		await client.call("accept_all_tools", { session_id });
		await client.call("send_message", { session_id, content: "tool: local__look {}" });
		let result = "";
		for (let event = ""; event !== "assistant.message"; ) {
			const received = await client.event();
			({ event } = received);
			if (event === "tool.call")
				result = String(received.payload["result"] ?? received.payload["error"] ?? result);
		}
		await client.leave();
		expect(result).toContain("not reached|own text|ENOENT|ENOENT|lacks it");
		expect(listener.count()).toBe(0);
	},
	60_000,
);
