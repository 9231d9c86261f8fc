import { once } from "node:events";
import { createReadStream } from "node:fs";
import { ManualClock } from "@parley/base/testing";
import { calls, ScriptedModel, says, stuck } from "@parley/core/testing";
import { expect } from "vitest";
import { type EventFrame, OzzieClient } from "./drivers/ozzie-client.ts";
import { TestGateway } from "./gateway.ts";
import { verifiesOn } from "./verifies.ts";

verifiesOn(
	"ozzie",
	["run.sent", "run.accepted"],
	"a message is acknowledged first and sent to all, then its run starts",
	async () => {
		await using gateway = await TestGateway.start();
		await using client = await OzzieClient.connect(gateway.url);
		await client.open();
		await client.arrived();
		client.send({ type: "req", id: "1", method: "send_message", params: { content: "say: hi" } });
		const answer = await client.next();
		expect(answer).toEqual({
			...{ type: "res", id: "1", ok: true, payload: { status: "sent", run_id: expect.any(String) } },
		});
		await expect(client.next()).resolves.toMatchObject({
			event: "user.message",
			payload: { content: "say: hi" },
		});
		const start = { payload: { phase: "start" } };
		await expect(client.next()).resolves.toMatchObject({ event: "internal.llm.call", ...start });
		await expect(client.next()).resolves.toMatchObject({ event: "assistant.started" });
		await expect(client.next()).resolves.toMatchObject({ event: "assistant.stream", ...start });
	},
);

verifiesOn(
	"ozzie",
	["run.stream", "run.message"],
	"a reply has a start, deltas, an end, and its message last",
	async () => {
		await using gateway = await TestGateway.start();
		await using client = await OzzieClient.connect(gateway.url);
		await client.open();
		await client.call("send_message", { content: "say: once upon a time\nread: nothing\nsay: the end" });
		const events: EventFrame[] = [];
		while (events.at(-1)?.event !== "assistant.message") events.push(await client.event());
		const stream = events.filter(({ event }) => event === "assistant.stream").map(({ payload }) => payload);
		expect(new Set(stream.map(({ index }) => index))).toEqual(new Set([0]));
		expect(stream.map(({ phase }) => phase).join(" ")).toMatch(/^(?:start(?: delta)+ end ?){2}$/);
		for (const { phase, content } of stream) expect(content === "").toBe(phase !== "delta");
		const second = stream.findLastIndex(({ phase }) => phase === "start");
		const last = stream.slice(second).map(({ content }) => content);
		expect(events.at(-1)?.payload).toEqual({
			...{ content: last.join(""), error: "" },
			context: { model: "offline", usage: expect.anything() },
			run_id: events.find(({ event }) => event === "user.message")?.payload["run_id"],
		});
		expect(await client.arrived()).toEqual([]);
	},
);

verifiesOn(
	"ozzie",
	["run.message-last", "run.message-empty"],
	"the message is the last text, or all, or none",
	async () => {
		const look = (id: string) => calls(id, "read_file", { path: "nothing" });
		const model = new ScriptedModel(
			...[[says("one"), look("c1")], [says("two")]],
			...[[says("one"), look("c2")], [says("two"), look("c3")], []],
			[],
		);
		await using gateway = await TestGateway.start({ model });
		await using client = await OzzieClient.connect(gateway.url);
		await client.open();
		for (const content of ["two", "one\n\ntwo", ""]) {
			await client.call("send_message", { content: "go" });
			await expect(client.event("assistant.message")).resolves.toMatchObject({
				payload: { content, error: "" },
			});
		}
	},
);

verifiesOn(
	"ozzie",
	["run.message-failed"],
	"a model that fails after the start of a text still ends the text",
	async () => {
		await using gateway = await TestGateway.start();
		await using client = await OzzieClient.connect(gateway.url);
		await client.open();
		await client.call("send_message", { content: "say: well\nfail: out of ideas" });
		await client.event("assistant.stream", { phase: "end" });
		await expect(client.event("assistant.message")).resolves.toMatchObject({
			payload: { content: "[offline] well", error: "out of ideas" },
		});
		await client.call("send_message", { content: "fail: at once" });
		await expect(client.event("assistant.message")).resolves.toMatchObject({
			payload: { content: "", error: "at once", context: {} },
		});
	},
);

verifiesOn("ozzie", ["run.blank"], "a blank message is refused and creates nothing", async () => {
	await using gateway = await TestGateway.start();
	await using client = await OzzieClient.connect(gateway.url);
	for (const content of ["", " ", "\n\t\r\n", "\u00a0\u2003", "\0", " \0\n\0"]) {
		expect(await client.refusal("send_message", { content })).toMatch(/^invalid params: content\b/);
	}
	expect(await client.call("list_sessions")).toEqual({ sessions: [] });
	await client.open();
	await client.arrived();
	expect(await client.refusal("send_message", { content: "   " })).toMatch(/^invalid params: content\b/);
	expect(await client.arrived()).toEqual([]);
});

