import { ManualClock, MemoryLogger } from "@parley/base/testing";
import { expect, test } from "vitest";
import { Controls } from "../controls/controls.ts";
import { Outbox } from "../outbox/outbox.ts";
import type { Person, Room } from "../platform/inbound-event.ts";
import { Subscriptions } from "../subscription/subscriptions.ts";
import { FakePlatform } from "../testing/fake-platform.ts";
import { openSqlite, WatchedStore } from "../testing/open-stores.ts";
import { ScriptedGateway } from "../testing/scripted-gateway.ts";
import { ChannelFacts } from "./channel-facts.ts";
import { Rooms } from "./rooms.ts";

const ada: Person = { id: "ada", name: "Ada", roles: [], guest: false, bot: false };
const room: Room = { tenant: "dms", channel: "dm-ada", shared: false, kind: "direct" };

async function open() {
	const [clock, log, platform] = [new ManualClock(), new MemoryLogger(), new FakePlatform()];
	const gateway = new ScriptedGateway(clock);
	const stored = await openSqlite();
	const chance = (): number => 0;
	const { surface, dialect } = platform;
	const outbox = await Outbox.start({ store: stored, surface, dialect, clock, chance, log });
	let sentCount = 0;
	const start = () => {
		const client = gateway.connect();
		const channels = new ChannelFacts({ gateway: client, clock });
		const subscriptions = new Subscriptions({
			store: stored,
			outbox,
			platform,
			clock,
			log,
			chance,
			gateway: client,
			channels,
			modelWatch: { noteEvent: () => undefined },
			history: gateway.files,
			controls: new Controls("token"),
			signal: new AbortController().signal,
			onFrame: () => undefined,
		});
		const store = new WatchedStore(stored);
		const rooms = new Rooms({
			store,
			gateway: client,
			subscriptions,
			channels,
			platform: platform.name,
			clock,
		});
		const current = async (): Promise<string> => (await rooms.current(ada, room, `${++sentCount}`)).session;
		const turn = async (key: string): Promise<string> =>
			(await rooms.switchSession(ada, room, { key })).session;
		return { rooms, store, current, turn };
	};
	return { ...start(), start, gateway, clock };
}

test("a turn that could not be stored did not happen, and the same turn happens once", async () => {
	const { store, current, turn, start } = await open();
	const first = await current();
	store.refusals = 1;
	await expect(turn("a")).rejects.toThrow("the disk is full");
	expect(await current()).toBe(first);
	const second = await turn("a");
	expect(second).not.toBe(first);
	expect(await turn("a")).toBe(second);
	expect([await current(), await start().current()]).toEqual([second, second]);
});

test("a turn whose commit was refused although it is durable counts here and in the next process", async () => {
	const { store, current, turn, start } = await open();
	const first = await current();
	const { commit } = store;
	store.commit = async (command) => {
		await commit(command);
		throw new Error("the disk did not answer");
	};
	await expect(turn("a")).rejects.toThrow("did not answer");
	store.commit = commit;
	const turned = await current();
	expect(turned).not.toBe(first);
	expect([await turn("a"), await start().current()]).toEqual([turned, turned]);
	const third = await turn("b");
	expect([first, turned]).not.toContain(third);
	expect(await current()).toBe(third);
});

test("channel settings are cached for half a minute, and a failure is not cached", async () => {
	const { rooms, gateway, clock } = await open();
	const requestCount = () => gateway.requests.filter(({ method }) => method === "whoami").length;
	const channel: Room = { ...room, kind: "channel" };
	for (const ms of [0, 29_999]) {
		clock.advance(ms);
		await rooms.facts(ada, channel);
	}
	expect(requestCount()).toBe(1);
	clock.advance(1);
	await rooms.facts(ada, channel);
	expect(requestCount()).toBe(2);
	const { whoami } = gateway.methods;
	clock.advance(30_000);
	Object.assign(gateway.methods, { whoami: () => Promise.reject(new Error("not now")) });
	await expect(rooms.facts(ada, channel)).rejects.toThrow("not now");
	Object.assign(gateway.methods, { whoami });
	await rooms.facts(ada, channel);
	expect(requestCount()).toBe(4);
});
