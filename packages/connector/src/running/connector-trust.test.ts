import { ParleyError } from "@parley/base";
import { expect, test } from "vitest";
import { playScene } from "../testing/scene.ts";
import { Stage } from "../testing/stage.ts";

const minute = 60_000;
const us = { in: "general", mentions: "us" } as const;

function granted(place: string) {
	return {
		grant_id: `grant_${place}`,
		place,
		people: null,
		tools: null,
		classes: null,
		max_actions: 200,
		used_actions: 0,
		reason: "release",
		granted_by: "operator",
		created_at: "1970-01-01T00:00:10.000Z",
		expires_at: "1970-01-01T01:00:00.000Z",
	};
}

async function trusting(): Promise<{
	readonly stage: Stage;
	readonly ended: { id: string; reason: string }[];
}> {
	const stage = await Stage.open();
	const ended: { id: string; reason: string }[] = [];
	const grants = [granted("chat:guild:general"), granted("chat:guild:other")];
	Object.assign(stage.gateway.methods, {
		list_grants: () => ({ grants, wishes: [] }),
		revoke_grant({ grant_id: id, reason }: { readonly grant_id: string; readonly reason: string }) {
			ended.push({ id, reason });
			return { status: "revoked" };
		},
	});
	return { stage, ended };
}

test("the end of trust after a change of readers waits neither for messages nor for presses", async () => {
	const { stage, ended } = await trusting();
	await playScene([{ ...us, says: "one" }, { gateway: { answers: "done" } }], stage);
	for (const method of ["send_message", "feedback"] as const) {
		stage.gateway.methods[method] = () => {
			throw new ParleyError("session busy", { code: "resource_exhausted" });
		};
	}
	await playScene(
		[
			{ ...us, says: "two" },
			{ in: "general", presses: "Good" },
		],
		stage,
	);
	expect((await stage.connector.status()).waiting).toBe(2);
	const room = stage.room("general");
	await stage.arrive({ type: "audience", room, change: "a guest joined", at: stage.clock.now() }, "audience");
	expect(ended).toMatchObject([{ id: "grant_chat:guild:general" }]);
});

test("the notes of a channel are deleted with the channel, and stay when the bot loses access", async () => {
	const { stage } = await trusting();
	const forgotten: (string | null | undefined)[] = [];
	Object.assign(stage.gateway.methods, {
		forget_memory({ channel }: { readonly channel?: string | null }) {
			forgotten.push(channel);
			return { status: "forgotten", forgotten: 2 };
		},
	});
	const facts = { type: "audience", room: stage.room("general"), gone: true, at: stage.clock.now() } as const;
	await stage.arrive({ ...facts, change: "I was removed from the channel" }, "removed");
	expect(forgotten).toEqual([]);
	await stage.arrive({ ...facts, deleted: true, change: "the channel was deleted" }, "deleted");
	expect(forgotten).toEqual(["chat:guild:general"]);
});

test("a queued message that is deleted ends the trust, because platforms do not name who deleted it", async () => {
	const { stage, ended } = await trusting();
	await playScene(
		[
			{ ...us, says: "one" },
			{ ...us, says: "two" },
			{ in: "general", deletes: "m2" },
		],
		stage,
	);
	expect(stage.gateway.newest.runs.map(({ content }) => content)).toEqual(["one"]);
	expect(ended).toEqual([
		{ id: "grant_chat:guild:general", reason: "a message was deleted before its answer was complete" },
	]);
	await playScene([{ gateway: { answers: "done" } }, { in: "general", deletes: "m1" }], stage);
	expect(ended).toHaveLength(1);
});

const unseen = /no record of its last connection, so people may have joined unnoticed/;

async function trustedStage() {
	const stage = await Stage.open();
	const places = ["chat:guild:general", "chat:guild:other", "elsewhere:guild:general"];
	const open = new Map(places.map((place) => [`grant_${place}`, granted(place)]));
	const reasons: string[] = [];
	Object.assign(stage.gateway.methods, {
		list_grants: () => ({ grants: [...open.values()], wishes: [] }),
		revoke_grant({ grant_id: id, reason }: { readonly grant_id: string; readonly reason: string }) {
			open.delete(id);
			reasons.push(reason);
			return { status: "revoked" };
		},
	});
	const changes = () =>
		stage.gateway.requests.map(({ method }) => method).filter((name) => /^(send|revoke|open)_/.test(name));
	return { stage, open, reasons, changes };
}

