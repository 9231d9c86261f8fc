import { createIds } from "@parley/base";
import { expect, test } from "vitest";
import { type ControlKind, controlKinds, forms } from "./control-kind.ts";
import { Controls } from "./controls.ts";

const ids = createIds();
const session = ids.create("sess");
const kinds = Object.keys(controlKinds) as ControlKind[];

const subjects = [
	...["prompt", "review", "task", "run", "grant"].map((prefix) => ids.create(prefix)),
	"18446744073709551615",
	"1712345678.012345",
];

test.each(subjects)("an id of %s is parsed to its target, and is valid on all platforms", (subject) => {
	const controls = new Controls("token");
	for (const kind of kinds) {
		const target = { kind, session, subject };
		const id = controls.write(target);
		expect(id.length).toBeLessThanOrEqual(100);
		expect(id).toMatch(/^[\w.-]+$/);
		expect(controls.read(id)).toEqual(target);
	}
});

test("ids in visible posts stay readable", () => {
	const written = {
		stop: "q",
		again: "g",
		good: "u",
		bad: "n",
		approve: "a",
		"approve-session": "s",
		deny: "d",
		details: "w",
		answer: "t",
		choose: "c",
		skip: "k",
		secret: "p",
		"task-approve": "y",
		"task-revise": "r",
		"task-cancel": "x",
		"task-retry": "z",
		"grant-end": "v",
		rerun: "e",
	};
	expect(controlKinds).toMatchObject(written);
	expect(new Set(Object.values(controlKinds)).size).toBe(kinds.length);
	const id = "1a.sess_1.prompt_1.L_1jQvz28rI9gx";
	expect(new Controls("secret").read(id)).toEqual({
		kind: "approve",
		session: "sess_1",
		subject: "prompt_1",
	});
});

test("an id is valid only with the secret", () => {
	const id = new Controls("token").write({ kind: "deny", session, subject: "prompt_1" });
	expect(new Controls("token").read(id)).toBeDefined();
	expect(new Controls("other").read(id)).toBeUndefined();
});

test("an id with any change is invalid", () => {
	const controls = new Controls("token");
	const id = controls.write({ kind: "deny", session, subject: "prompt_1" });
	for (let place = 0; place < id.length; place += 1) {
		const swapped = id[place] === "a" ? "b" : "a";
		expect(controls.read(`${id.slice(0, place)}${swapped}${id.slice(place + 1)}`)).toBeUndefined();
		expect(controls.read(id.slice(0, place))).toBeUndefined();
	}
});

test.each(["", ".", "1a...", "ä".repeat(14), "x".repeat(200), "1a.sess_1.prompt_1."])(
	"%j is not an id",
	(id) => {
		expect(new Controls("token").read(id)).toBeUndefined();
	},
);

test("a press after a deny opens a form for an optional reason", () => {
	expect(forms.deny?.fields).toEqual([
		expect.objectContaining({ name: "reason", required: false, maximum: 300 }),
	]);
});
