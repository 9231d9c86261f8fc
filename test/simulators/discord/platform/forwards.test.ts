import { expect, test } from "vitest";
import { codeOf, pausedSimulator } from "../rest/direct-client.ts";

test("a forwarded message is read as a snapshot of that moment", () => {
	const { simulator, app, anna, general } = pausedSimulator();
	const other = simulator.channel("other");
	const sentMessage = anna.says("The build fails", {
		in: other,
		attachments: [{ name: "run.log", content: "x" }],
	});
	const ask = anna.says("Why?", { in: general, forwards: sentMessage });
	anna.edits(sentMessage, "Nothing");
	const [question, passed] = Object(app.get(`/channels/${general.id}/messages`)).body;
	expect(question.content).toBe("Why?");
	expect(passed).toMatchObject({
		...{ content: "", message_reference: { type: 1, channel_id: other.id, message_id: sentMessage.id } },
		message_snapshots: [{ message: { content: "The build fails", attachments: [{ filename: "run.log" }] } }],
	});
	expect(passed).not.toHaveProperty("referenced_message");
	expect(general.shows()).toMatchObject([{ text: "(forwarded)\nThe build fails" }, { id: ask.id }]);
	expect(simulator.violations).toEqual([]);
});

test("an app that forwards is refused, because the contract has no forwards in requests", () => {
	const { simulator, app, anna, general } = pausedSimulator();
	const sentMessage = anna.says("Hello", { in: general });
	const reference = { type: 1, channel_id: general.id, message_id: sentMessage.id };
	const answer = app.call("POST", `/channels/${general.id}/messages`, {
		body: { message_reference: reference },
	});
	expect(codeOf(answer)).toBe(50_035);
	expect(simulator.drainViolations()).toHaveLength(1);
});

test("a person forwards only messages that they may read", () => {
	const { simulator, anna, general } = pausedSimulator();
	const closed = simulator.channel("closed");
	const secret = anna.says("secret", { in: closed });
	closed.permit(simulator.home, { deny: ["ReadMessageHistory"] });
	expect(() => anna.says("", { in: general, forwards: secret })).toThrow("Missing Permissions");
});

test("an app without the privileged intent reads no content of a snapshot", () => {
	const { app, anna, general } = pausedSimulator({ privileged: 0 });
	anna.says("", { in: general, forwards: anna.says("secret", { in: general }) });
	const [passed] = Object(app.get(`/channels/${general.id}/messages`)).body;
	expect(passed.message_snapshots).toMatchObject([{ message: { content: "" } }]);
});
