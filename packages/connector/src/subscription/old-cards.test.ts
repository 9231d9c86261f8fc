import { expect, test } from "vitest";
import { playScene, type SceneStep } from "../testing/scene.ts";
import type { Stage } from "../testing/stage.ts";
import { OldCards } from "./old-cards.ts";

const hour = 3_600_000;
const task = { task_id: "task_000001", title: "Tidy up" };
const grant = {
	grant_id: "grant_1abcdef",
	place: "chat:guild:general",
	people: null,
	reason: "a release",
	granted_by: "chat:guild:ada",
	tools: null,
	classes: null,
	max_actions: 200,
	used_actions: 0,
	created_at: "1970-01-01T00:00:00.000Z",
	expires_at: "1970-01-03T00:00:00.000Z",
};

const begins: SceneStep = {
	does: ({ gateway }) => {
		gateway.newest.record("task.created", { ...task, description: "all of it", parent_id: "" });
		gateway.newest.record("task.started", { ...task });
	},
};

function steps(done: number): SceneStep {
	const facts = { total_steps: 3, current_step_label: `step ${done}`, percentage: done * 30 };
	const progress = { task_id: task.task_id, current_step: done, ...facts };
	return { does: ({ gateway }) => gateway.newest.record("task.progress", progress) };
}

const opening: readonly SceneStep[] = [
	{ says: "tidy up", in: "general", mentions: "us" },
	{ gateway: { answers: "I begin" } },
];
const lost: readonly SceneStep[] = [{ losesDatabase: true }, { passes: 60_000 }];
const settles: SceneStep = { passes: 60_000 };

async function seen(steps: readonly SceneStep[]): Promise<readonly string[]> {
	const stage = await playScene([...opening, ...steps, settles]);
	expect((await stage.connector.status()).stuck).toEqual([]);
	return stage.posts(stage.room("general"));
}

function waits(hours: number): SceneStep {
	return { passes: hours * hour };
}

const completes: SceneStep = {
	does: ({ gateway }) => {
		const used = { duration: 60e9, tokens_input: 10, tokens_output: 20 };
		gateway.newest.record("task.completed", { ...task, output_summary: "all is tidy", ...used });
	},
};
const suspends: SceneStep = {
	does: ({ gateway }) =>
		gateway.newest.record("task.suspended", {
			task_id: task.task_id,
			title: task.title,
			reason: "which one?",
			suspend_count: 1,
			plan_content: "",
			token: "review_000001",
		}),
};
const resumes: SceneStep = {
	does: ({ gateway }) => gateway.newest.record("task.resumed", { ...task }),
};
const trusts: SceneStep = { does: ({ gateway }) => gateway.newest.record("grant.created", grant) };
const distrusts: SceneStep = {
	does: ({ gateway }) =>
		gateway.newest.record("grant.ended", { grant_id: grant.grant_id, reason: "expired" }),
};
const closes: SceneStep = {
	does: ({ gateway }) => {
		const [token = ""] = gateway.newest.asking;
		gateway.newest.record("prompt.closed", { token, reason: "expired" });
	},
};
const asksAndQueues: readonly SceneStep[] = [
	{ says: "clean up", in: "general", mentions: "us" },
	{ gateway: { asks: {} } },
	{ says: "and then?", in: "general", mentions: "us" },
];

test.each<readonly [string, readonly SceneStep[], readonly SceneStep[]]>([
	["a task that went on since", [begins, steps(1), waits(28), steps(2), waits(2)], [steps(3), completes]],
	["a task that has said nothing since", [begins, steps(1), waits(30)], [steps(2), completes]],
	["a question of a task", [begins, suspends, waits(30)], [resumes, completes]],
	["a question of a task, answered since", [begins, suspends, waits(28), resumes, waits(2)], [completes]],
	["a task that ended since", [begins, steps(1), waits(28), completes, waits(2)], []],
	["a task that ended as long ago", [begins, completes, waits(30)], []],
	[
		"an approval",
		[{ says: "clean up", in: "general", mentions: "us" }, { gateway: { asks: {} } }, waits(26)],
		[closes],
	],
	["a message that waits for its turn", [...asksAndQueues, waits(26)], [{ gateway: { answers: "clean" } }]],
	["a grant", [trusts, waits(30)], [distrusts]],
])(
	"after a loss of the database, %s keeps its posts that are older than a day",
	async (_name, before, after) => {
		expect(await seen([...before, ...lost, ...after])).toEqual(await seen([...before, settles, ...after]));
	},
);

test("a replay that a crash interrupts finds the same posts in the end", async () => {
	const before = [begins, trusts, steps(1), waits(28), steps(2), waits(2)];
	const after = [steps(3), distrusts, completes];
	const cut: SceneStep = { does: cutShort };
	expect(await seen([...before, cut, ...lost.slice(1), ...after])).toEqual(
		await seen([...before, settles, ...after]),
	);
});

test("the card and thread of an old task are searched once, and never if the task ended long ago", async () => {
	const find = async (steps: readonly SceneStep[]) => {
		const { platform } = await playScene([...opening, ...steps, ...lost]);
		return platform.surface.calls.filter((call) => call.startsWith("find"));
	};
	const ids = ["find sess_0001/4/0", "find sess_0001/4/1"];
	const looked = await find([begins, waits(30)]);
	expect([...new Set(looked)]).toEqual(ids);
	expect(await find([begins, completes, waits(30)])).toEqual([]);
});

test("a post in the thread of an old card comes after both, which are posted once", () => {
	const old = new OldCards();
	const row = { seq: 1, at: 5, lane: "milestone" } as const;
	const shown = { type: "post", body: "at work" } as const;
	const thread = { type: "thread", card: "task:1", name: "Tidy up" } as const;
	old.store([
		{ ...row, card: "task:1", payload: shown },
		{ ...row, payload: thread },
	]);
	old.store([{ seq: 2, at: 6, lane: "progress", card: "task:1", payload: { ...shown, body: "half" } }]);
	const young = { ...row, seq: 9, at: 99, payload: { ...shown, thread: "task:1" } };
	expect(old.before([young], 9)).toEqual([
		{ ...row, seq: 9, card: "task:1", payload: { ...shown, body: "half" }, standsFor: "1/0" },
		{ ...row, seq: 9, payload: thread, standsFor: "1/1" },
	]);
	expect(old.before([young], 9)).toEqual([]);
});

/** Simulates a process that stopped in the middle of a replay, before it posted anything. */
async function cutShort(stage: Stage): Promise<void> {
	const { frames } = stage.gateway.newest;
	const rest = frames.splice(7);
	await stage.loseDatabase();
	await stage.connector.stop();
	frames.push(...rest);
	await stage.store.commit(async (tx) => {
		await tx.deleteFrom("outbox").execute();
		await tx.deleteFrom("cards").execute();
		await tx.updateTable("cursors").set({ replayed_to: frames.length }).execute();
	});
	await stage.restart();
}
