import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { FakeClient } from "../testing/fake-session.ts";
import { someTask } from "../testing/tasks.ts";
import { findTask } from "./find-task.ts";
import type { Task } from "./task.ts";

const tasks = ["task_abc1", "task_abc2", "task_abc", "task_xyz"].map((id) => someTask({ id }));

/** Lists the tasks two a page. */
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
	expect(client.requests.at(1)?.params).toMatchObject({ before: "task_abc2" });
	return found;
}

test.each([
	["task_x", "task_xyz"],
	["xy", "task_xyz"],
	["task_abc", "task_abc"],
])("%s is %s, on whatever page that is", async (given, id) => {
	expect(await find(given)).toMatchObject({ id });
});

test("what is not clear is not guessed", async () => {
	await expect(find("ab")).rejects.toThrow(
		/^several tasks have an id that begins with ab:\n {2}task_abc1 {2}Refactor\n {2}task_abc2/,
	);
	await expect(find("no\u001bpe")).rejects.toThrow("no task has an id that begins with no\\u{1b}pe; `parley");
	await expect(find("")).rejects.toMatchObject({ code: "not_found" });
});
