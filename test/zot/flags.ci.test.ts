import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { expect, test } from "vitest";
import { only, streamed, ZotClient, type ZotOptions, zotBinary } from "../conformance/drivers/zot-client.ts";
import { FakeAnthropic } from "../simulators/anthropic/fake-anthropic.ts";
import { says, uses } from "../simulators/anthropic/reply.ts";
import { ClientHost } from "./client-host.ts";

async function request(flags: readonly string[], options: Omit<ZotOptions, "service" | "flags"> = {}) {
	await using service = await FakeAnthropic.start();
	service.otherwise(says("Yes."));
	await using agent = await ZotClient.start({ ...options, service, flags });
	agent.send({ id: "1", type: "prompt", message: "are you there?" });
	const frames = await agent.turn();
	expect(await agent.end()).toEqual({ code: 0, signal: null });
	const [first] = service.requests;
	if (!first) throw new Error(`nothing was asked\n${agent.stderr}`);
	return { ...first, frames, system: JSON.stringify(first.body.system), work: agent.path("work") };
}

test("--model, --api-key and --base-url set the model and its server, and override the environment", async () => {
	const environment = { ANTHROPIC_API_KEY: `sk-ant-api03-${"0".repeat(40)}` };
	const { headers, body, frames, system, work } = await request([], { environment });
	expect(headers.authorization).toBe("Bearer sk-ant-api03-simulated-key-0123456789");
	expect(body.model).toBe("claude-sonnet-4-5");
	expect(body.tools?.map((tool) => "name" in tool && tool.name)).toEqual(["read", "write", "edit", "bash"]);
	expect(system).toContain(work);
	expect(streamed(frames)).toBe("Yes.");
});

test("--system-prompt replaces the role of the agent, and appended texts follow in paragraphs", async () => {
	const own = ["--system-prompt", "You are a pirate."];
	const further = ["--append-system-prompt", "Say arr.", "--append-system-prompt", "Never say please."];
	const replaced = await request([...own, ...further]);
	expect(replaced.system).toContain("You are a pirate.\\n\\nSay arr.\\n\\nNever say please.");
	expect(replaced.system).toContain(replaced.work);
	const builtIn = await request(further);
	expect(builtIn.system).toContain("\\n\\nSay arr.\\n\\nNever say please.");
	expect(builtIn.system).not.toContain("pirate");
	expect(builtIn.system.length).toBeGreaterThan(replaced.system.length);
	const none = await request(["--system-prompt", ""]);
	expect(none.system.length).toBeLessThan(replaced.system.length);
	expect(none.system).toContain(none.work);
});

test("--reasoning sets the amount of thinking", async () => {
	const budgets: unknown[] = [];
	for (const level of ["low", "HIGH"]) {
		const { body } = await request(["--reasoning", level]);
		budgets.push(body.thinking?.type === "enabled" ? body.thinking.budget_tokens : body.thinking);
	}
	expect(Number(budgets[0])).toBeGreaterThan(0);
	expect(Number(budgets[1])).toBeGreaterThan(Number(budgets[0]));
	const { body } = await request(["--reasoning", "off"]);
	expect(body.thinking ?? { type: "disabled" }).toEqual({ type: "disabled" });
});

test("--tools sets the tools, --no-tools removes all, and --cwd sets their directory", async () => {
	const named = await request(["--tools", "read, bash", "--cwd", ".."]);
	expect(named.body.tools?.map((tool) => "name" in tool && tool.name)).toEqual(["read", "bash"]);
	expect(named.system).not.toContain(named.work);
	const both = [
		["--no-tools", "--tools", "read"],
		["--tools", "read", "--no-tools"],
	];
	for (const none of [["--no-tools"], ["--tools", ""], ...both]) {
		const { body } = await request(none);
		expect(body.tools ?? []).toEqual([]);
	}
});

