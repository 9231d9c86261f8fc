import { setImmediate as tick } from "node:timers/promises";
import { ManualClock } from "@parley/base/testing";
import { expect } from "vitest";
import { type EventFrame, OzzieClient } from "./drivers/ozzie-client.ts";
import { TestGateway } from "./gateway.ts";
import { verifiesOn } from "./verifies.ts";

async function untilEnd(client: OzzieClient): Promise<EventFrame[]> {
	const events = [await client.event()];
	while (events.at(-1)?.event !== "assistant.message") events.push(await client.event());
	return events;
}

async function talk(client: OzzieClient, content: string): Promise<EventFrame[]> {
	await client.call("send_message", { content });
	const prompts: EventFrame[] = [];
	while (prompts.at(-1)?.event !== "prompt.request") prompts.push(await client.event());
	await client.call("prompt_response", { token: prompts.at(-1)?.payload["token"], value: true });
	return [...prompts, ...(await untilEnd(client))];
}

verifiesOn(
	"ozzie",
	["event.form", "event.keys"],
	"events are flat and have every documented key",
	async () => {
		await using gateway = await TestGateway.start();
		await using client = await OzzieClient.connect(gateway.url);
		const session = await client.open();
		await expect(client.next()).resolves.toEqual({
			...{ type: "event", event: "session.created", session_id: session, payload: {}, seq: 1 },
		});
		const events = await talk(client, "run: echo hi");
		for (const event of events) expect(event.session_id).toBe(session);
		const keys = (name: string, where: object = {}): string[] => {
			const matches = events.filter(({ event }) => event === name);
			const [first] = matches.filter(({ payload }) =>
				Object.entries(where).every(([key, value]) => payload[key] === value),
			);
			return Object.keys(first?.payload ?? {}).sort();
		};
		for (const phase of ["start", "delta", "end"]) {
			expect(keys("assistant.stream", { phase })).toEqual(["content", "index", "phase"]);
		}
		expect(keys("assistant.message")).toEqual(["content", "context", "error", "run_id"]);
		expect(keys("tool.call", { status: "started" })).toEqual(["arguments", "call_id", "name", "status"]);
		expect(keys("tool.call", { status: "completed" })).toEqual(["call_id", "name", "result", "status"]);
		expect(keys("prompt.request")).toEqual(
			[
				"type",
				"label",
				"token",
				"required",
				"options",
				"default",
				"placeholder",
				"validation",
				"context",
			].sort(),
		);
		const failing = await talk(client, "run: exit 3");
		const failed = failing.find(({ payload }) => payload["status"] === "failed");
		expect(Object.keys(failed?.payload ?? {}).sort()).toEqual(["call_id", "error", "name", "status"]);
	},
);

verifiesOn(
	"ozzie",
	["event.scope"],
	"clients get no events of sessions that they have not joined",
	async () => {
		await using gateway = await TestGateway.start();
		await using one = await OzzieClient.connect(gateway.url);
		await using two = await OzzieClient.connect(gateway.url);
		const [firstSession, secondSession] = [await one.open(), await two.open()];
		await Promise.all([one.arrived(), two.arrived()]);
		await talk(one, "run: echo mine");
		expect(await two.arrived()).toEqual([]);
		await two.call("send_message", { content: "say: yours" });
		for (const event of await untilEnd(two)) expect(event.session_id).toBe(secondSession);
		expect(await one.arrived()).toEqual([]);
		expect(firstSession).not.toBe(secondSession);
	},
);

verifiesOn(
	"ozzie",
	["seq.numbers", "seq.transient", "seq.same", "seq.no-stream"],
	"persisted events are numbered without gaps, and always have the same content",
	async () => {
		await using gateway = await TestGateway.start();
		await using client = await OzzieClient.connect(gateway.url);
		await using other = await OzzieClient.connect(gateway.url);
		const session = await client.open();
		await other.open({ session_id: session, after_seq: 0 });
		const live = [
			await client.event(),
			...(await talk(client, "say: first\nrun: echo hi")),
			...(await talk(client, "write: a.txt <<< hello\nsay: done")),
		];
		let last = 0;
		for (const { event, payload, seq, transient } of live) {
			const ofReply = ["assistant.stream", "assistant.started", "tool.arguments", "tool.output"].includes(
				event,
			);
			const passes = ofReply || payload["phase"] === "start";
			expect(transient).toBe(passes ? true : undefined);
			if (!transient) last += 1;
			expect(seq).toBe(last);
		}
		const recorded = live.filter(({ transient }) => !transient);
		const seen = (await other.upTo(recorded.length)).filter(({ transient }) => !transient);
		expect(seen).toEqual(recorded);
		await using late = await OzzieClient.connect(gateway.url);
		await late.open({ session_id: session, after_seq: 0 });
		expect(await late.upTo(recorded.length)).toEqual(recorded);
	},
);

