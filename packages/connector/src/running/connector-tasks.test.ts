import { ParleyError } from "@parley/base";
import { expect, test } from "vitest";
import { taskPayload } from "../testing/question-context.ts";
import { playScene, type SceneStep } from "../testing/scene.ts";

const task = { task_id: "task_1", title: "Count the files" };
const begins: SceneStep = {
	does({ gateway }) {
		gateway.newest.record("task.created", { ...task, description: "all of them", parent_id: "" });
		gateway.newest.record("task.started", task);
	},
};

function progress(step: number): SceneStep {
	return {
		does({ gateway }) {
			const facts = { total_steps: 4, current_step_label: `folder ${step}`, percentage: step * 25 };
			gateway.newest.record("task.progress", { task_id: "task_1", current_step: step, ...facts });
		},
	};
}

const completes: SceneStep = {
	does({ gateway }) {
		const used = { duration: 60e9, tokens_input: 10, tokens_output: 20 };
		gateway.newest.record("task.completed", { ...task, output_summary: "there are seven", ...used });
	},
};

test("after a loss of the database during a task, its card and its thread continue", async () => {
	const opening: SceneStep[] = [
		{ says: "count", in: "general", mentions: "us" },
		{ gateway: { answers: "I begin" } },
		begins,
		progress(1),
		{ passes: 30_000 },
		progress(2),
		{ passes: 30_000 },
	];
	const undisturbed = await playScene([
		...opening,
		progress(3),
		{ passes: 60_000 },
		completes,
		{ passes: 60_000 },
	]);
	const stage = await playScene(opening);
	expect(stage.platform.surface.posts.length).toBeGreaterThan(1);
	await playScene([{ losesDatabase: true }, progress(3), { passes: 60_000 }], stage);
	await playScene([completes, { passes: 120_000 }], stage);
	const room = stage.room("general");
	expect(stage.posts(room)).toEqual(undisturbed.posts(room));
	expect(stage.posts(room).join()).toContain("there are seven");
});

test("a message in the thread of a task goes to that task, and stop there ends it", async () => {
	const stage = await playScene([{ says: "count", in: "general", mentions: "us" }, begins]);
	const row = await stage.store.read((db) =>
		db.selectFrom("cards").select("remote").where("card", "=", "task:task_1").executeTakeFirstOrThrow(),
	);
	const sentMessages: object[] = [];
	const suspended = { id: "task_1", title: "Count the files", status: "suspended", session_id: "sess_0001" };
	Object.assign(stage.gateway.methods, {
		check_task: () => ({
			...suspended,
			suspension: { reason: "plan", plan_content: "…", token: "prompt_9" },
		}),
		reply_task: (params: object) => sentMessages.push(params) && { status: "approved" },
		cancel_task: (params: object) => sentMessages.push(params) && { task_id: "task_1", status: "cancelled" },
	});
	const thread = `general/${row.remote}`;
	await playScene(
		[
			{ says: "yes", in: thread },
			{ says: "stop", in: thread, by: "bo" },
			{ requested: "send_message", times: 1 },
			{ requested: "cancel_turn", times: 0 },
		],
		stage,
	);
	expect(sentMessages).toMatchObject([
		{ task_id: "task_1", status: "approved", token: "prompt_9", actor: { id: "ada" } },
		{ task_id: "task_1", actor: { id: "bo" } },
	]);
});

test("a message in the thread of an ended task starts a run with the task, and stop there stops this run", async () => {
	const stage = await playScene([
		{ says: "count", in: "general", mentions: "us" },
		begins,
		completes,
		{ passes: 10_000 },
	]);
	const row = await stage.store.read((db) =>
		db.selectFrom("cards").select("remote").where("card", "=", "task:task_1").executeTakeFirstOrThrow(),
	);
	const ended = taskPayload({
		...{ id: "task_1", title: "Count the files", status: "completed", session_id: "sess_0001" },
		...{ description: "all of them", output: "there are seven", completed_at: "2026-01-01T00:00:10Z" },
	});
	stage.gateway.methods.check_task = () => ended;
	stage.gateway.methods.cancel_task = () => ({ task_id: "task_1", status: "completed" });
	const thread = `general/${row.remote}`;
	await playScene(
		[
			{ says: "and the folders?", in: thread },
			{
				requested: "send_message",
				times: 2,
				with: { content: "and the folders?", place: { thread: row.remote } },
			},
			{ says: "stop", in: thread },
			{ requested: "cancel_turn", times: 1 },
		],
		stage,
	);
	const sentMessages = stage.gateway.requests.findLast(({ method }) => method === "send_message")?.params;
	expect(sentMessages?.["context"]).toMatchObject({
		messages: [
			{
				id: "task:task_1",
				relation: "thread",
				author: { self: "elsewhere" },
				text: expect.stringMatching(/Count the files.*Done.*all of them.*there are seven/s),
			},
		],
	});
	stage.gateway.methods.check_task = () => {
		throw new ParleyError("task not found: task_1", { code: "not_found" });
	};
	await playScene(
		[
			{ says: "still there?", in: thread },
			{ requested: "send_message", times: 3 },
		],
		stage,
	);
});

