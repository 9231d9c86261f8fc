import { expect } from "vitest";
import { KontekstStream } from "./drivers/kontekst-client.ts";
import { exists, LlamaGround } from "./llama-ground.ts";
import { verifiesOn } from "./verifies.ts";

verifiesOn(
	"kontekst",
	["kontekst.llama-status", "kontekst.llama-loading", "kontekst.llama-messages", "kontekst.llama-keys"],
	"a local model server starts with the gateway, is described while it loads, and answers then",
	async () => {
		await using ground = await LlamaGround.create();
		const keys = { ANTHROPIC_API_KEY: "sk-ant-not-for-others", PARLEY_TITLES: "0", LLAMA_ARG_THREADS: "2" };
		const options = { environment: { ...keys, PARLEY_LOG_LEVEL: "debug" } };
		const gateway = await ground.start(["--hold-loading"], {}, options);
		const named = { endpoint: ground.endpoint, modelDir: ground.models, llamaServerRunning: true };
		await using stream = new KontekstStream(ground.url);
		stream.start({ prompt: "hello" });
		await stream.until("started");
		await gateway.line("listening on");
		const [pid] = ground.starts;
		expect(await ground.status()).toMatchObject({ ...named, llamaServerPid: pid, llamaServerHealthy: false });
		await expect.poll(() => ground.report()).toMatchObject({ pid, restarts: 0, state: "loading" });
		await ground.steer("loaded");
		expect(await stream.until("completed")).toMatchObject({ content: "You said: hello" });
		expect(await ground.status()).toMatchObject({ ...named, llamaServerPid: pid, llamaServerHealthy: true });
		expect(await ground.report()).toMatchObject({ pid, state: "ready" });
		const variables = gateway.stderr.flatMap((line) => /variable (\w+)/.exec(line)?.[1] ?? []);
		expect(variables).toEqual(expect.arrayContaining(["PATH", "LLAMA_ARG_PORT", "LLAMA_ARG_THREADS"]));
		expect(variables.filter((name) => /^(?:PARLEY|ANTHROPIC|DISCORD|SLACK)_/.test(name))).toEqual([]);
		expect(JSON.stringify(await ground.steer("requests"))).not.toContain("sk-ant");
	},
);

verifiesOn(
	"kontekst",
	["kontekst.llama-crash", "kontekst.llama-stop"],
	"a server that crashes in a reply is started again, the run completes, and the gateway stops the server with itself",
	async () => {
		await using ground = await LlamaGround.create();
		const gateway = await ground.start();
		expect(await ground.run("crash: now")).toMatchObject({ content: "You said: crash: now" });
		const [first = 0, second = 0] = ground.starts;
		expect(await ground.status()).toMatchObject({ llamaServerPid: second, llamaServerHealthy: true });
		expect(await ground.report()).toMatchObject({ pid: second, restarts: 1, state: "ready" });
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
		await using ground = await LlamaGround.create();
		const gateway = ground.launch([], { command: "llama-serverx" });
		expect(await gateway.ready).toBe(false);
		const output = gateway.stderr.join("\n");
		expect(output).toMatch(
			/llama\.command "llama-serverx" cannot be started: .* in PATH.*Install llama\.cpp/,
		);
	},
);
