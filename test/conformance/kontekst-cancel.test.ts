import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { pacedNow } from "@parley/base/testing";
import { calls, ScriptedModel, says } from "@parley/core/testing";
import { expect } from "vitest";
import { KontekstStream } from "./drivers/kontekst-client.ts";
import { OzzieClient } from "./drivers/ozzie-client.ts";
import { TestGateway } from "./gateway.ts";
import { verifiesOn } from "./verifies.ts";

/** Maximum milliseconds from a cancel to the end of the run. */
const promisedMs = 2_000;

async function cancel(stream: KontekstStream): Promise<number> {
	const startedAt = performance.now();
	stream.send({ cancel: {} });
	await stream.until("cancelled");
	return performance.now() - startedAt;
}

function isAlive(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch {
		return false;
	}
}

verifiesOn(
	"kontekst",
	["kontekst.cancel-tool"],
	"a cancel kills all processes of a running tool within 2 s, even processes that ignore SIGTERM",
	async () => {
		const cmd = "trap '' TERM; sleep 600 & echo $$ $! > pids; wait";
		const model = new ScriptedModel([calls("call_a", "run_command", { cmd })]);
		await using gateway = await TestGateway.start({ model });
		const pipe = gateway.path("work", "pids");
		execFileSync("mkfifo", [pipe]);
		await using stream = new KontekstStream(gateway.url);
		stream.start({ prompt: "wait" });
		await stream.proposed();
		stream.approve("call_a");
		// The pipe reaches its end when the command has written its process ids.
		const pids = (await readFile(pipe, "utf8")).trim().split(" ").map(Number);
		expect(pids.map(isAlive)).toEqual([true, true]);
		const startedAt = performance.now();
		await cancel(stream);
		// A killed process stays a zombie process until its parent has reaped it.
		await expect.poll(() => pids.map(isAlive)).toEqual([false, false]);
		expect(performance.now() - startedAt).toBeLessThan(pacedNow(promisedMs));
		expect(stream.kinds().slice(-2)).toEqual(["toolsCompleted", "cancelled"]);
	},
);

verifiesOn(
	"kontekst",
	["kontekst.cancel-queued"],
	"a cancel ends a queued run within 2 s, and the active run continues",
	async () => {
		const write = calls("call_a", "write_file", { path: "a.txt", content: "one" });
		await using gateway = await TestGateway.start({ model: new ScriptedModel([write], [says("written")]) });
		await using first = new KontekstStream(gateway.url);
		first.start({ prompt: "write" });
		await first.proposed();
		const { sessionId } = await first.started();
		await using reader = await OzzieClient.connect(gateway.url);
		await reader.open({ session_id: sessionId });
		await using second = new KontekstStream(gateway.url);
		second.start({ prompt: "and then", sessionId });
		await reader.event("user.message");
		expect(await cancel(second)).toBeLessThan(pacedNow(promisedMs));
		expect(second.kinds()).toEqual(["started", "cancelled"]);
		first.approve("call_a");
		expect(await first.until("completed")).toMatchObject({ content: "written" });
	},
);
