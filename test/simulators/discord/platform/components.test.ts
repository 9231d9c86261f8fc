import { expect, test } from "vitest";
import { buttons, codeOf, pausedSimulator } from "../rest/direct-client.ts";

const v2 = 1 << 15;
const text = (content: string) => ({ type: 10, content });
const png = { index: 0, name: "chart.png", bytes: new Uint8Array(3) };
const log = { index: 1, name: "run.log", bytes: new Uint8Array(5) };

function card() {
	return {
		type: 17,
		accent_color: 0xff8800,
		components: [
			{
				type: 9,
				components: [text("## Approval"), text("`rm -r build`")],
				accessory: { type: 11, media: { url: "attachment://chart.png" } },
			},
			{ type: 14, divider: true, spacing: 2 },
			{ type: 12, items: [{ media: { url: "https://a.example/b.png" }, description: "b" }] },
			{ type: 13, file: { url: "attachment://run.log" } },
			...buttons("Approve", "Deny"),
		],
	};
}

test("a container with one component of each kind is posted, and its response has the URLs of its files", () => {
	const { simulator, app, general } = pausedSimulator();
	const message = app.posts(general, { flags: v2, components: [card()] }, [png, log]);
	const [container] = Object(message).components;
	expect(container).toMatchObject({ type: 17, accent_color: 0xff8800, spoiler: false });
	expect(container.components).toMatchObject([
		{ accessory: { media: { url: expect.stringContaining("https://cdn."), content_type: "image/png" } } },
		{ divider: true, spacing: 2 },
		{ items: [{ media: { url: "https://a.example/b.png" }, description: "b", spoiler: false }] },
		{ name: "run.log", size: 5, file: { url: expect.stringContaining("/run.log") } },
		{ type: 1 },
	]);
	expect(general.last()).toMatchObject({
		...{ text: "## Approval\n`rm -r build`", buttons: ["Approve", "Deny"], accents: [0xff8800] },
	});
	expect(simulator.violations).toEqual([]);
});

test("a container changes its colour by an edit, and people see each state", () => {
	const { simulator, app, clock, anna, general } = pausedSimulator();
	const began = clock.now();
	const components = (accent_color: number, state: string) => [
		{ type: 17, accent_color, components: [text(state)] },
	];
	const { id } = app.posts(general, { flags: v2, components: components(1, "waits") });
	clock.advance(2000);
	const path = `/channels/${general.id}/messages/${id}`;
	app.call("PATCH", path, { body: { components: components(2, "approved") } });
	expect(general.last(anna)).toMatchObject({ accents: [2], text: "approved", edited: true });
	app.call("DELETE", path);
	expect(general.states({ id })).toEqual([
		{ at: began, by: "create", text: "waits" },
		{ at: began + 2000, by: "edit", text: "approved" },
		{ at: began + 2000, by: "delete", text: "approved" },
	]);
	expect(simulator.violations).toEqual([]);
});

test("an edit without content turns a message into components", () => {
	const { simulator, app, general } = pausedSimulator();
	const { id } = app.posts(general, { content: "Working…" });
	const path = `/channels/${general.id}/messages/${id}`;
	const edit = (body: object) =>
		app.call("PATCH", path, { body: { components: [text("Done")], flags: v2, ...body } });
	expect(codeOf(edit({}))).toBe(50_035);
	expect(simulator.drainViolations()).toHaveLength(1);
	expect(edit({ content: null }).status).toBe(200);
	expect(general.last().text).toBe("Done");
});

const refused: Readonly<Record<string, readonly object[]>> = {
	"a section without an accessory": [{ type: 9, components: [text("x")] }],
	"a section of four texts": [
		{
			type: 9,
			components: [1, 2, 3, 4].map(() => text("x")),
			accessory: { type: 2, style: 1, label: "Go", custom_id: "go" },
		},
	],
	"an empty text": [text("")],
	"two components with one id": [{ type: 17, id: 7, components: [{ ...text("x"), id: 7 }] }],
	"an empty container": [{ type: 17, components: [] }],
	"a container in a container": [{ type: 17, components: [{ type: 17, components: [text("x")] }] }],
	"a colour beyond white": [{ type: 17, accent_color: 0x1000000, components: [text("x")] }],
	"a gallery of eleven": [
		{ type: 12, items: Array.from({ length: 11 }, () => ({ media: { url: "https://a.example/b.png" } })) },
	],
	"a file that was not sent": [{ type: 13, file: { url: "attachment://other.log" } }],
	"a file from elsewhere": [{ type: 13, file: { url: "https://a.example/run.log" } }],
	"4,001 characters in two texts": [text("x".repeat(4000)), { type: 17, components: [text("x")] }],
	"41 components with those inside": [
		{ type: 17, components: Array.from({ length: 20 }, () => text("x")) },
		{ type: 17, components: Array.from({ length: 19 }, () => text("x")) },
	],
};

test.each(Object.entries(refused))("%s is refused and recorded", (_, components) => {
	const { simulator, app, general } = pausedSimulator();
	const answer = app.call("POST", `/channels/${general.id}/messages`, { body: { flags: v2, components } });
	expect([answer.status, codeOf(answer)]).toEqual([400, 50_035]);
	expect(simulator.drainViolations()).not.toEqual([]);
});

test("a message of components with embeds is refused", () => {
	const { simulator, app, general } = pausedSimulator();
	const body = { flags: v2, components: [text("x")], embeds: [{ description: "x" }] };
	expect(codeOf(app.call("POST", `/channels/${general.id}/messages`, { body }))).toBe(50_035);
	expect(simulator.drainViolations()).toHaveLength(1);
});
