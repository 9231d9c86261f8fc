import { expect, test } from "vitest";
import { event } from "../testing/events.ts";
import { askQuestion } from "../testing/questions.ts";
import { createStyles } from "../text/styles.ts";
import { Answers } from "./answers.ts";
import { Conversation } from "./conversation.ts";

const format = { columns: 80, styles: createStyles(false) };

test.each([
	[true, "  no rule can allow this call: answer y, n or s"],
	[false, "  no rule can allow this call: answer y or n"],
])(
	"without a rule, `always` shows the other answers. An answer for the session: %s",
	async (allow_session, hint) => {
		const conversation = new Conversation("plain", () => 0, true);
		const question = askQuestion({ type: "confirm", context: { allow_session } });
		conversation.apply(event("prompt.request", question), format);
		const rows: string[] = [];
		const answers = new Answers({
			conversation: () => conversation,
			format: () => format,
			show: (more) => rows.push(...more),
			request: () => Promise.reject(new Error("no request is expected")),
		});
		await answers.answer("always");
		expect(rows).toEqual([hint]);
	},
);
