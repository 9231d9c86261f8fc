import { expect, test } from "vitest";
import { buttons, codeOf, pausedSimulator } from "../rest/direct-client.ts";

const many = (count: number): string => "x".repeat(count);
const button = { type: 2, style: 1, label: "Go", custom_id: "go" };
const row = (...components: object[]) => ({ type: 1, components });
const options = (count: number) =>
	Array.from({ length: count }, (_, at) => ({ label: `l${at}`, value: `v${at}` }));
const choice = { type: 3, custom_id: "choice", options: options(2) };

const refused: Readonly<Record<string, object>> = {
	"2,001 characters": { content: many(2001) },
	"embeds of 6,001 characters": {
		embeds: [1, 2].map((at) => ({ description: many(3000 + (at === 1 ? 1 : 0)) })),
	},
	"a nonce of 26 characters": { content: "x", nonce: many(26) },
	"six rows": {
		content: "x",
		components: Array.from({ length: 6 }, (_, at) => row({ ...button, custom_id: `${at}` })),
	},
	"six buttons in a row": { components: buttons("a", "b", "c", "d", "e", "f"), content: "x" },
	"a button beside a choice": { content: "x", components: [row(button, choice)] },
	"two choices in a row": { content: "x", components: [row(choice, { ...choice, custom_id: "other" })] },
	"an empty row": { content: "x", components: [row()] },
	"a label of 81 characters": { content: "x", components: [row({ ...button, label: many(81) })] },
	"a button without a label": { content: "x", components: [row({ type: 2, style: 1, custom_id: "go" })] },
	"an id of 101 characters": { content: "x", components: [row({ ...button, custom_id: many(101) })] },
	"an id twice": { content: "x", components: [row(button, button)] },
	"a link with an id": { content: "x", components: [row({ ...button, style: 5, url: "https://a.example" })] },
	"a button without an id": { content: "x", components: [row({ type: 2, style: 1, label: "Go" })] },
	"26 options": { content: "x", components: [row({ ...choice, options: options(26) })] },
	"an option of 101 characters": {
		content: "x",
		components: [row({ ...choice, options: [{ label: many(101), value: "v" }] })],
	},
	"two options of one value": {
		content: "x",
		components: [row({ ...choice, options: [...options(1), ...options(1)] })],
	},
	"more to choose than there is": { content: "x", components: [row({ ...choice, max_values: 3 })] },
	"a placeholder of 151 characters": {
		content: "x",
		components: [row({ ...choice, placeholder: many(151) })],
	},
	"a text of components without their flag": { content: "x", components: [{ type: 10, content: "x" }] },
	"components v2 with a content": { flags: 1 << 15, content: "x", components: [{ type: 10, content: "x" }] },
	"components v2 of 4,001 characters": { flags: 1 << 15, components: [{ type: 10, content: many(4001) }] },
	"41 components": {
		flags: 1 << 15,
		components: Array.from({ length: 41 }, () => ({ type: 10, content: "x" })),
	},
};

test.each(Object.entries(refused))("%s are refused and recorded", (_, body) => {
	const { simulator, app, general } = pausedSimulator();
	const answer = app.call("POST", `/channels/${general.id}/messages`, { body });
	expect([answer.status, codeOf(answer)]).toEqual([400, 50_035]);
	expect(general.shows()).toEqual([]);
	expect(simulator.drainViolations()).not.toEqual([]);
});

test("a message at the maximum size is posted", () => {
	const { simulator, app, general } = pausedSimulator();
	const largest = row({ ...choice, options: options(25), placeholder: many(150), max_values: 25 });
	const pressed = row(
		...Array.from({ length: 5 }, (_, at) => ({ ...button, label: many(80), custom_id: `${at}${many(99)}` })),
	);
	app.posts(general, { content: "😀".repeat(2000), components: [pressed, largest] });
	app.posts(general, { flags: 1 << 15, components: [{ type: 10, content: many(4000) }] });
	expect(general.shows()).toHaveLength(2);
	expect(simulator.drainViolations()).toEqual([]);
});

test("an empty message is refused", () => {
	const { app, general } = pausedSimulator();
	expect(codeOf(app.call("POST", `/channels/${general.id}/messages`, { body: { content: "" } }))).toBe(
		50_006,
	);
});

test("the flag of components v2 cannot be removed", () => {
	const { app, general } = pausedSimulator();
	const message = app.posts(general, { flags: 1 << 15, components: [{ type: 10, content: "x" }] });
	const path = `/channels/${general.id}/messages/${message.id}`;
	expect(codeOf(app.call("PATCH", path, { body: { flags: 0, content: "x" } }))).toBe(50_035);
	expect(codeOf(app.call("PATCH", path, { body: { content: "x", components: [] } }))).toBe(50_035);
});

test("more than ten files, and files that are too large, are refused", () => {
	const { app, general } = pausedSimulator({ settings: { fileBytes: 3 } });
	const file = (index: number, size: number) => ({ index, name: "f", bytes: new Uint8Array(size) });
	const send = (files: ReturnType<typeof file>[]) =>
		app.call("POST", `/channels/${general.id}/messages`, { body: {}, files }).status;
	expect(send([file(0, 3)])).toBe(200);
	expect(send([file(0, 4)])).toBe(413);
	expect(send(Array.from({ length: 11 }, (_, at) => file(at, 1)))).toBe(400);
});