verifiesOn(
	"ozzie",
	["seq.replay", "seq.last"],
	"a replay starts at the requested number, and ends at the last event",
	async () => {
		await using gateway = await TestGateway.start();
		await using client = await OzzieClient.connect(gateway.url);
		const session = await client.open();
		const live = [await client.event(), ...(await talk(client, "run: echo hi"))];
		const recorded = live.filter(({ transient }) => !transient);
		for (let after_seq = 0; after_seq <= recorded.length; after_seq++) {
			await using late = await OzzieClient.connect(gateway.url);
			const payload = await late.call("open_session", { session_id: session, after_seq });
			expect(payload).toEqual({ session_id: session, status: "resumed", last_seq: recorded.length });
			if (after_seq < recorded.length)
				expect(await late.upTo(recorded.length)).toEqual(recorded.slice(after_seq));
			expect(await late.arrived()).toEqual([]);
		}
		await using now = await OzzieClient.connect(gateway.url);
		await expect(now.call("open_session", { session_id: session })).resolves.toMatchObject({
			last_seq: recorded.length,
		});
		expect(await now.arrived()).toEqual([]);
	},
);

verifiesOn("ozzie", ["seq.replay"], "events during a replay follow it without a gap", async () => {
	await using gateway = await TestGateway.start();
	await using client = await OzzieClient.connect(gateway.url);
	const session = await client.open();
	for (let n = 0; n < 15; n++) await client.call("send_message", { content: `say: ${n}` });
	await using late = await OzzieClient.connect(gateway.url);
	const opened = late.open({ session_id: session, after_seq: 0 });
	for (let n = 15; n < 30; n++) await client.call("send_message", { content: `say: ${n}` });
	await opened;
	const seqs: number[] = [];
	while (seqs.length < 121) {
		const { seq, transient } = await late.event();
		if (!transient) seqs.push(seq);
	}
	expect(seqs).toEqual(Array.from({ length: 121 }, (_, index) => index + 1));
});

verifiesOn(
	"ozzie",
	["seq.text-so-far"],
	"a client that joins in the middle of a reply gets all of it so far",
	async () => {
		const clock = new ManualClock();
		await using gateway = await TestGateway.start({ clock });
		await using client = await OzzieClient.connect(gateway.url);
		const session = await client.open();
		await client.call("send_message", { content: "long: 8 tokens at 4 per second" });
		const deltas: unknown[] = [];
		const waitFor = async (count: number): Promise<void> => {
			while (deltas.length < count) {
				const { payload } = await client.event("assistant.stream", { phase: "delta" });
				deltas.push(payload["content"]);
			}
		};
		await waitFor(2);
		for (let received = 3; received <= 5; received++) {
			clock.advance(250);
			await waitFor(received);
		}
		await using late = await OzzieClient.connect(gateway.url);
		await late.open({ session_id: session });
		const stream = { type: "event", event: "assistant.stream", session_id: session, seq: 2, transient: true };
		await expect(late.next()).resolves.toEqual({
			...{ ...stream, payload: { phase: "start", content: "", index: 0 } },
		});
		await expect(late.next()).resolves.toEqual({
			...{ ...stream, payload: { phase: "delta", content: deltas.join(""), index: 0 } },
		});
		let rest = "";
		for (let done = false; !done; ) {
			clock.advance(250);
			await tick();
			for (const frame of await late.arrived()) {
				if (frame.type !== "event") continue;
				if (frame.payload["phase"] === "delta") rest += frame.payload["content"];
				done ||= frame.event === "assistant.message";
			}
		}
		expect(deltas.join("") + rest).toBe("[offline] t1 t2 t3 t4 t5 t6 t7 t8");
	},
);

verifiesOn("ozzie", ["seq.not-available"], "a number that was never used is refused", async () => {
	await using gateway = await TestGateway.start();
	await using client = await OzzieClient.connect(gateway.url);
	const session = await client.open();
	for (const after_seq of [2, 1_000_000]) {
		expect(await client.refusal("open_session", { session_id: session, after_seq })).toBe(
			`seq not available: ${after_seq}`,
		);
	}
	await client.call("send_message", { content: "say: still here" });
	await client.event("assistant.message", { content: "[offline] still here" });
});