test.each([[["--no-session"]], [["--no-session", "--session", ""]], [["--session", "", "--no-session"]]])(
	"%j stores nothing",
	async (flags) => {
		using host = new ClientHost();
		const command = [process.execPath, zotBinary, "rpc", "--provider", "offline", ...flags] as const;
		const { code, stdout, stderr } = await host.run([...command], {
			input: '{"id":"1","type":"ping"}\n',
		});
		expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
		expect(stdout).toContain('"pong":true');
	},
);

test("--max-steps ends a prompt that continues to call tools, with an error", async () => {
	await using service = await FakeAnthropic.start();
	let calls = 0;
	service.otherwise(() => uses(`toolu_${++calls}`, "bash", { command: `echo ${calls}` }));
	await using agent = await ZotClient.start({ service, flags: ["--max-steps", "3"] });
	agent.send({ id: "1", type: "prompt", message: "go on" });
	const frames = await agent.turn();
	expect(calls).toBe(3);
	expect(only(frames, "turn_start").map(({ step }) => step)).toEqual([1, 2, 3]);
	expect(only(frames, "error")).toEqual([expect.objectContaining({ message: expect.stringContaining("3") })]);
});

test("processes of tools see neither the key nor the token of the wire", async () => {
	await using service = await FakeAnthropic.start();
	service.script(uses("toolu_1", "bash", { command: "env" }), says("."));
	const token = "the wire's own secret";
	const environment = { ZOTCORE_RPC_TOKEN: token, ANTHROPIC_API_KEY: service.apiKey };
	await using agent = await ZotClient.start({ service, environment });
	agent.send({ id: "0", type: "hello", token }, { id: "1", type: "prompt", message: "look" });
	const frames = await agent.turn();
	const output = JSON.stringify(only(frames, "tool_result"));
	expect(output).toContain("HOME=");
	expect(output).not.toMatch(/ZOTCORE|ANTHROPIC_API_KEY/);
	for (const secret of [token, service.apiKey]) expect(agent.lines.join("")).not.toContain(secret);
});

test("a token of eight characters is never shown, even if a tool has read it", async () => {
	const environment = { ZOTCORE_RPC_TOKEN: "s3cret99" };
	await using agent = await ZotClient.start({ environment });
	const prompt = { id: "1", type: "prompt", message: "run: printf 'it is %s%s' s3cr et99" };
	agent.send({ id: "0", type: "hello", token: "s3cret99" }, prompt);
	const [result] = only(await agent.turn(), "tool_result");
	expect(result).toMatchObject({ content: [{ text: expect.stringMatching(/^it is (?!s3cret99)/) }] });
	expect(agent.lines.join("")).not.toContain("s3cret99");
});

test("--data loads the operator's own models", async () => {
	using host = new ClientHost();
	mkdirSync(host.path("data"), { mode: 0o700 });
	const own = { id: "claude-own-1", provider: "anthropic", context_window: 50_000, max_output: 5_000 };
	writeFileSync(host.path("data", "models.json"), JSON.stringify({ models: [own] }));
	const providerFlags = ["--provider", "anthropic", "--api-key", "sk-ant-none"];
	const flags = [...providerFlags, "--data", host.path("data"), "--model", own.id];
	await using agent = await ZotClient.start({ flags });
	const { models } = Object(await agent.data({ id: "1", type: "get_models" }));
	expect(models).toContainEqual(expect.objectContaining(own));
	expect(await agent.data({ id: "2", type: "get_state" })).toMatchObject({ model: own.id });
	const misspelt = await agent.ask({ id: "3", type: "set_model", model: "claude-own-2" });
	expect(misspelt).toMatchObject({ success: false, error: expect.stringContaining(own.id) });
});

