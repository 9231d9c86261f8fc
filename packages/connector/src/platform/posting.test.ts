import { expect, test } from "vitest";
import { Posting } from "./posting.ts";

const options = [{ value: "a", label: "A", description: "", chosen: false }];
const choice = { type: "choice", id: "id", placeholder: "Choose", options };
const post = (control: object): object => ({ type: "post", body: "Which?", controls: [[control]] });

test("a choice of the outbox has its limits under the present and under the earlier names", () => {
	const present = post({ ...choice, minimum: 0, maximum: 3 });
	expect(Posting.parse(present)).toEqual(present);
	expect(Posting.parse(post({ ...choice, least: 0, most: 3 }))).toEqual(present);
});

test("a choice without limits is refused", () => {
	expect(Posting.safeParse(post(choice)).success).toBe(false);
	expect(Posting.safeParse(post({ ...choice, least: 0, most: 0 })).success).toBe(false);
});
