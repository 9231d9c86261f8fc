import { expect, test } from "vitest";
import { OzzieClient } from "../conformance/drivers/ozzie-client.ts";
import { Binary } from "./binary.ts";

test("a gateway that is stopped during a reply ends it, closes its connections with a reason, and continues after the restart", async () => {
	await using binary = await Binary.start();
	await using client = await OzzieClient.connect(binary.url);
	await using watcher = await OzzieClient.connect(binary.url);
	await using idle = await OzzieClient.connect(binary.url);
	const session_id = await client.open();
	await watcher.open({ session_id });
	await client.call("send_message", { content: "long: 12 tokens at 8 per second" });
	for (const each of [client, watcher]) await each.event("assistant.stream", { phase: "delta" });

	binary.process.kill("SIGTERM");
	while ((await fetch(`${binary.url}/api/health`)).status !== 503) await client.call("list_sessions");
	for (const [method, params] of [
		["send_message", { content: "say: more" }],
		["open_session", {}],
		["steer", { content: "say: more" }],
		["retry", {}],
	] as const) {
		expect(await client.refusal(method, params)).toMatch(/^draining\b/);
	}
	const ends = [await client.event("assistant.message"), await watcher.event("assistant.message")];
	expect(ends[0]?.payload).toMatchObject({ content: expect.stringMatching(/t12$/), error: "" });
	expect(ends[1]).toEqual(ends[0]);
	for (const each of [client, watcher, idle]) expect(await each.closed).toMatchObject({ code: 1001 });
	expect(await binary.process.exited).toMatchObject({ code: 0 });

	await binary.again();
	await using back = await OzzieClient.connect(binary.url);
	const after_seq = (ends[0]?.seq ?? 0) - 1;
	await back.call("resume", { sessions: [{ session_id, after_seq }] });
	expect(await back.event()).toEqual(ends[0]);
	await back.call("send_message", { content: "say: again" });
	await back.event("assistant.message", { content: "[offline] again" });
});
