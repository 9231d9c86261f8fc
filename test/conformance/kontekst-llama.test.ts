import { expect } from "vitest";
import { KontekstStream } from "./drivers/kontekst-client.ts";
import { exists, LlamaSetup } from "./llama-setup.ts";
import { verifiesOn } from "./verifies.ts";

verifiesOn(
	"kontekst",
	["kontekst.llama-status", "kontekst.llama-loading", "kontekst.llama-messages", "kontekst.llama-keys"],
	"a local model server starts with the gateway, is described while it loads, and answers then",
	async () => {
		await using setup = await LlamaSetup.create();
		const keys = { ANTHROPIC_API_KEY: "sk-ant-not-for-others", PARLEY_TITLES: "0", LLAMA_ARG_THREADS: "2" };
		const options = { environment: { ...keys, PARLEY_LOG_LEVEL: "debug" } };
		const gateway = await setup.start(["--delay-loading"], {}, options);
		const named = { endpoint: setup.endpoint, modelDir: setup.models, llamaServerRunning: true };
		await using stream = new KontekstStream(setup.url);
		stream.start({ prompt: "hello" });
		await stream.until("started");
		await gateway.line("listening on");
		const [pid] = setup.starts;
		expect(await setup.status()).toMatchObject({ ...named, llamaServerPid: pid, llamaServerHealthy: false });
		await expect.poll(() => setup.report()).toMatchObject({ pid, restarts: 0, state: "loading" });
		await setup.steer("loaded");
		expect(await stream.until("completed")).toMatchObject({ content: "You said: hello" });
		expect(await setup.status()).toMatchObject({ ...named, llamaServerPid: pid, llamaServerHealthy: true });
		expect(await setup.report()).toMatchObject({ pid, state: "ready" });
		const variables = gateway.stderr.flatMap((line) => /variable (\w+)/.exec(line)?.[1] ?? []);
		expect(variables).toEqual(expect.arrayContaining(["PATH", "LLAMA_ARG_PORT", "LLAMA_ARG_THREADS"]));
		expect(variables.filter((name) => /^(?:PARLEY|ANTHROPIC|DISCORD|SLACK)_/.test(name))).toEqual([]);
		expect(JSON.stringify(await setup.steer("requests"))).not.toContain("sk-ant");
	},
);

verifiesOn(
	"kontekst",
	["kontekst.llama-crash", "kontekst.llama-stop"],
	"a server that crashes during a reply is restarted, the run completes, and the server stops with the gateway",
	async () => {
		await using setup = await LlamaSetup.create();
		const gateway = await setup.start();
		expect(await setup.run("crash: now")).toMatchObject({ content: "You said: crash: now" });
		const [first = 0, second = 0] = setup.starts;
		expect(await setup.status()).toMatchObject({ llamaServerPid: second, llamaServerHealthy: true });
		expect(await setup.report()).toMatchObject({ pid: second, restarts: 1, state: "ready" });
		expect(await gateway.line("is not running")).toMatch(/ended with exit code 134/);
		expect(exists(first)).toBe(false);
		gateway.kill("SIGTERM");
		expect(await gateway.exited).toMatchObject({ code: 0 });
		expect(exists(second)).toBe(false);
	},
);

verifiesOn(
	"kontekst",
	["kontekst.llama-command"],
	"a program that does not exist is refused at the start, with a next step",
	async () => {
		await using setup = await LlamaSetup.create();
		const gateway = setup.launch([], { command: "llama-serverx" });
		expect(await gateway.ready).toBe(false);
		const output = gateway.stderr.join("\n");
		expect(output).toMatch(
			/llama\.command "llama-serverx" cannot be started: .* in PATH.*Install llama\.cpp/,
		);
	},
);
