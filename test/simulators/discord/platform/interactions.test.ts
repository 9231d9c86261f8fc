import { expect, test } from "vitest";
import { buttons, codeOf, pausedSimulator } from "../rest/direct-client.ts";

const form = {
	title: "Why?",
	custom_id: "why",
	components: [
		{ type: 18, label: "Reason", component: { type: 4, custom_id: "reason", style: 2, required: true } },
	],
};

function pressed() {
	const parts = pausedSimulator();
	const post = parts.app.posts(parts.general, { content: "Sure?", components: buttons("Yes", "No") });
	return { ...parts, post, interaction: parts.anna.clicks("Yes") };
}

test("a response within three seconds is visible, and a later one finds an unknown interaction", () => {
	const { clock, app, anna, interaction } = pressed();
	clock.advance(2999);
	expect(app.answers(interaction, { type: 4, data: { content: "Done" } }).status).toBe(204);
	expect([interaction.state, interaction.answers().map(({ text }) => text)]).toEqual(["answered", ["Done"]]);
	const late = anna.clicks("No");
	clock.advance(3000);
	const refused = app.answers(late, { type: 4, data: { content: "Done" } });
	expect([refused.status, codeOf(refused), late.failed]).toEqual([404, 10_062, true]);
});

test("an interaction has one first response", () => {
	const { app, interaction } = pressed();
	app.answers(interaction, { type: 6 });
	const again = app.answers(interaction, { type: 4, data: { content: "Done" } });
	expect([again.status, codeOf(again)]).toEqual([400, 40_060]);
});

test("a token is valid for 15 minutes", () => {
	const { clock, app, interaction } = pressed();
	app.answers(interaction, { type: 6 });
	clock.advance(15 * 60_000 - 1);
	expect(app.follows(interaction, { method: "POST", body: { content: "Still here" } }).status).toBe(200);
	clock.advance(1);
	const refused = app.follows(interaction, { method: "POST", body: { content: "Gone" } });
	expect([refused.status, codeOf(refused)]).toEqual([401, 50_027]);
});

test("an unacknowledged interaction and an invalid token accept no follow-up", () => {
	const { app, interaction } = pressed();
	const follow = { method: "POST", body: { content: "x" } };
	expect(codeOf(app.follows(interaction, follow))).toBe(10_015);
	expect(codeOf(app.follows({ record: { token: "other" } }, follow))).toBe(10_015);
});

test("an ephemeral response is visible to one person only", () => {
	const { simulator, app, anna, general, interaction } = pressed();
	app.answers(interaction, { type: 4, data: { content: "For you", flags: 64 } });
	const bob = simulator.member("Bob");
	expect(general.last(anna)).toMatchObject({ text: "For you", ephemeral: true });
	expect(general.last(bob).text).toBe("Sure?");
	const { id } = general.last(anna);
	expect(codeOf(app.get(`/channels/${general.id}/messages/${id}`))).toBe(10_008);
	expect(Object(app.get(`/channels/${general.id}/messages`).body)).toHaveLength(1);
	expect(
		app.follows(interaction, { method: "PATCH", message: "@original", body: { content: "Changed" } }).status,
	).toBe(200);
	expect(general.last(anna).text).toBe("Changed");
	app.follows(interaction, { method: "DELETE", message: "@original" });
	expect(general.last(anna).text).toBe("Sure?");
});

test("after thinking, the first message replaces it with the same visibility", () => {
	const { app, anna, general, interaction } = pressed();
	app.answers(interaction, { type: 5, data: { flags: 64 } });
	expect([interaction.state, general.last(anna).thinking]).toEqual(["thinking", true]);
	app.follows(interaction, { method: "POST", body: { content: "Thought" } });
	expect(general.shows(anna).slice(1)).toMatchObject([
		{ text: "Thought", ephemeral: true, thinking: false, edited: false },
	]);
	app.follows(interaction, { method: "POST", body: { content: "And more" } });
	expect(interaction.answers().map(({ text, ephemeral }) => [text, ephemeral])).toEqual([
		["Thought", true],
		["And more", false],
	]);
});

test("a press can change its message", () => {
	const { app, general, interaction } = pressed();
	app.answers(interaction, { type: 7, data: { content: "You said yes", components: [] } });
	expect(general.shows()).toMatchObject([{ text: "You said yes", buttons: [] }]);
	app.follows(interaction, { method: "PATCH", message: "@original", body: { content: "Later" } });
	expect(general.last().text).toBe("Later");
});

test("a form opens as the first response only, and its fields are returned", () => {
	const { app, anna, interaction } = pressed();
	app.answers(interaction, { type: 9, data: form });
	expect(interaction.form).toMatchObject({ title: "Why?", fields: [{ label: "Reason", required: true }] });
	const sent = anna.submits(interaction, { Reason: "Because" });
	expect(sent.record.data).toMatchObject({
		custom_id: "why",
		components: [{ component: { value: "Because" } }],
	});
	expect(codeOf(app.answers(sent, { type: 9, data: form }))).toBe(50_035);
	const other = anna.clicks("No");
	app.answers(other, { type: 5 });
	expect(codeOf(app.answers(other, { type: 9, data: form }))).toBe(40_060);
});

test("a person cannot omit required fields of a form, nor exceed their length", () => {
	const { app, anna, interaction } = pressed();
	app.answers(interaction, { type: 9, data: form });
	expect(() => anna.submits(interaction)).toThrow("the form wants Reason");
	expect(() => anna.submits(interaction, { Reason: "x".repeat(4001) })).toThrow(
		"Reason takes 0 to 4000 characters",
	);
	expect(() => anna.submits(interaction, { Other: "x" })).toThrow("the form has no Other");
});

test.each([
	["a title of 46 characters", { ...form, title: "x".repeat(46) }],
	["six fields", { ...form, components: Array.from({ length: 6 }, (_, at) => field(`f${at}`)) }],
	["a label of 46 characters", { ...form, components: [{ ...field("f"), label: "x".repeat(46) }] }],
	["the same field twice", { ...form, components: [field("f"), field("f")] }],
])("a form with %s is refused", (_, data) => {
	const { simulator, app, interaction } = pressed();
	expect(codeOf(app.answers(interaction, { type: 9, data }))).toBe(50_035);
	expect(simulator.drainViolations()).not.toEqual([]);
});

function field(name: string) {
	return { type: 18, label: name, component: { type: 4, custom_id: name, style: 1 } };
}

test("a response of an invalid kind is refused", () => {
	const { simulator, app, interaction } = pressed();
	expect(codeOf(app.answers(interaction, { type: 8, data: { choices: [] } }))).toBe(50_035);
	expect(simulator.drainViolations()).toEqual(["type: 8 is no answer to an interaction of type 3"]);
	expect(interaction.state).toBe("waiting");
});

test("a response in an archived thread is refused", () => {
	const { app, anna, general } = pausedSimulator();
	const thread = anna.opensThread("Talk", { in: general });
	app.posts(thread, { content: "Sure?", components: buttons("Yes") });
	const interaction = anna.clicks("Yes");
	thread.archive({ locked: true });
	expect(codeOf(app.answers(interaction, { type: 4, data: { content: "Done" } }))).toBe(50_083);
});