test("a connector whose database was lost ends the grants of its platform before it sends a message, which waits for the gateway", async () => {
	const { stage, open, reasons, changes } = await trustedStage();
	await playScene([{ gateway: "goes away" }, { losesDatabase: true }, { ...us, says: "one" }], stage);
	await playScene([{ passes: 60_000 }, { restarts: true }, { ...us, says: "two" }], stage);
	expect(changes()).toEqual([]);
	expect((await stage.connector.status()).waiting).toBe(2);
	await playScene([{ gateway: "comes back" }, { passes: 60_000 }], stage);
	expect([...open.keys()]).toEqual(["grant_elsewhere:guild:general"]);
	expect(reasons).toEqual([expect.stringMatching(unseen), expect.stringMatching(unseen)]);
	expect(changes()).toEqual(["revoke_grant", "revoke_grant", "open_session", "send_message", "send_message"]);
});

test("the end of the grants is retried until the gateway accepts it, and requests wait for it", async () => {
	const { stage, open, changes } = await trustedStage();
	const { revoke_grant } = stage.gateway.methods;
	stage.gateway.methods.revoke_grant = () => {
		throw new ParleyError("too busy", { code: "resource_exhausted" });
	};
	await playScene([{ losesDatabase: true }, { ...us, says: "one" }], stage);
	expect(changes()).not.toContain("send_message");
	expect(open.size).toBe(3);
	if (revoke_grant) stage.gateway.methods.revoke_grant = revoke_grant;
	await playScene([{ passes: 60_000 }], stage);
	expect(open.size).toBe(1);
	expect(changes().at(-1)).toBe("send_message");
});

test("a first start without grants asks once, and shows nothing", async () => {
	const stage = await Stage.open();
	await playScene(
		[
			{ requested: "list_grants", times: 1 },
			{ requested: "revoke_grant", times: 0 },
		],
		stage,
	);
	expect(stage.platform.surface.posts).toEqual([]);
	expect(stage.log.records.filter(({ level }) => level === "warn")).toEqual([]);
});

async function stopped(stage: Stage, time: number): Promise<void> {
	await stage.stop();
	jump(stage, time);
	await stage.start();
}

async function disconnected(stage: Stage, time: number): Promise<void> {
	stage.connector.linked(false);
	await stage.pass(time);
	stage.connector.linked(true);
}

async function restored(stage: Stage, time: number): Promise<void> {
	const older = await stage.watchedAt.load();
	await stage.pass(time);
	await stage.stop();
	await stage.watchedAt.save(older);
	await stage.start();
}

/** Simulates a stopped process or a suspended machine: the wall clock advances, and the monotonic clock does not. */
function jump({ clock }: Stage, time: number): void {
	const now = clock.now.bind(clock);
	clock.now = () => now() + time;
}

test.each<[what: string, time: number, ends: boolean, passes: (stage: Stage, time: number) => Promise<void>]>(
	[
		["a short stop", 58 * minute, false, stopped],
		["a long stop", 62 * minute, true, stopped],
		["a short loss of the connection", 58 * minute, false, disconnected],
		["a long loss of the connection", 62 * minute, true, disconnected],
		["a long connection", 300 * minute, false, (stage, time) => stage.pass(time)],
		["a clock that is set back while the connector is stopped", -5 * minute, true, stopped],
		["a database restored from an old copy", 62 * minute, true, restored],
		[
			"a suspended machine",
			62 * minute,
			true,
			async (stage, time) => {
				jump(stage, time);
				await stage.pass(minute);
			},
		],
		[
			"a machine that was suspended and stops the connector at once",
			62 * minute,
			true,
			async (stage, time) => {
				jump(stage, time);
				await stage.restart();
			},
		],
	],
)("%s (%i ms) ends the trust of channels: %s", async (_, time, ends, passes) => {
	const { stage, open, reasons } = await trustedStage();
	await passes(stage, time);
	await stage.quiet();
	expect(open.size).toBe(ends ? 1 : 3);
	if (ends) expect(reasons[0]).toMatch(/, so people may have joined unnoticed$/);
	// The connector has watched the channel since the start of this grant.
	open.set("grant_new", granted("chat:guild:new"));
	await stage.restart();
	expect(open.has("grant_new")).toBe(true);
});
