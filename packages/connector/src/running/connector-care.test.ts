import { expect, test } from "vitest";
import { playScene } from "../testing/scene.ts";
import { Stage } from "../testing/stage.ts";

test("an active run shows typing until its answer", async () => {
	const { platform } = await playScene([{ says: "one" }, { passes: 20_000 }]);
	const typed = platform.surface.calls.filter((call) => call === "typing dms/dm-ada");
	expect(typed.length).toBeGreaterThanOrEqual(3);
	expect(typed.length).toBeLessThanOrEqual(4);
});

test("typing lasts as long as a run of 20 minutes without progress, and ends with it", async () => {
	const stage = await playScene([{ says: "one" }, { passes: 20 * 60_000 }]);
	const typed = (): number =>
		stage.platform.surface.calls.filter((call) => call === "typing dms/dm-ada").length;
	const atWork = typed();
	expect(atWork).toBe(150);
	await playScene([{ passes: 8000 }], stage);
	expect(typed()).toBe(atWork + 1);
	await playScene([{ gateway: { answers: "done" } }, { passes: 60_000 }, { shows: ["done"] }], stage);
	expect(typed()).toBe(atWork + 1);
});

test("the status counts pending work and shows since when the gateway does not answer", async () => {
	const stage = await playScene([{ says: "one" }]);
	expect(await stage.connector.status()).toMatchObject({
		waiting: 0,
		open: 0,
		stuck: [],
		sessions: 1,
		lastEventAt: stage.clock.now(),
		gateway: { state: "reached" },
	});
	const since = stage.clock.now() + 1000;
	await playScene([{ gateway: "goes away" }, { says: "two" }, { passes: 10_000 }], stage);
	expect(await stage.connector.status()).toMatchObject({ waiting: 1, gateway: { state: "waiting", since } });
	await playScene([{ gateway: "comes back" }], stage);
	expect(await stage.connector.status()).toMatchObject({ waiting: 0, gateway: { state: "reached" } });
});

test("sessions and models are suggested, and nothing if the gateway is unavailable", async () => {
	const stage = await playScene([
		{ says: "one" },
		{ commands: "session rename", options: { title: "Plans" } },
	]);
	const query = { options: {}, room: stage.room(), person: stage.person() };
	const complete = (command: string, option: string, typed: string) =>
		stage.connector.complete({ ...query, command, option, typed });
	expect(await complete("session switch", "session", "PLA")).toEqual([
		{ value: "sess_0001", label: "Plans · 1 message · current" },
	]);
	expect(await complete("session switch", "session", "nothing")).toEqual([]);
	expect(await complete("model", "name", "oth")).toEqual([{ value: "other", label: "other" }]);
	expect(await complete("help", "name", "")).toEqual([]);
	stage.gateway.away = true;
	const late = complete("model", "name", "");
	await stage.pass(2000);
	expect(await late).toEqual([]);
});

test("an unreadable event is logged and blocks no other", async () => {
	const stage = await Stage.open();
	const nonsense = { type: "dance", room: stage.room() };
	await stage.arrive(nonsense as never, "nonsense");
	await playScene([{ says: "one" }, { requested: "send_message", times: 1 }], stage);
	const errors = stage.log.records.filter(({ level }) => level === "error");
	expect(errors.map(({ fields }) => fields["id"])).toEqual(["nonsense"]);
});

test("a permanent refusal of the gateway is posted once, and the next message is handled", async () => {
	const stage = await Stage.open();
	await playScene(
		[
			{ does: ({ gateway }) => void delete gateway.methods.send_message },
			{ says: "one" },
			{ shows: ["ot available"] },
		],
		stage,
	);
});

test("news of a session whose posts cannot be stored waits for the disk", async () => {
	const stage = await playScene([{ says: "one" }]);
	stage.store.refusals = 2;
	await playScene(
		[{ gateway: { answers: "first" } }, { shows: [] }, { passes: 5000 }, { shows: ["first"] }],
		stage,
	);
});

test("a changed audience ends the trust grant of the channel", async () => {
	const stage = await Stage.open();
	const revoked: unknown[] = [];
	Object.assign(stage.gateway.methods, {
		list_grants: () => ({ grants: [{ grant_id: "grant_1", place: "chat:guild:general" }], wishes: [] }),
		revoke_grant: (params: unknown) => revoked.push(params) && { status: "revoked" },
	});
	const change = { type: "audience" as const, room: stage.room("general"), at: 0, change: "a guest joined" };
	await stage.arrive(change, "audience:1");
	expect(revoked).toMatchObject([{ grant_id: "grant_1", reason: expect.stringContaining("a guest joined") }]);
});

test("a stopped connector leaves pending work to the next process", async () => {
	const stage = await playScene([{ gateway: "goes away" }, { says: "one" }, { commands: "session list" }]);
	await stage.connector.stop();
	expect((await stage.connector.status()).waiting).toBe(2);
	await playScene(
		[{ gateway: "comes back" }, { restarts: true }, { requested: "send_message", times: 1 }],
		stage,
	);
	expect(stage.privately()).toHaveLength(1);
});

test("a full queue is posted once, and all messages are sent in order", async () => {
	const sentTexts = Array.from({ length: 36 }, (_, index) => `message ${index}`);
	const stage = await playScene(sentTexts.map((says) => ({ says })));
	const shown = (): string[] =>
		stage.posts(stage.room()).filter((post) => post.includes("The queue is full."));
	expect(shown()).toHaveLength(1);
	for (const says of sentTexts) {
		await playScene([{ gateway: { answers: `to ${says}` } }, { passes: 31_000 }], stage);
	}
	expect(shown()).toHaveLength(1);
	const requests = stage.gateway.requests.filter(({ method }) => method === "send_message");
	expect([...new Set(requests.map(({ params }) => params["content"]))]).toEqual(sentTexts);
	expect(stage.gateway.newest.runs).toEqual([]);
});