verifiesOn(
	"ozzie",
	["run.queue", "run.accepted"],
	"queued messages keep their order and have a position",
	async () => {
		const clock = new ManualClock();
		await using gateway = await TestGateway.start({ clock });
		await using client = await OzzieClient.connect(gateway.url);
		await client.open();
		await client.call("send_message", { content: "long: 2 tokens at 1 per second" });
		await client.event("assistant.stream", { content: "t1" });
		for (const place of [1, 2, 3]) {
			const answer = await client.call("send_message", { content: `say: ${place}` });
			expect(answer).toMatchObject({ status: "sent", queued_position: place });
			await expect(client.event()).resolves.toMatchObject({
				...{ event: "user.message", payload: { content: `say: ${place}`, run_id: answer["run_id"] } },
			});
		}
		clock.advance(1_000);
		for (const content of ["[offline] t1 t2", "[offline] 1", "[offline] 2", "[offline] 3"]) {
			const { payload } = await client.event("assistant.message");
			expect(payload["content"]).toBe(content);
		}
	},
);

verifiesOn("ozzie", ["run.queue-limit"], "the thirty-third queued message is refused", async () => {
	await using gateway = await TestGateway.start({ model: new ScriptedModel(stuck("...")) });
	await using client = await OzzieClient.connect(gateway.url);
	await client.open();
	for (let n = 0; n <= 32; n++) await client.call("send_message", { content: `${n}` });
	expect(await client.refusal("send_message", { content: "33" })).toMatch(/^session busy\b/);
	const seen = (await client.arrived()).filter(
		(frame) => frame.type === "event" && frame.event === "user.message",
	);
	expect(seen).toHaveLength(33);
	await client.call("cancel_turn", { queued: true });
	await client.call("send_message", { content: "room again" });
});

verifiesOn(
	"ozzie",
	["run.cancel"],
	"a cancel ends the active run, and queued messages continue",
	async () => {
		await using gateway = await TestGateway.start({ clock: new ManualClock() });
		await using client = await OzzieClient.connect(gateway.url);
		expect(await client.refusal("cancel_turn")).toMatch(/^invalid params/);
		await client.open();
		expect(await client.call("cancel_turn")).toEqual({ status: "idle" });
		await client.call("send_message", { content: "long: 9 tokens at 1 per second" });
		await client.call("send_message", { content: "say: next" });
		await client.event("assistant.stream", { content: "t1" });
		expect(await client.call("cancel_turn")).toEqual({ status: "cancelled" });
		await client.event("assistant.stream", { phase: "end" });
		await expect(client.event("assistant.message")).resolves.toMatchObject({
			payload: { content: "[offline] t1", error: "cancelled" },
		});
		await client.event("assistant.message", { content: "[offline] next", error: "" });
	},
);

verifiesOn("ozzie", ["run.cancel-queued"], "with `queued`, a cancel also ends queued messages", async () => {
	await using gateway = await TestGateway.start({ clock: new ManualClock() });
	await using client = await OzzieClient.connect(gateway.url);
	await client.open();
	for (const content of ["long: 9 tokens at 1 per second", "say: two", "say: three"]) {
		await client.call("send_message", { content });
	}
	await client.event("assistant.stream", { content: "t1" });
	expect(await client.call("cancel_turn", { queued: true })).toEqual({ status: "cancelled" });
	for (let n = 0; n < 3; n++) await client.event("assistant.message", { error: "cancelled" });
	expect(await client.call("cancel_turn", { queued: true })).toEqual({ status: "idle" });
	expect(await client.arrived()).toEqual([]);
});

verifiesOn("ozzie", ["run.cancel-tool"], "a cancel ends a command with all its child processes", async () => {
	await using gateway = await TestGateway.start();
	await using client = await OzzieClient.connect(gateway.url);
	await client.open();
	await client.call("accept_all_tools");
	await client.call("send_message", { content: "run: mkfifo alive" });
	await client.event("assistant.message");
	const alive = createReadStream(gateway.path("work", "alive"));
	// A child process that ignores SIGTERM. The pipe reaches its end only when this process has exited.
	const cmd = "(trap '' TERM; echo began; exec sleep 600) > alive & wait";
	await client.call("send_message", { content: `run: ${cmd}` });
	await once(alive, "data");
	await client.call("cancel_turn");
	alive.resume();
	await once(alive, "end");
	const { payload } = await client.event("tool.call", { status: "failed" });
	expect(payload["error"]).toMatch(/cancelled/);
	await client.event("assistant.message", { error: "cancelled" });
});

verifiesOn(
	"ozzie",
	["run.time"],
	"a run works for at most 30 minutes, without the time of waiting for people",
	async () => {
		const clock = new ManualClock();
		const model = new ScriptedModel([calls("c1", "run_command", { cmd: "true" })], stuck("hm"));
		await using gateway = await TestGateway.start({ clock, model });
		await using client = await OzzieClient.connect(gateway.url);
		const session = await client.open();
		await client.call("send_message", { content: "go" });
		const { payload } = await client.event("prompt.request");
		await client.leave();
		clock.advance(23 * 60 * 60 * 1000);
		await using back = await OzzieClient.connect(gateway.url);
		await back.open({ session_id: session });
		await back.call("prompt_response", { token: payload["token"], value: true });
		await back.event("assistant.stream", { content: "hm" });
		await back.leave();
		clock.advance(30 * 60 * 1000);
		await using last = await OzzieClient.connect(gateway.url);
		await last.open({ session_id: session, after_seq: 0 });
		const ended = await last.event("assistant.message");
		const error = 'stopped after 30 minutes of work; send "continue" to continue the run';
		expect(ended.payload).toMatchObject({ content: "hm", error });
	},
);
