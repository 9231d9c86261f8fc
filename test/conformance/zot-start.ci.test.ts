import { once } from "node:events";
import { createServer } from "node:http";
import { expect } from "vitest";
import { FakeAnthropic } from "../simulators/anthropic/fake-anthropic.ts";
import { says, uses } from "../simulators/anthropic/reply.ts";
import { only, streamed, typesOf, ZotClient } from "./drivers/zot-client.ts";
import { verifiesOn } from "./verifies.ts";

const key = ["--provider", "anthropic", "--api-key", "sk-ant-none"];

const wrong: readonly (readonly [readonly string[], RegExp])[] = [
	[["--provider", "nope"], /nope/],
	[[...key, "--model", "claude-sonet-4-6"], /claude-sonnet-4-6/],
	[["--provider", "anthropic"], /ANTHROPIC_API_KEY/],
	[["--cwd", "/nowhere/at/all"], /\/nowhere\/at\/all/],
	[["--reasoning", "much"], /much/],
	[["--max-steps", "0"], /--max-steps/],
	[["--max-steps", "3abc"], /3abc/],
	[["--tools", "read,grep"], /"grep"/],
	[["--nope"], /--nope/],
	[["--model"], /--model/],
];

verifiesOn(
	"zot",
	["zot.start-error", "zot.flag-provider", "zot.flag-model", "zot.flag-cwd", "zot.flag-reasoning"],
	"a failed start prints one line on stderr, and nothing on stdout",
	async () => {
		for (const [flags, names] of wrong) {
			await using agent = await ZotClient.start({ flags });
			expect(await agent.end('{"type":"ping"}\n'), flags.join(" ")).toEqual({ code: 1, signal: null });
			expect(agent.lines).toEqual([]);
			expect(agent.stderr).toMatch(/^zot: [^\n]+\n$/);
			expect(agent.stderr).toMatch(names);
		}
	},
);

verifiesOn(
	"zot",
	["zot.flag-system-prompt", "zot.flag-append", "zot.flag-api-key", "zot.flag-base-url", "zot.flag-no-tools"],
	"the values of flags reach the model",
	async () => {
		await using service = await FakeAnthropic.start();
		service.otherwise(says("Yes."));
		const flags = [
			...["--system-prompt", "You are a gardener.", "--no-tools", "--reasoning", "HIGH"],
			...["--append-system-prompt", "Beans first.", "--append-system-prompt", "Then peas."],
		];
		await using agent = await ZotClient.start({ service, flags });
		agent.send({ id: "1", type: "prompt", message: "hello" });
		expect(typesOf(await agent.turn()).at(-1)).toBe("done");
		const [request] = service.requests;
		const system = JSON.stringify(request?.body.system);
		expect(system).toMatch(/You are a gardener\.(.*)Beans first\.(.*)Then peas\./s);
		expect(request?.headers.authorization).toBe(`Bearer ${service.apiKey}`);
		expect(request?.body.tools ?? []).toEqual([]);
		expect(request?.body.thinking).toMatchObject({ type: "enabled" });
	},
);

verifiesOn(
	"zot",
	["zot.flag-append", "zot.flag-tools", "zot.flag-max-steps", "zot.end-steps"],
	"appended texts follow the built-in instructions, and flags set tools and steps",
	async () => {
		await using service = await FakeAnthropic.start();
		let calls = 0;
		service.otherwise(() => uses(`toolu_${++calls}`, "bash", { command: "true" }));
		const flags = ["--append-system-prompt", "Beans first.", "--tools", "bash,read", "--max-steps", "2"];
		await using agent = await ZotClient.start({ service, flags });
		agent.send({ id: "1", type: "prompt", message: "hello" });
		const received = await agent.turn();
		expect(typesOf(received).slice(-3)).toEqual(["tool_result", "error", "done"]);
		expect(only(received, "turn_start").map(({ step }) => step)).toEqual([1, 2]);
		expect(only(received, "turn_end").map(({ stop }) => stop)).toEqual(["tool_use", "tool_use"]);
		const names = service.requests[0]?.body.tools?.map((tool) => ("name" in tool ? tool.name : ""));
		expect(names?.toSorted()).toEqual(["bash", "read"]);
		const system = JSON.stringify(service.requests[0]?.body.system);
		expect(system.indexOf("Beans first.")).toBeGreaterThan(500);
	},
);

verifiesOn(
	"zot",
	["zot.token", "zot.token-hidden", "zot.stdout"],
	"a hello with the token is accepted, also in one write with other commands, and tools do not see it",
	async () => {
		const environment = { ZOTCORE_RPC_TOKEN: "shared-secret", ANTHROPIC_API_KEY: "sk-ant-never-shown" };
		await using agent = await ZotClient.start({ environment, flags: ["--log-level", "debug"] });
		const command = "env | grep -cE 'ZOTCORE|ANTHROPIC|shared.secret|never.shown'";
		agent.send(
			{ id: "0", type: "hello", token: "shared-secret" },
			{ id: "1", type: "prompt", message: `run: ${command}` },
			{ id: "2", type: "hello", token: "whatever" },
		);
		expect(await agent.response("0")).toMatchObject({ success: true });
		await agent.turn();
		expect(only(agent.frames, "tool_result")[0]?.content).toMatchObject([
			{ text: expect.stringMatching(/^0\b/) },
		]);
		expect(agent.lines.join("\n")).not.toContain("never-shown");
	},
);

