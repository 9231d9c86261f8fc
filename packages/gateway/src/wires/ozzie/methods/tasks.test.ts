import { methods } from "@parley/protocol";
import { expect, test } from "vitest";
import { decodeNewTask, decodeTaskFilter } from "./tasks.ts";

test("absent parameters use the defaults of the runtime", () => {
	const minimal = methods.submit_task.params.parse({ title: " t ", description: "d", tools: null });
	expect(decodeNewTask(minimal)).toEqual({ title: "t", description: "d" });
	const complete = {
		title: "t",
		description: "d",
		tools: [],
		priority: "low",
		agent: "a",
		model: "m",
		depends_on: ["task_0"],
		autonomy: "autonomous",
	} as const;
	const { depends_on: dependsOn, ...rest } = complete;
	expect(decodeNewTask(methods.submit_task.params.parse(complete))).toEqual({ ...rest, dependsOn });
});

test("a query is a filter", () => {
	const parse = methods.query_tasks.params.parse;
	expect(decodeTaskFilter(parse({}), undefined)).toEqual({ limit: 50 });
	const filter = parse({ status: "failed", parent_id: "task_1", limit: 2, before: "task_2" });
	expect(decodeTaskFilter(filter, "sess_1")).toEqual({
		limit: 2,
		sessionId: "sess_1",
		states: ["failed"],
		parentId: "task_1",
		before: "task_2",
	});
});
