import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { pacedNow } from "@parley/base/testing";
import { hasBubblewrap } from "@parley/core/testing";
import { expect, test } from "vitest";
import { only, ZotClient, zotBinary } from "../conformance/drivers/zot-client.ts";
import { childrenIn, family, type OpenPipe, openPipe } from "./children.ts";
import { ClientHost } from "./client-host.ts";

/** Maximum milliseconds from the signal to the exit of all tool processes. */
const maxMs = 2_000;

async function begin(agent: ZotClient, deaf = true): Promise<OpenPipe> {
	agent.send({ id: "p", type: "prompt", message: `run: ${family("held", deaf)}\nsay: over` });
	await agent.until("tool_progress", ({ text }) => text.includes("ready"));
	return openPipe(agent, "held");
}

test("SIGTERM ends the processes of a tool within 2 s, reports the end, and sets the exit code", async () => {
	await using agent = await ZotClient.start();
	const { released } = await begin(agent);
	const began = performance.now();
	agent.kill("SIGTERM");
	// The agent must accept no further work.
	agent.send({ id: "late", type: "prompt", message: "run: touch late" });
	expect((await released) - began).toBeLessThan(pacedNow(maxMs));
	expect(await agent.ended()).toEqual({ code: 143, signal: null });
	expect(only(agent.frames, "done").map(({ request_id }) => request_id)).toEqual(["p"]);
	expect(only(agent.frames, "tool_result")).toMatchObject([{ is_error: true }]);
	expect(await childrenIn(agent.path("work"))).toEqual([]);
});

test("a second signal does not change the end", async () => {
	await using agent = await ZotClient.start();
	const { released } = await begin(agent);
	agent.kill("SIGINT");
	agent.kill("SIGTERM");
	agent.kill("SIGINT");
	const { code } = await agent.ended();
	await released;
	expect([130, 143]).toContain(code);
	expect(only(agent.frames, "done")).toHaveLength(1);
});

test("the end of the input while a tool runs waits for it", async () => {
	await using agent = await ZotClient.start();
	agent.send({
		id: "p",
		type: "prompt",
		message: "run: mkfifo go; echo ready; read line < go; echo $line\nsay: over",
	});
	await agent.until("tool_progress", ({ text }) => text.includes("ready"));
	const ended = agent.end();
	const writer = spawn("/bin/sh", ["-c", "echo went > go"], { cwd: agent.path("work") });
	await once(writer, "close");
	expect(await ended).toEqual({ code: 0, signal: null });
	expect(JSON.stringify(only(agent.frames, "tool_result"))).toContain("went");
});

function start(host: ClientHost, message: string) {
	const child = spawn(process.execPath, [zotBinary, "rpc", "--provider", "offline"], {
		...{ cwd: host.directory, stdio: ["pipe", "pipe", "ignore"] },
		env: { PATH: process.env["PATH"], HOME: host.home, PARLEY_SANDBOX: "off" },
	});
	child.stdin.write(`${JSON.stringify({ id: "p", type: "prompt", message })}\n`);
	return { child, exited: once(child, "exit") };
}

test("closing standard output ends the process with 74, and ends its tools", async () => {
	using host = new ClientHost();
	// The agent detects the closed pipe only when it writes.
	const { child, exited } = start(host, "run: sleep 1000 & while :; do echo tick; sleep 0.02; done");
	for await (const line of createInterface(child.stdout)) if (line.includes("tick")) break;
	child.stdout.destroy();
	expect(await exited).toEqual([74, null]);
	expect(await childrenIn(host.directory)).toEqual([]);
});

test("a client that does not read cannot prevent the end of the process", async () => {
	using host = new ClientHost();
	const { child, exited } = start(host, "long: 1000000 tokens");
	await once(child.stdout, "readable");
	child.kill("SIGTERM");
	expect(await exited).toEqual([143, null]);
});

// Without bubblewrap, the children of a killed process continue.
test.runIf(hasBubblewrap)("SIGKILL leaves no sandboxed process running", async () => {
	await using agent = await ZotClient.start({ environment: { PARLEY_SANDBOX: "required" } });
	const { released } = await begin(agent);
	const began = performance.now();
	agent.kill("SIGKILL");
	expect((await released) - began).toBeLessThan(pacedNow(maxMs));
	expect(await agent.exited).toEqual({ code: null, signal: "SIGKILL" });
});
