import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { gated, ScriptedModel, stuck } from "@parley/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { TestGateway } from "../conformance/gateway.ts";
import { binary, choosePort, GatewayProcess } from "../gateway-process.ts";
import { type AnswerForm, callTool } from "./desk.ts";
import { inspect } from "./inspector.ts";

function environmentOf(data: string, home: string): Record<string, string> {
	return { PATH: process.env["PATH"] ?? "", HOME: home, PARLEY_DATA: data };
}

async function startServer(
	data: string,
	home: string,
	onForm?: AnswerForm,
	mode: "auto" | "legacy" = "legacy",
) {
	const transport = new StdioClientTransport({
		command: process.execPath,
		args: [binary, "mcp", "serve"],
		env: environmentOf(data, home),
		stderr: "pipe",
	});
	const errors: Error[] = [];
	const client = new Client(
		{ name: "editor", version: "1.0.0" },
		{ capabilities: onForm ? { elicitation: { form: {} } } : {}, versionNegotiation: { mode } },
	);
	client.onerror = (error) => {
		// If a progress report and the result arrive together, the SDK handles the report too late and emits this error.
		if (!error.message.includes("progress notification")) errors.push(error);
	};
	if (onForm)
		client.setRequestHandler("elicitation/create", (request, ctx) => onForm(request, ctx.mcpReq.signal));
	await client.connect(transport);
	return {
		client,
		errors,
		call: (name: string, args: Record<string, unknown>, options = {}) =>
			callTool(client, name, args, options),
		[Symbol.asyncDispose]: () => client.close(),
	};
}

test.each(["legacy", "auto"] as const)(
	"an editor uses the agent over standard input and output, with the negotiation %s",
	async (mode) => {
		await using gateway = await TestGateway.start({ config: { auth: "token" } });
		await using editor = await startServer(gateway.path("data"), gateway.directory, undefined, mode);
		const first = await editor.call("ask", { message: "say: hello" });
		expect(first.facts).toMatchObject({ status: "completed", text: "[offline] hello" });
		const page = await editor.client.readResource({ uri: `parley://sessions/${first.facts["session_id"]}` });
		expect(JSON.stringify(page)).toContain("[offline] hello");
		expect(editor.errors).toEqual([]);
	},
);

test("a form of an approval reaches the editor, and its answer the gateway", async () => {
	await using gateway = await TestGateway.start({ config: { auth: "token", mcpForms: true } });
	await using editor = await startServer(gateway.path("data"), gateway.directory, () => ({
		action: "accept",
		content: { decision: "approve" },
	}));
	const { facts } = await editor.call("ask", { message: "write: notes.txt <<< buy milk" });
	expect(facts).toMatchObject({ status: "completed", text: expect.stringContaining("write_file") });
});

test("a cancelled ask stops its run", async () => {
	const model = new ScriptedModel(stuck("thinking"));
	await using gateway = await TestGateway.start({ config: { auth: "token" }, model });
	await using editor = await startServer(gateway.path("data"), gateway.directory);
	const stop = new AbortController();
	const pending = editor.call("ask", { message: "think" }, { signal: stop.signal });
	await expect.poll(() => model.requests.length, { timeout: 20_000 }).toBe(1);
	stop.abort();
	await expect(pending).rejects.toThrow();
	await expect
		.poll(async () => JSON.stringify(await editor.client.listResources()), { timeout: 20_000 })
		.toContain("idle");
});

test("an editor continues after a restart of the gateway, which has another address", async () => {
	await using gateway = await TestGateway.start({ config: { auth: "token" } });
	await using editor = await startServer(gateway.path("data"), gateway.directory);
	const { session_id } = (await editor.call("ask", { message: "say: one" })).facts;
	await gateway.stop();
	await expect(editor.call("ask", { message: "say: lost" })).rejects.toThrow("no gateway listens at");
	await gateway.restart();
	const second = await editor.call("ask", { message: "say: two", session_id });
	expect(second.facts).toMatchObject({ status: "completed", text: "[offline] two", session_id });
	const page = JSON.stringify(await editor.client.readResource({ uri: `parley://sessions/${session_id}` }));
	expect(page).not.toContain("lost");
});

test("the run of an editor that ends continues", async () => {
	const gate = Promise.withResolvers<void>();
	const model = new ScriptedModel(gated(gate.promise, "done"));
	await using gateway = await TestGateway.start({ config: { auth: "token" }, model });
	const editor = await startServer(gateway.path("data"), gateway.directory);
	const pending = editor.call("ask", { message: "work" });
	await expect.poll(() => model.requests.length, { timeout: 20_000 }).toBe(1);
	await Promise.allSettled([pending, editor.client.close()]);
	gate.resolve();
	await using other = await startServer(gateway.path("data"), gateway.directory);
	const { resources } = await other.client.listResources();
	const uri = resources[0]?.uri ?? "";
	await expect
		.poll(async () => JSON.stringify(await other.client.readResource({ uri })), { timeout: 20_000 })
		.toContain("done");
});

test("a gateway that is killed during an ask has the message once, and its run continues", async () => {
	const root = await mkdtemp(join(tmpdir(), "parley-mcp-"));
	const data = join(root, "data");
	const port = await choosePort();
	const first = new GatewayProcess({ port, data, root });
	expect(await first.ready).toBe(true);
	const editor = await startServer(data, root);
	const lost = editor.call("ask", { message: "long: 300 tokens at 50 per second" });
	await expect
		.poll(async () => JSON.stringify(await editor.client.listResources()), { timeout: 20_000 })
		.toContain("running");
	first.kill("SIGKILL");
	await expect(lost).rejects.toThrow(
		"the connection to the gateway was lost; a run that has started continues",
	);
	await first.exited;
	const second = new GatewayProcess({ port, data, root });
	expect(await second.ready).toBe(true);
	const { resources } = await editor.client.listResources();
	const uri = resources[0]?.uri ?? "";
	const read = async (): Promise<string> => JSON.stringify(await editor.client.readResource({ uri }));
	await expect.poll(read, { timeout: 30_000 }).toContain('\\"role\\":\\"assistant\\"');
	expect((await read()).match(/\\"role\\":\\"user\\"/g)).toHaveLength(1);
	expect(resources).toHaveLength(1);
	await editor.client.close();
	second.kill("SIGKILL");
	await second.exited;
	await rm(root, { recursive: true, force: true });
});

test("without a gateway, the command fails with the reason", async () => {
	const root = await mkdtemp(join(tmpdir(), "parley-mcp-"));
	onTestFinished(() => rm(root, { recursive: true, force: true }));
	const { status, stdout, stderr } = spawnSync(process.execPath, [binary, "mcp", "serve"], {
		encoding: "utf8",
		env: environmentOf(root, root),
		input: `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })}\n`,
	});
	expect(stderr).toContain(`no gateway is running on the data directory ${root};`);
	expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
});

test("the official inspector uses the command", async () => {
	await using gateway = await TestGateway.start({ config: { auth: "token" } });
	const server = ["-e", `PARLEY_DATA=${gateway.path("data")}`, process.execPath, binary, "mcp", "serve"];
	const listed = await inspect([...server, "--method", "tools/list"], gateway.directory);
	expect(listed).toMatchObject({ code: 0, result: { tools: [{ name: "ask" }, {}, {}, {}] } });
	const callArgs = ["--method", "tools/call", "--tool-name", "ask", "--tool-arg", "message=say: hello"];
	const { result } = await inspect([...server, ...callArgs], gateway.directory);
	expect(result).toMatchObject({ structuredContent: { status: "completed", text: "[offline] hello" } });
});
