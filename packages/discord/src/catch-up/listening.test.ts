import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ManualClock, MemoryLogger } from "@parley/base/testing";
import { openConnectorDatabase, type Person, type RoomProgress } from "@parley/connector";
import { expect, onTestFinished, test } from "vitest";
import { storedStateOf } from "../run-discord.ts";
import { ScriptedPort } from "../testing/scripted-port.ts";
import type { DiscordLink } from "../vocabulary/discord-port.ts";
import { snowflakeAt } from "../vocabulary/snowflake.ts";
import { Listening, readKnownPeople } from "./listening.ts";

const ready: DiscordLink = { state: "ready", user: "11", application: "22", resumed: false };

async function place() {
	const dataDir = await mkdtemp(join(tmpdir(), "parley-listening-"));
	onTestFinished(() => rm(dataDir, { recursive: true }));
	const [clock, log] = [new ManualClock(), new MemoryLogger()];
	const { store, storedValue: stored } = await openConnectorDatabase({ dataDir, clock, platform: "discord" });
	const database = { store, ...storedStateOf(stored) };
	onTestFinished(() => store.close());
	const open = async () => {
		const port = new ScriptedPort();
		const seen: string[] = [];
		const handlers = Promise.resolve({
			intake: {
				translate: async ({ d }: { readonly d: unknown }) => {
					// Each event in these tests has an id.
					seen.push((d as { readonly id: string }).id);
					return { ignored: "it is only seen" };
				},
			},
			interactions: { handle: () => undefined },
			accept: async () => true,
		});
		const listening = await Listening.open({ port, database, handlers, clock, log });
		return { listening, port, seen };
	};
	return { clock, log, database, open };
}

function progressOf(
	channel: string,
	messages: readonly string[],
	more: Partial<RoomProgress> = {},
): RoomProgress {
	const room = { tenant: "7", channel, shared: false, kind: "channel" } as const;
	return { room, messages, usedAt: 0, ...more };
}

const wrote = (id: string) => ({ id, author: { id: "5", bot: true } });

test("without a database, messages that the gateway does not have are read channel by channel", async () => {
	const { clock, open } = await place();
	const at = (minutes: number): string => snowflakeAt(clock.now() - minutes * 60_000);
	const { listening, port, seen } = await open();
	const thread = { tenant: "7", channel: "1", thread: "2", shared: false, kind: "channel" } as const;
	const direct = { tenant: "dm", channel: "3", shared: false, kind: "channel" } as const;
	const rooms = [
		...[
			progressOf("1", [at(9), at(7)]),
			progressOf("1", [], { usedAt: clock.now() }),
			progressOf("1", [at(8), "file"]),
		],
		progressOf("1", [at(4)], { room: thread }),
		progressOf("3", [], { room: direct, usedAt: clock.now() - 6 * 60_000 }),
	];
	port.answer("GET /channels/1/messages", { body: [at(6), at(7)].map(wrote) });
	port.answer("GET /channels/2/messages", { body: [at(3), at(4)].map(wrote) });
	port.answer("GET /channels/3/messages", { body: [at(5), at(7)].map(wrote) });
	listening.linked(ready);
	await listening.dispatch({ t: "READY", d: {} });
	expect(port.requestLines).toEqual([]);
	await listening.begin(async () => rooms);
	expect(seen.toSorted()).toEqual([at(6), at(5), at(3)].toSorted());
	await listening.stop();
	await listening.close();

	const next = await open();
	let isRetried = false;
	await next.listening.begin(async () => {
		isRetried = true;
		return rooms;
	});
	expect(isRetried).toBe(false);
	await next.listening.close();
	expect(clock.pending).toBe(0);
});