const secret = { ZOTCORE_RPC_TOKEN: "shared-secret" };

verifiesOn(
	"zot",
	["zot.token-missing", "zot.token-wrong"],
	"a client without the token gets an error and is disconnected",
	async () => {
		const firsts = [
			{ id: "1", type: "ping" },
			{ id: "1", type: "prompt", message: "run: touch made" },
			{ id: "1", type: "hello" },
			{ id: "1", type: "hello", token: "shared-secreT" },
			{ id: "1", type: "hello", token: "" },
		];
		for (const first of firsts) {
			await using agent = await ZotClient.start({ environment: secret });
			agent.send(first, { id: "2", type: "hello", token: "shared-secret" }, { id: "3", type: "ping" });
			expect(await agent.ended()).toEqual({ code: 1, signal: null });
			expect(agent.frames).toEqual([
				{ type: "response", id: "1", command: first.type, success: false, error: expect.any(String) },
			]);
		}
	},
);

verifiesOn(
	"zot",
	["zot.no-token"],
	"without a token, or with an empty one, no hello is required",
	async () => {
		await using agent = await ZotClient.start({ environment: { ZOTCORE_RPC_TOKEN: "" } });
		agent.send({ id: "1", type: "prompt", message: "say: hi" });
		expect(streamed(await agent.turn())).toBe("[offline] hi");
	},
);

verifiesOn(
	"zot",
	["zot.system-prompt"],
	"the built-in instructions name only available tools, and say that `bash` has no network",
	async () => {
		await using service = await FakeAnthropic.start();
		service.otherwise(says("Yes."));
		const prompt = async (environment: Readonly<Record<string, string>>, ...flags: readonly string[]) => {
			const before = service.requests.length;
			await using agent = await ZotClient.start({ service, flags, environment });
			agent.send({ id: "1", type: "prompt", message: "hello" });
			await agent.turn();
			const { system } = service.requests[before]?.body ?? {};
			return typeof system === "string" ? system : (system ?? []).map(({ text }) => text).join("\n");
		};
		const preferred = { PARLEY_SANDBOX: "preferred" };
		const usual = await prompt(preferred);
		expect(usual).toContain("You are Parley");
		expect(usual).toContain("- Commands: `bash` has no network");
		expect(usual).not.toMatch(/tool for questions|ask_user|run_command|read_file|web_fetch|handle|[{}]{2}/);
		expect(await prompt({ PARLEY_SANDBOX: "off" })).not.toContain("network");
		expect(await prompt(preferred, "--tools", "read")).not.toContain("network");
	},
);

verifiesOn("zot", ["zot.flag-api-key"], "the error of a refused key names its source", async () => {
	await using service = await FakeAnthropic.start();
	const refused = { status: 401 };
	const message = async (key: "option" | "variable"): Promise<string> => {
		service.script(refused);
		const option = key === "option" ? [] : ["--api-key", ""];
		const environment = key === "option" ? {} : { ANTHROPIC_API_KEY: service.apiKey };
		await using agent = await ZotClient.start({ service, flags: option, environment });
		agent.send({ id: "1", type: "prompt", message: "hello" });
		return only(await agent.turn(), "error")[0]?.message ?? "";
	};
	expect(await message("option")).toContain("does not accept the API key: check --api-key");
	expect(await message("variable")).toContain("does not accept the API key: check ANTHROPIC_API_KEY");
});

verifiesOn(
	"zot",
	["zot.set-model-served"],
	"with a server and a model, other models of the server's list are accepted",
	async () => {
		let list: string | undefined = '{"data":[{"id":"one"},{"id":"two"}]}';
		await using server = createServer((_, response) => response.writeHead(list ? 200 : 404).end(list ?? ""));
		await once(server.listen(0, "127.0.0.1"), "listening");
		const url = `http://127.0.0.1:${Object(server.address()).port}`;
		const flags = ["--provider", "anthropic", "--base-url", url, "--model", "one"];
		await using agent = await ZotClient.start({ flags });
		for (const model of ["three", "claude-opus-4-5", "standard"]) {
			const refused = await agent.ask({ id: model, type: "set_model", model });
			expect(refused).toMatchObject({ success: false, error: expect.stringContaining(": one, two") });
		}
		expect(await agent.data({ id: "1", type: "get_state" })).toMatchObject({ model: "one" });
		for (const model of ["two", "one"]) {
			expect(await agent.data({ id: `to ${model}`, type: "set_model", model })).toEqual({ model });
		}
		list = undefined;
		await using other = await ZotClient.start({ flags });
		expect(await other.data({ id: "1", type: "set_model", model: "three" })).toEqual({ model: "three" });
	},
);