test("a reply to the card of a task goes to that task, also in the channel", async () => {
	const stage = await playScene([{ says: "count", in: "general", mentions: "us" }, begins]);
	const sentMessages: object[] = [];
	const suspended = { id: "task_1", title: "Count the files", status: "suspended", session_id: "sess_0001" };
	Object.assign(stage.gateway.methods, {
		check_task: () => ({ ...suspended, suspension: { reason: "", plan_content: "", token: "prompt_9" } }),
		reply_task: (params: object) => sentMessages.push(params) && { status: "replied" },
	});
	await playScene(
		[
			{ says: "only the hidden ones", in: "general", replyTo: "post 1" },
			{ requested: "send_message", times: 1 },
		],
		stage,
	);
	expect(sentMessages).toMatchObject([
		{ task_id: "task_1", status: "revise", feedback: "only the hidden ones" },
	]);
});

test("the question of a worker is in the thread of the parent task", async () => {
	const part = { task_id: "task_2", title: "Count the folders", description: "", parent_id: "task_1" };
	const stage = await playScene([
		{ says: "count", in: "general", mentions: "us" } as const,
		begins,
		{ does: ({ gateway }) => gateway.newest.record("task.created", part) },
		{ gateway: { asks: { context: { task_id: "task_2" } } } },
	]);
	const asking = stage.platform.surface.posts.find(({ payload }) =>
		JSON.stringify(payload).includes("rm -rf"),
	);
	expect(asking).toMatchObject({
		conversation: "guild/general#task:task_1",
		payload: { thread: "task:task_1" },
	});
});

test("a task in a session that is a thread opens no other thread, and posts everything there", async () => {
	const stage = await playScene([
		{ says: "count", in: "general/post 9", mentions: "us" },
		begins,
		progress(1),
		completes,
		{ passes: 10_000 },
	]);
	const shown = stage.platform.surface.posts.map(({ payload }) => payload);
	expect(shown.filter((payload) => Object(payload).type === "thread")).toEqual([]);
	expect(shown.filter((payload) => Object(payload).thread !== undefined)).toEqual([]);
	expect(stage.posts(stage.room("general/post 9")).join("\n")).toContain("there are seven");
});

test("the card of a task is closed when its conversation is deleted", async () => {
	const stage = await playScene([{ says: "count", in: "general", mentions: "us" }, begins]);
	await playScene([{ does: ({ gateway }) => gateway.delete() }], stage);
	const [card] = stage.posts(stage.room("general"));
	expect(card).toContain("Cancelled: its conversation was deleted");
	expect(card).not.toContain("[Cancel]");
});

/**
 * Plays `steps`, and then restarts the connector. The first request of `method` gets no answer. Returns the private
 * answers.
 */
async function dieIn(method: "cancel_task" | "reply_task", steps: readonly SceneStep[]) {
	const stage = await playScene([
		{ says: "count", in: "general", mentions: "us" },
		{ gateway: { answers: "ok" } },
	]);
	const session_id = stage.gateway.newest.id;
	const plan = { reason: "plan", plan_content: "…" };
	const facts = { session_id, status: "suspended" } as const;
	const tasks = ["a", "b"].map((letter) =>
		taskPayload({
			...facts,
			id: `task_${letter}`,
			title: `Task ${letter}`,
			suspension: { ...plan, token: `prompt_${letter}` },
		}),
	);
	const tries: string[] = [];
	Object.assign(stage.gateway.methods, {
		query_tasks: () => ({ tasks }),
		check_task: ({ task_id }: { readonly task_id: string }) => tasks.find(({ id }) => id === task_id),
		[method]: (params: object) => {
			tries.push(JSON.stringify(params));
			const after = method === "cancel_task" ? "cancelled" : "running";
			tasks.splice(1, 1, taskPayload({ session_id, id: "task_b", title: "Task b", status: after }));
			if (tries.length === 1) throw new ParleyError("the connection was lost", { code: "unavailable" });
			return { task_id: "task_b", status: method === "cancel_task" ? "cancelled" : "approved" };
		},
	});
	await playScene(steps, stage);
	await stage.restart();
	await playScene([{ passes: 5000 }], stage);
	expect(tries).toHaveLength(2);
	expect(new Set(tries).size).toBe(1);
	const answers = stage.privately();
	await stage.connector.stop();
	await stage.store.close();
	return answers;
}

test("after a crash, a command with a number of a list answers for the task that it has cancelled", async () => {
	const answers = await dieIn("cancel_task", [
		{ commands: "task list", in: "general" },
		{ privately: ["**Task b**"] },
		{ commands: "task cancel", options: { id: "2" }, in: "general" },
	]);
	expect(answers).toEqual(["Cancelled **Task b** with all its subtasks."]);
});

test("after a crash, an answer that the task has received is not called late", async () => {
	const answers = await dieIn("reply_task", [
		{ commands: "task reply", options: { id: "Task b", text: "yes" }, in: "general" },
	]);
	expect(answers).toEqual(["Approved: **Task b** continues."]);
});
