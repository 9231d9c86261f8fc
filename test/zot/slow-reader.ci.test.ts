import { spawn } from "node:child_process";
import { once } from "node:events";
import { watch } from "node:fs/promises";
import { expect, test } from "vitest";
import { streamed, ZotClient, zotBinary } from "../conformance/drivers/zot-client.ts";
import { ClientHost } from "./client-host.ts";

const mebibyte = 1024 * 1024;

async function fileCreated(directory: string, name: string): Promise<void> {
	for await (const { filename } of watch(directory)) if (filename === name) return;
}

test("a client that pauses during a long reply receives all of it, and the agent continues", async () => {
	await using agent = await ZotClient.start();
	await agent.data({ id: "0", type: "get_state" });
	const before = await agent.residentBytes();
	const words = 100_000;
	const replied = fileCreated(agent.path("work"), "replied");
	agent.send({ id: "p", type: "prompt", message: `long: ${words} tokens\nrun: touch replied\nsay: over` });
	await agent.until("text_delta");
	agent.reads = false;
	await replied;
	// The limit allows for 2 MiB of buffered output, and for garbage that is not collected yet.
	expect((await agent.residentBytes()) - before).toBeLessThan(128 * mebibyte);
	const seen = streamed(agent.frames).length;
	agent.send({ id: "1", type: "ping" });
	agent.reads = true;
	await agent.until("done");
	const text = Array.from({ length: words }, (_, at) => `t${at + 1}`).join(" ");
	expect(seen).toBeLessThan(text.length / 2);
	expect(streamed(agent.frames)).toContain(text);
	expect(await agent.response("1")).toMatchObject({ success: true });
	expect(await agent.end()).toEqual({ code: 0, signal: null });
});

test("a client that requests more than 64 MiB in one go receives all of it, even if it reads late", async () => {
	using host = new ClientHost();
	const child = spawn(process.execPath, [zotBinary, "rpc", "--provider", "offline"], {
		...{ cwd: host.directory, stdio: ["pipe", "pipe", "ignore"] },
		env: { PATH: process.env["PATH"], HOME: host.home, PARLEY_SANDBOX: "off" },
	});
	const exited = once(child, "exit");
	const prompt = { type: "prompt", message: "x".repeat(12 * mebibyte) };
	child.stdin.write(`${JSON.stringify(prompt)}\n`);
	let last = "";
	for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
		last = `${last.slice(-100)}${chunk}`;
		if (last.includes('"done"')) break;
	}
	child.stdout.pause();
	child.stdin.end('{"type":"get_messages"}\n'.repeat(8));
	await once(child.stdout, "readable");
	let bytes = 0;
	let lines = 0;
	for await (const chunk of child.stdout) {
		bytes += chunk.length;
		for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines += 1;
	}
	expect(lines).toBe(8);
	expect(bytes).toBeGreaterThan(8 * 12 * mebibyte);
	expect(await exited).toEqual([0, null]);
});
