import { expect, test } from "vitest";
import { codeOf, pausedSimulator } from "../rest/direct-client.ts";

test("a reaction counts once per user, and can be removed", () => {
	const { app, anna, general } = pausedSimulator();
	const sentMessage = anna.says("Hello", { in: general });
	const path = `/channels/${general.id}/messages/${sentMessage.id}/reactions/${encodeURIComponent("👀")}/@me`;
	app.call("PUT", path);
	app.call("PUT", path);
	anna.reacts("👀", { on: sentMessage });
	expect(general.last().reactions).toEqual({ "👀": 2 });
	app.call("DELETE", path);
	anna.unreacts("👀", { on: sentMessage });
	expect(general.last().reactions).toEqual({});
});

test("an existing reaction can be used without the permission to add one", () => {
	const { simulator, clock, app, anna, general } = pausedSimulator();
	const sentMessage = anna.says("Hello", { in: general });
	anna.reacts("👀", { on: sentMessage });
	general.permit(simulator.bot, { deny: ["AddReactions"] });
	const react = (emoji: string) =>
		app.call(
			"PUT",
			`/channels/${general.id}/messages/${sentMessage.id}/reactions/${encodeURIComponent(emoji)}/@me`,
		);
	expect(react("👀").status).toBe(204);
	clock.advance(250);
	expect(codeOf(react("🔁"))).toBe(50_013);
});

test("an invalid emoji is unknown", () => {
	const { app, anna, general } = pausedSimulator();
	const sentMessage = anna.says("Hello", { in: general });
	const path = `/channels/${general.id}/messages/${sentMessage.id}/reactions/stop/@me`;
	expect(codeOf(app.call("PUT", path))).toBe(10_014);
});
