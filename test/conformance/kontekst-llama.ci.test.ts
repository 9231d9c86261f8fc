import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { systemClock } from "@parley/base";
import { pacedNow } from "@parley/base/testing";
import { expect } from "vitest";
import { exists, fakeLlamaServer, LlamaSetup } from "./llama-setup.ts";
import { verifiesOn } from "./verifies.ts";

verifiesOn(
	"kontekst",
	["kontekst.llama-killed"],
	"a gateway that is killed leaves no server behind, and the next gateway serves at the same address",
	async () => {
		await using setup = await LlamaSetup.create();
		const gateway = await setup.start(["--ignore-term"]);
		await gateway.line("is ready");
		const [pid = 0] = setup.starts;
		const connectionEnded = await setup.connectionEnd();
		gateway.kill("SIGKILL");
		await gateway.exited;
		// The old server usually still listens at the address. The gateway uses this server until the server exits, and
		// then starts another server.
		await setup.start();
		await connectionEnded();
		expect(await setup.run("hello")).toMatchObject({ content: "You said: hello" });
		expect(setup.starts).toHaveLength(2);
		expect(exists(pid)).toBe(false);
	},
);

verifiesOn(
	"kontekst",
	["kontekst.llama-stop"],
	"a server that ignores the stop request is killed within the time limit of a stop",
	async () => {
		await using setup = await LlamaSetup.create();
		const gateway = await setup.start(["--ignore-term"]);
		await gateway.line("is ready");
		const [pid = 0] = setup.starts;
		const before = systemClock.monotonic();
		gateway.kill("SIGTERM");
		await gateway.exited;
		expect(exists(pid)).toBe(false);
		expect(systemClock.monotonic() - before).toBeLessThan(pacedNow(6_000));
	},
);

verifiesOn(
	"kontekst",
	["kontekst.llama-port", "kontekst.llama-bounded"],
	"an address in use is named, no server is started there, and the status responds in time",
	async () => {
		await using setup = await LlamaSetup.create();
		// This server accepts connections and never responds.
		const other = createServer().listen(setup.llamaPort, "127.0.0.1");
		await once(other, "listening");
		try {
			const gateway = await setup.start();
			const before = systemClock.monotonic();
			expect(await setup.status()).toMatchObject({
				...{ llamaServerHealthy: false, llamaServerRunning: false, llamaServerPid: 0 },
			});
			expect(systemClock.monotonic() - before).toBeLessThan(pacedNow(2_000));
			const line = await gateway.line("is not running");
			expect(line).toMatch(
				/127\.0\.0\.1:\d+ is in use by another program.*stop that program, or change llama\.endpoint/,
			);
			expect(() => setup.starts).toThrow("ENOENT");
			expect(await setup.report()).toMatchObject({
				state: "pausing",
				reason: expect.stringContaining("in use"),
			});
		} finally {
			other.close();
		}
	},
);

verifiesOn(
	"kontekst",
	["kontekst.llama-found"],
	"a server of the operator is used, and not reported as the gateway's",
	async () => {
		await using setup = await LlamaSetup.create();
		const own = spawn(process.execPath, [fakeLlamaServer, "--port", String(setup.llamaPort)], {
			...{ cwd: setup.models, stdio: ["ignore", "ignore", "pipe"] },
		});
		await once(own.stderr, "data");
		const gateway = await setup.start();
		await gateway.line("using a server");
		expect(await setup.run("hello")).toMatchObject({ content: "You said: hello" });
		expect(await setup.status()).toMatchObject({
			...{ llamaServerHealthy: true, llamaServerRunning: false, llamaServerPid: 0 },
		});
		gateway.kill("SIGTERM");
		await gateway.exited;
		expect(exists(own.pid ?? 0)).toBe(true);
		own.kill("SIGTERM");
		await once(own, "exit");
	},
);

verifiesOn(
	"kontekst",
	["kontekst.llama-idle"],
	"a server without autostart starts with the first request",
	async () => {
		await using setup = await LlamaSetup.create();
		await setup.start([], { autostart: false });
		expect(await setup.status()).toMatchObject({
			...{ llamaServerHealthy: false, llamaServerRunning: false, llamaServerPid: 0 },
		});
		expect(await setup.report()).toMatchObject({ state: "idle" });
		expect(await setup.run("hello")).toMatchObject({ content: "You said: hello" });
		expect(await setup.status()).toMatchObject({
			llamaServerPid: setup.starts[0],
			llamaServerHealthy: true,
		});
	},
);

verifiesOn(
	"kontekst",
	["kontekst.llama-crash"],
	"a server that cannot load its model is restarted after growing pauses, and its last output is shown",
	async () => {
		await using setup = await LlamaSetup.create();
		const gateway = await setup.start(["--fail-loading"]);
		const first = await gateway.line('"againInMs":1000');
		expect(first).toMatch(/ended with exit code 1: srv {2}llama_server: exiting due to model loading error/);
		await gateway.line('"againInMs":2000');
		await gateway.line('"againInMs":4000');
		expect(await setup.status()).toMatchObject({ llamaServerRunning: false, llamaServerPid: 0 });
		expect(await setup.report()).toMatchObject({
			...{ state: "pausing", reason: expect.stringContaining("model loading error"), restarts: 2 },
		});
	},
);

verifiesOn(
	"kontekst",
	["kontekst.llama-tokens", "kontekst.llama-bounded"],
	"the parts of a context are counted by the server, and estimated, with a mark, when it does not answer",
	async () => {
		await using setup = await LlamaSetup.create();
		await setup.start();
		const sums = ({ context }: Awaited<ReturnType<LlamaSetup["run"]>>) => {
			const { systemTokens, toolTokens, historyTokens, memoryTokens, totalTokens } = context;
			expect(systemTokens + toolTokens + historyTokens + memoryTokens).toBe(totalTokens);
			expect(totalTokens + context.remainingTokens).toBe(context.contextSize);
			return context;
		};
		const counted = sums(await setup.run("hello there"));
		expect(counted).toMatchObject({ contextSize: 65_536 });
		const requests = JSON.stringify(await setup.steer("requests"));
		expect(requests).toMatch(/"path":"\/tokenize".*hello there/);
		expect(await setup.report()).toMatchObject({ tokens: "counted" });
		await setup.steer("mute");
		sums(await setup.run("hello again"));
		expect(await setup.report()).toMatchObject({ tokens: "estimated" });
		const before = systemClock.monotonic();
		expect(await setup.status()).toMatchObject({ llamaServerHealthy: false, llamaServerRunning: true });
		expect(systemClock.monotonic() - before).toBeLessThan(pacedNow(2_000));
	},
);
