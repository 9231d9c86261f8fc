import { writeFile } from "node:fs/promises";
import { ManualClock } from "@parley/base/testing";
import { calls, ScriptedModel, says } from "@parley/core/testing";
import { expect } from "vitest";
import { OzzieClient, type ServerFrame } from "./drivers/ozzie-client.ts";
import { TestGateway } from "./gateway.ts";
import { verifiesOn } from "./verifies.ts";

verifiesOn(
	"ozzie",
	["connection.slow"],
	"a client that does not read is closed with 1013, and receives all events after it resumes",
	async () => {
		const names = Array.from({ length: 900 }, (_, n) => `c${n}`);
		const model = new ScriptedModel(
			names.map((name) => calls(name, "read_file", { path: "large.txt" })),
			[says("done")],
		);
		await using gateway = await TestGateway.start({ model, clock: new ManualClock() });
		await writeFile(gateway.path("work", "large.txt"), `${"x".repeat(119)}\n`.repeat(2_000));
		await using reader = await OzzieClient.connect(gateway.url);
		const session = await reader.open({ after_seq: 0 });
		await using slow = await OzzieClient.connect(gateway.url);
		await slow.open({ session_id: session });
		await slow.arrived();
		slow.socket.pause();
		await reader.call("send_message", { content: "read it all" });
		const allFrames: ServerFrame[] = [];
		while (!isEnd(allFrames.at(-1))) allFrames.push(await reader.next());
		slow.socket.resume();
		await expect(slow.closed).resolves.toMatchObject({ code: 1013 });
		const before = await readAll(slow);
		expect(before.length).toBeLessThan(1801);
		await using back = await OzzieClient.connect(gateway.url);
		const after_seq = before.at(-1)?.seq ?? 1;
		const { last_seq } = await back.call("open_session", { session_id: session, after_seq });
		const after: ServerFrame[] = [];
		while (!isEnd(after.at(-1))) after.push(await back.next());
		const recorded = allFrames.filter((frame) => frame.type === "event" && !frame.transient && frame.seq > 1);
		expect([...before, ...after]).toEqual(recorded);
		expect(last_seq).toBe(recorded.length + 1);
	},
);

function isEnd(frame: ServerFrame | undefined): boolean {
	return frame?.type === "event" && frame.event === "assistant.message";
}

async function readAll(client: OzzieClient) {
	const events = [];
	for (;;) {
		const event = await client.event().catch(() => undefined);
		if (!event) return events;
		if (!event.transient) events.push(event);
	}
}
