import { setImmediate as tick } from "node:timers/promises";
import { ManualClock, MemoryLogger } from "@parley/base/testing";
import type { InboundEventOf } from "@parley/connector";
import { expect, test } from "vitest";
import { type ActiveChannel, ActiveChannels } from "./active-channels.ts";

async function open(stored?: readonly ActiveChannel[]) {
	const [clock, log] = [new ManualClock(), new MemoryLogger()];
	const saved: (readonly ActiveChannel[] | undefined)[] = [];
	const failures: Error[] = [];
	const store = {
		load: async () => stored,
		save: async (places: readonly ActiveChannel[] | undefined) => {
			const failure = failures.shift();
			if (failure) throw failure;
			saved.push(places);
		},
	};
	return { clock, log, saved, failures, places: await ActiveChannels.open({ store, clock, log }) };
}

function message(
	channel: string,
	thread?: string,
	more: Partial<InboundEventOf<"message">> = {},
): InboundEventOf<"message"> {
	const address = { us: false, others: false, everyone: false };
	return {
		type: "message",
		message: `${channel}-9.9`,
		text: "",
		at: 0,
		attachments: [],
		ourThread: false,
		address,
		room: {
			tenant: "T1",
			channel,
			shared: false,
			kind: channel.startsWith("D") ? "direct" : "channel",
			...(thread !== undefined && { thread: `${channel}-${thread}` }),
		},
		person: { id: "UADA", name: "Ada", roles: [], guest: false, bot: false },
		...more,
	};
}

test("channels and Parley's threads are listed in the order of their last use", async () => {
	const { places } = await open([{ channel: "C7" }]);
	const us = { us: true, others: false, everyone: false };
	await places.note(message("C1", "9.9"));
	await places.note(message("C2", "1.1"));
	await places.note(message("C3", "1.1", { ourThread: true }));
	await places.note(message("C4", "9.9", { address: us }));
	await places.note(message("D1"));
	await places.note(message("D1", "1.1"));
	await places.note(message("C1", "9.9"));
	const ownChannels = [
		...[{ channel: "D1", thread: "1.1" }, { channel: "D1" }, { channel: "C4", thread: "9.9" }],
		...[{ channel: "C4" }, { channel: "C3", thread: "1.1" }],
	];
	expect(places.all).toEqual([
		...ownChannels.map((place) => ({ ...place, us: true })),
		...[{ channel: "C1" }, { channel: "C7" }],
	]);
	await places.note(message("C4", "8.8", { message: "C4-8.8" }));
	expect(places.all[0]).toEqual({ channel: "C4", us: true });
});

test("a new channel is durable when its message is handled, and the order is written once for many", async () => {
	const { places, saved, clock } = await open();
	await places.note(message("C1", "9.9"));
	expect(saved).toEqual([[{ channel: "C1" }]]);
	await places.note(message("D1"));
	await places.note(message("C1", "9.9"));
	await places.note(message("C1", "9.9"));
	expect(saved).toHaveLength(2);
	clock.advance(10_000);
	await tick();
	expect(saved.slice(2)).toEqual([[{ channel: "D1", us: true }, { channel: "C1" }]]);
});

test("a lost channel is forgotten, and a failed save is retried, but not after the end", async () => {
	const { places, saved, failures, clock, log } = await open([{ channel: "C1" }]);
	failures.push(new Error("disk full"));
	places.forget({ channel: "C1" });
	clock.advance(10_000);
	await tick();
	expect(log.records).toMatchObject([{ level: "warn" }]);
	clock.advance(10_000);
	await tick();
	expect(saved).toEqual([[]]);
	failures.push(new Error("disk full"));
	await places.note(message("C2", "9.9"));
	await places.close();
	expect(clock.pending).toBe(0);
});

test("many messages elsewhere do not remove channels that address Parley, and each list has a limit", async () => {
	const { places } = await open();
	await places.note(message("D0"));
	for (let channel = 0; channel <= 200; channel++) await places.note(message(`C${channel}`, "9.9"));
	expect(places.all).toHaveLength(51);
	expect([places.all[0], places.all.at(-1)]).toEqual([{ channel: "D0", us: true }, { channel: "C151" }]);
	for (let channel = 1; channel <= 150; channel++) await places.note(message(`D${channel}`));
	expect(places.all).toHaveLength(200);
	expect(places.all[149]).toEqual({ channel: "D1", us: true });
});

test("reported channels are merged with the known ones", async () => {
	const { places, clock, saved } = await open([{ channel: "C1" }]);
	places.add([{ channel: "C3" }, { channel: "C1" }, { channel: "C2" }]);
	expect(places.all).toEqual([{ channel: "C3" }, { channel: "C2" }, { channel: "C1" }]);
	clock.advance(10_000);
	await places.close();
	expect(saved.at(-1)).toEqual([{ channel: "C1" }, { channel: "C2" }, { channel: "C3" }]);
});
