import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { FakeClient } from "../testing/fake-session.ts";
import { someTask } from "../testing/tasks.ts";
import type { Task } from "../wordings/task.ts";
import { findTask } from "./find-task.ts";

const tasks = ["task_abcde1", "task_abcde2", "task_abcde", "task_xyzzy"].map((id) => someTask({ id }));

/** Finds a task through a client that lists two tasks per page. */
async function find(given: string): Promise<Task> {
	const client = new FakeClient();
	const found = findTask(client, given);
	let isOver = false;
	const over = (): void => {
		isOver = true;
	};
	found.then(over, over);
	for (let from = 0; !isOver; from += 2) {
		client.last("query_tasks").answer({ tasks: tasks.slice(from, from + 2) });
		await setImmediate();
	}
	expect(client.requests.at(1)?.params).toMatchObject({ before: "task_abcde2" });
	return found;
}

test.each([
	["task_xyzz", "task_xyzzy"],
	["xyzz", "task_xyzzy"],
	["task_abcde", "task_abcde"],
])("finds %s as %s on any page", async (given, id) => {
	expect(await find(given)).toMatchObject({ id });
});

test("rejects ambiguous and unknown ids", async () => {
	await expect(find("abcd")).rejects.toThrow(
		/^several tasks have an id that begins with abcd; use one of these ids:\n {2}task_abcde1 {2}Refactor\n {2}task_abcde2/,
	);
	await expect(find("no\u001bpe")).rejects.toThrow("no task has an id that begins with no\\u{1b}pe; `parley");
	for (const given of ["task", "bcde"]) {
		await expect(find(given)).rejects.toMatchObject({ code: "not_found" });
	}
	for (const given of ["", "task_", "task_xyz", "xyz"]) {
		await expect(find(given)).rejects.toThrow("is too short for an id");
	}
});

test("requests only one task for a complete id", async () => {
	const client = new FakeClient();
	const id = `task_${"a1".repeat(13)}`;
	const found = findTask(client, id);
	expect(client.requests.map(({ method, params }) => ({ method, params }))).toEqual([
		{ method: "check_task", params: { task_id: id } },
	]);
	client.last("check_task").answer(someTask({ id }));
	expect(await found).toMatchObject({ id });
});