test("models of a server's list are available, and other names are refused", async () => {
	await using server = createServer((_, response) => response.end('{"data":[{"id":"gemma-27b"}]}'));
	await once(server.listen(0, "127.0.0.1"), "listening");
	const url = `http://127.0.0.1:${Object(server.address()).port}`;
	await using agent = await ZotClient.start({ flags: ["--provider", "anthropic", "--base-url", url] });
	expect(await agent.data({ id: "1", type: "hello" })).toMatchObject({ model: "gemma-27b" });
	expect(await agent.data({ id: "2", type: "get_models" })).toEqual({
		models: [
			{
				...{ id: "gemma-27b", provider: "anthropic", reasoning: false },
				...{ context_window: 32_768, max_output: 8_192 },
			},
		],
	});
	for (const model of ["gemma-27", "claude-sonnet-4-5", "nothing"]) {
		const choices = model === "gemma-27" ? "; did you mean gemma-27b?" : "; available: gemma-27b";
		expect(await agent.ask({ id: model, type: "set_model", model })).toMatchObject({
			...{ success: false, error: `model: there is no model "${model}"${choices}` },
		});
	}
	expect(await agent.data({ id: "3", type: "set_model", model: "gemma-27b" })).toEqual({
		model: "gemma-27b",
	});
	await using named = await ZotClient.start({
		flags: ["--provider", "anthropic", "--base-url", url, "--model", "mine"],
	});
	for (const [model, choices] of [
		["other", `use a model of ${new URL(url).host}: gemma-27b`],
		["gemma-27", "did you mean gemma-27b?"],
	] as const) {
		const refused = { success: false, error: `model: there is no model "${model}"; ${choices}` };
		expect(await named.ask({ id: model, type: "set_model", model })).toMatchObject(refused);
	}
	expect(await named.data({ id: "1", type: "get_state" })).toMatchObject({ model: "mine" });
	const chosen = { model: "gemma-27b" };
	expect(await named.data({ id: "2", type: "set_model", ...chosen })).toEqual(chosen);
	// The server reports only this model, without limits, so the default limits apply.
	expect(await named.data({ id: "3", type: "get_models" })).toMatchObject({
		models: [{ id: "gemma-27b", context_window: 32_768, max_output: 8_192 }],
	});
});

test("--session continues the conversation in the next process, and allows one process at a time", async () => {
	using host = new ClientHost();
	const flags = ["--session", host.path("session")];
	{
		await using first = await ZotClient.start({ flags: [...flags, "--cwd", host.directory] });
		first.send({ id: "1", type: "prompt", message: "run: echo hi" });
		expect(only(await first.turn(), "tool_result")).toEqual([expect.objectContaining({ is_error: false })]);
		await using second = await ZotClient.start({ flags });
		expect(await second.end()).toEqual({ code: 1, signal: null });
		expect(second.lines).toEqual([]);
		expect(second.stderr).toMatch(/^zot: .* another process of the agent .* --session DIR\n$/);
		expect(await first.end()).toEqual({ code: 0, signal: null });
	}
	await using next = await ZotClient.start({ flags: [...flags, "--rpc-approvals"] });
	const expected = { message_count: 4, cwd: host.directory };
	expect(await next.data({ id: "1", type: "get_state" })).toMatchObject(expected);
	next.send({ id: "2", type: "prompt", message: "run: echo hi" });
	const { id } = await next.until("ask");
	next.send({ type: "approve", id, allow: false });
	await next.until("done");
	expect(await next.end()).toEqual({ code: 0, signal: null });
	await using elsewhere = await ZotClient.start({ flags: [...flags, "--cwd", "."] });
	expect(await elsewhere.end()).toEqual({ code: 1, signal: null });
	expect(elsewhere.stderr).toContain(`works in ${host.directory};`);
});

test("--policy adds rules, which apply although no approval is requested", async () => {
	using host = new ClientHost();
	const rule = { effect: "deny", tool: "run_command", when: { command: ["echo"] }, reason: "be silent" };
	writeFileSync(host.path("policy.jsonc"), JSON.stringify({ rules: [rule] }));
	await using agent = await ZotClient.start({ flags: ["--policy", host.path("policy.jsonc")] });
	agent.send({ id: "1", type: "prompt", message: "run: echo hi\nrun: pwd" });
	const results = only(await agent.turn(), "tool_result");
	expect(results.map(({ is_error }) => is_error)).toEqual([true, false]);
	expect(JSON.stringify(results[0]?.content)).toContain("be silent");
});