test("channels of the gateway are read after the next session, too, if the first read was complete", async () => {
	const { clock, open } = await place();
	const { listening, port, seen } = await open();
	const direct = { tenant: "dm", channel: "3", shared: false, kind: "channel" } as const;
	const [first, deletedId] = [snowflakeAt(clock.now() - 60_000), snowflakeAt(clock.now() - 90_000)];
	port.answer("GET /channels/3/messages", { body: [wrote(first)] });
	port.answer("GET /channels/4/messages", { status: 404, body: {} });
	listening.linked(ready);
	await listening.begin(async () => [
		progressOf("3", [first], { room: direct }),
		progressOf("4", [deletedId], { room: { ...direct, channel: "4" } }),
	]);
	expect(seen).toEqual([]);
	await listening.stop();
	await listening.close();

	clock.advance(60_000);
	const next = await open();
	const missed = snowflakeAt(clock.now());
	next.port.answer("GET /channels/3/messages", { body: [wrote(missed), wrote(first)] });
	next.listening.linked(ready);
	await next.listening.dispatch({ t: "READY", d: {} });
	expect(next.seen).toEqual([missed]);
	expect(next.port.requestLines).toEqual(["GET /channels/3/messages"]);
	await next.listening.stop();
	await next.listening.close();
});

test("messages of the gateway from this database do not hide earlier missed ones", async () => {
	const { clock, database, open } = await place();
	const receivedLast = snowflakeAt(clock.now() - 60_000);
	const first = await open();
	// Parley's gateway is down while the first process runs, and up while the second process runs.
	first.listening.linked(ready);
	const never = first.listening.begin(() => Promise.reject(new Error("the connector is stopping")));
	await expect(never).rejects.toThrow("the connector is stopping");
	await first.listening.close();
	clock.advance(5_000);
	const missed = snowflakeAt(clock.now());
	clock.advance(5_000);
	const handedOn = snowflakeAt(clock.now());
	// Because of this cursor, the new session first reads channel 1 from a position after the missed message.
	await database.cursors.save({ 1: { message: handedOn, guild: "7" } });
	const next = await open();
	const inFirst = { body: [handedOn, missed, receivedLast].map(wrote) };
	next.port.answer("GET /channels/1/messages", inFirst, inFirst);
	next.port.answer("GET /channels/2/messages", { body: [handedOn, missed].map(wrote) });
	next.listening.linked(ready);
	await next.listening.begin(async () => [
		progressOf("1", [receivedLast, handedOn], { usedAt: clock.now() }),
		progressOf("2", [handedOn], { usedAt: clock.now() }),
	]);
	expect(next.seen.toSorted()).toEqual([missed, missed, handedOn, handedOn].toSorted());
	await next.listening.stop();
	await next.listening.close();
});

test("while the progress of the gateway is unknown, the next start asks again", async () => {
	const { clock, open } = await place();
	const { listening } = await open();
	listening.linked(ready);
	const never = listening.begin(() => Promise.reject(new Error("the connector is stopping")));
	await expect(never).rejects.toThrow("the connector is stopping");
	clock.advance(600_000);
	await listening.close();
	const next = await open();
	let requestCount = 0;
	await next.listening.begin(async () => {
		requestCount += 1;
		return [];
	});
	expect(requestCount).toBe(1);
	await next.listening.close();
});

test("authors are known, the last one first, without bots and authors of direct messages", async () => {
	const { database } = await place();
	const person = (id: string, bot = false): Person => ({ id, name: "Ada", roles: [], guest: false, bot });
	const sentMessages = [
		[person("1"), "general", "sent"],
		[person("2"), "private", "sent"],
		[person("3", true), "general", "sent"],
		[person("4"), "general", "refused"],
		[person("2"), "general", "sent"],
		[person("5"), "general", "answered"],
		[person("1"), "other", "sent"],
	] as const;
	await database.store.commit(async (tx) => {
		for (const [at, [who, conversation, effect]] of sentMessages.entries()) {
			const row = { message: `m${at}`, conversation, reason: "mention", effect, at, changed_at: at };
			const nothing = { text: null, session: null, run: null };
			await tx
				.insertInto("heard")
				.values({ id: `h${at}`, ...row, ...nothing, person: JSON.stringify(who) })
				.execute();
		}
	});
	expect(await readKnownPeople(database.store, new Set(["private"]))).toEqual(["1", "5"]);
});
