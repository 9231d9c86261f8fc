import { ParleyError } from "@parley/base";
import { expect, test } from "vitest";
import { playScene, type Step } from "./testing/scene.ts";
import { Stage } from "./testing/stage.ts";

/** The process ends when an arrival is handled, and before the inbox has noted that. */
function forgets(arrival: string): Step {
	return {
		async does(stage) {
			await stage.store.commit((tx) =>
				tx.updateTable("inbound").set({ state: "waiting" }).where("id", "like", `${arrival}%`).execute(),
			);
			await stage.restart();
		},
	};
}

const scenes: Readonly<Record<string, readonly Step[]>> = {
	"a message that is taken out of the line for its edit is not asked about again by the next process": [
		{ says: "one" },
		{ says: "two" },
		{ edits: "m2", to: "three" },
		forgets("edited:m2"),
		{ asked: "cancel_turn", times: 1 },
		{
			does: ({ gateway }) =>
				expect(gateway.newest.runs.map(({ content }) => content)).toEqual(["one", "three"]),
		},
		{ shows: ["Taken out of the line", "Yours is next"] },
	],
	"an edited command is not obeyed a second time, and why says so": [
		{ says: "!session new" },
		{ edits: "m1", to: "!session new title:Plans" },
		{ asked: "open_session", times: 1 },
		{ shows: ["A fresh conversation"] },
		{ commands: "why", options: { message: "m1" } },
		{ whispers: ["left it at that"] },
	],
	"a command that was not understood is obeyed when it is mended": [
		{ says: "!session" },
		{ edits: "m1", to: "!session new" },
		{ asked: "open_session", times: 1 },
	],
	"an answer to a question is given once, by the version of it that is one": [
		{ says: "clean up" },
		{ gateway: { asks: {} } },
		{ says: "aprove", replyTo: "post 1" },
		{ shows: ["rm -rf build", "neither yes nor no"] },
		{ edits: "m2", to: "approve", replyTo: "post 1" },
		{ asked: "prompt_response", times: 1 },
		{ edits: "m2", to: "approve!", replyTo: "post 1" },
		{ asked: "prompt_response", times: 1 },
		{ shows: ["rm -rf build", "neither yes nor no"] },
		{ asked: "send_message", times: 1 },
	],
	"a reply to a question that is over is told so": [
		{ says: "clean up" },
		{ gateway: { asks: {} } },
		{ presses: "Approve once" },
		{ says: "deny", replyTo: "post 1" },
		{ shows: ["rm -rf build", "answered already"] },
		{ asked: "send_message", times: 1 },
	],
	"where each has a conversation of their own, nobody takes back what another one has said": [
		{
			does: ({ gateway }) => void gateway.facts.set("guild:own", { mention: "required", sessions: "person" }),
		},
		{ says: "begin", in: "own", mentions: "us", by: "bo" },
		{ gateway: { answers: "begun" } },
		{ gateway: "goes away" },
		{ says: "one", in: "own", mentions: "us" },
		{ says: "stop", in: "own", mentions: "us", by: "bo" },
		{ gateway: "comes back" },
		{ passes: 60_000 },
		{ asked: "send_message", times: 2, with: { content: "one" } },
	],
	"stop also stops what was at work before the room was turned to another conversation": [
		{ says: "one" },
		{ commands: "session new" },
		{ says: "stop" },
		{ shows: ["Stopped: “one”"] },
		{ does: ({ gateway }) => expect(gateway.sessions.map(({ runs }) => runs.length)).toEqual([0, 0]) },
	],
};

for (const [name, steps] of Object.entries(scenes)) {
	test(name, async () => {
		const { connector, store } = await playScene(steps);
		await connector.stop();
		await store.close();
	});
}

test("an edit of a message that waits is sent although the gateway fails in the middle of it", async () => {
	const stage = await playScene([{ says: "one" }, { says: "two" }]);
	const { methods } = stage.gateway;
	const { send_message: send } = methods;
	methods.send_message = () => {
		if (send) methods.send_message = send;
		throw new ParleyError("the connection is lost", { code: "unavailable" });
	};
	await playScene([{ edits: "m2", to: "three" }, { passes: 30_000 }], stage);
	expect(stage.gateway.newest.runs.map(({ content }) => content)).toEqual(["one", "three"]);
});

test("what comes while the connector's token does not count waits for the operator", async () => {
	const stage = await Stage.open();
	const { methods } = stage.gateway;
	const { whoami } = methods;
	methods.whoami = () => {
		throw new ParleyError("wants a valid token", { code: "unauthenticated" });
	};
	await playScene([{ says: "help me", in: "general", mentions: "us" }, { passes: 600_000 }], stage);
	if (whoami) methods.whoami = whoami;
	await playScene([{ passes: 60_000 }, { asked: "send_message", times: 1 }], stage);
});

test("a choice is understood although the session is still being read again", async () => {
	const options = [{ value: "b", label: "Blue", description: "", disabled: false }];
	const stage = await playScene([{ says: "paint" }, { gateway: { asks: { type: "select", options } } }]);
	const { files } = stage.gateway;
	const { moments } = files;
	const slow = Promise.withResolvers<void>();
	Object.assign(files, {
		moments: (...asked: Parameters<typeof moments>) => slow.promise.then(() => moments(...asked)),
	});
	await playScene(
		[
			{ losesDatabase: true },
			{ presses: "Choose one", chooses: ["0"] },
			{ asked: "prompt_response", times: 0 },
			{ does: () => slow.resolve() },
			{ asked: "prompt_response", times: 1, with: { value: "b" } },
		],
		stage,
	);
});

test("nobody seems to be typing while a question waits for a person", async () => {
	const stage = await playScene([{ says: "clean up" }, { gateway: { asks: {} } }, { passes: 1000 }]);
	const typed = (): number =>
		stage.platform.surface.asked.filter((asked) => asked.startsWith("typing")).length;
	const before = typed();
	await playScene([{ passes: 60_000 }], stage);
	expect(typed()).toBe(before);
	await playScene([{ presses: "Approve once" }, { passes: 10_000 }], stage);
	expect(typed()).toBeGreaterThan(before);
});
