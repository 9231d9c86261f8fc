import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { ada, general } from "../testing/question-context.ts";
import { ShownLists } from "./shown-lists.ts";

const here = { person: ada, room: general };
const thread = { person: ada, room: { ...general, thread: "9" } };
const max = { person: { ...ada, id: "43" }, room: general };

test("a number means an object of the newest list that the person saw", () => {
	const clock = new ManualClock();
	const lists = new ShownLists(clock);
	lists.show("task", here, { ids: ["a", "b"], isPublic: false });
	expect([lists.find("task", here, 2), lists.find("task", thread, 1)]).toEqual(["b", "a"]);
	expect([lists.find("task", max, 1), lists.find("note", here, 1)]).toEqual([undefined, undefined]);
	lists.show("task", max, { ids: ["c"], isPublic: true });
	expect([lists.find("task", here, 1), lists.find("task", max, 1)]).toEqual(["c", "c"]);
	lists.show("task", here, { ids: ["d"], isPublic: false });
	expect([lists.find("task", here, 1), lists.find("task", max, 1)]).toEqual(["d", "c"]);
	expect([lists.find("task", here, 2), lists.find("task", here, 0)]).toEqual([undefined, undefined]);
	clock.advance(25 * 3_600_000);
	expect(lists.find("task", here, 1)).toBeUndefined();
});

test("each thread has its own list of conversations", () => {
	const lists = new ShownLists(new ManualClock());
	lists.show("conversation", here, { ids: ["a"], isPublic: false });
	expect([lists.find("conversation", here, 1), lists.find("conversation", thread, 1)]).toEqual([
		"a",
		undefined,
	]);
});
