import { ParleyError } from "@parley/base";
import { expect, test } from "vitest";
import { playScene, type SceneStep } from "../testing/scene.ts";
import { Stage } from "../testing/stage.ts";

const begun: readonly SceneStep[] = [
	{ says: "one", in: "general", mentions: "us" },
	{ gateway: { answers: "first" } },
	{
		does({ gateway: { sessions } }) {
			const [session] = sessions;
			if (session) session.title = "Tides";
		},
	},
];

/**
 * Returns a stage on which the scene `begun` was played. `outcomes`: results of the first attempts to open a thread.
 */
async function open(...outcomes: ("refused" | "failing")[]) {
	const stage = await Stage.open();
	const opened: string[] = [];
	stage.platform.openThread = async ({ channel }, { message, name }) => {
		opened.push(`${channel}/${message} ${name}`);
		const outcome = outcomes.shift();
		if (outcome === "failing") throw new ParleyError("it answers 503", { code: "unavailable" });
		return outcome === "refused" ? { refused: "no thread can be opened" } : {};
	};
	await playScene(begun, stage);
	return { stage, opened, play: (...steps: readonly SceneStep[]) => playScene(steps, stage) };
}

const forked = (stage: Stage) => stage.gateway.sessions[1];
const fork = { commands: "session fork", in: "general" } as const;
const answered = "first [Good] [Bad] [Again]";
const beginning = "🔀 **Tides** continues here as a copy. Reply in this thread.";

test("a copy continues in a thread of the channel, which shows no earlier message again", async () => {
	const { stage, opened, play } = await open();
	await play(fork, { passes: 1000 });
	const post = "general/post 2";
	expect(opened).toEqual([`${post} Tides`]);
	expect(forked(stage)?.externalKey).toBe("chat:guild:general:post%202");
	await play({ shows: [answered, beginning], in: "general" });
	await play(
		{ privately: ["The copy continues in [its own thread](https://chat.example/guild/general/post_2)."] },
		{ requested: "fork_session", times: 1, with: { session_id: "sess_0001" } },
		{ says: "two", in: post, mentions: "us" },
		{ gateway: { answers: "second" }, of: 2 },
		{ shows: ["second [Good] [Bad] [Again]"], in: post },
	);
	expect(stage.gateway.sessions).toHaveLength(2);
});

test("a message number reaches the gateway, and 0 is refused", async () => {
	const { play } = await open();
	await play(
		{ ...fork, options: { at: -1 } },
		{ passes: 1000 },
		{ requested: "fork_session", times: 1, with: { at: -1 } },
		{ ...fork, options: { at: 0 } },
		{ requested: "fork_session", times: 1 },
	);
});

test.each(["refused", "no threads"] as const)(
	"without a thread (%s), the copy continues in the channel",
	async (why) => {
		const { stage, play } = await open("refused");
		if (why === "no threads") stage.platform.withoutForks.add("guild/general");
		await play(
			fork,
			{ passes: 1000 },
			{
				privately: [
					"Your messages now go to the copy **Tides (fork)**. `/session switch` returns to the original.",
				],
			},
			{ says: "two", in: "general", mentions: "us" },
			{ gateway: { answers: "second" }, of: 2 },
			{ shows: [answered, "second [Good] [Bad] [Again]"], in: "general" },
		);
		expect(forked(stage)?.externalKey).toBe("chat:guild:general/2");
	},
);

test("after a crash the same post and the same copy continue", async () => {
	const { stage, opened, play } = await open("failing");
	await play(fork, { passes: 200 }, { restarts: true }, { passes: 60_000 });
	expect(opened).toHaveLength(2);
	expect(new Set(opened).size).toBe(1);
	expect(stage.gateway.sessions).toHaveLength(2);
});

test("a refused copy leaves no post", async () => {
	const { stage, play } = await open();
	stage.gateway.methods.fork_session = () => {
		throw new ParleyError("the session has no answered message yet", { code: "failed_precondition" });
	};
	await play(
		fork,
		{ passes: 1000 },
		{ privately: ["The session has no answered message yet."] },
		{ shows: [answered], in: "general" },
	);
});

test("a person without the right gets no copy, and a room without a conversation says so", async () => {
	const { stage, play } = await open();
	stage.gateway.roles.set("eve", "stranger");
	await play({ ...fork, by: "eve" }, { commands: "session fork", in: "random" }, { passes: 1000 });
	expect(stage.gateway.sessions).toHaveLength(1);
});

test("the refusal of a copy whose place has another conversation contains no ids", async () => {
	const { stage, play } = await open();
	stage.gateway.methods.fork_session = () => {
		throw new ParleyError("external_key: another session has the key chat:guild:general:post%202", {
			code: "already_exists",
		});
	};
	await play(
		fork,
		{ passes: 1000 },
		{ privately: ["Not copied, because another conversation has started in the new thread. Try again."] },
		{ shows: [answered], in: "general" },
	);
});
