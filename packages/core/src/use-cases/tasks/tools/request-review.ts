import * as z from "zod";
import { defineTool } from "../../../vocabulary/tool.ts";
import { attributed } from "../../../vocabulary/transcript.ts";
import { deskOf, planOwn } from "./desk-of.ts";

const parameters = () =>
	z.strictObject({
		reason: z.string().trim().min(1).max(500).describe("Why people have to look, in one sentence."),
		content: z
			.string()
			.trim()
			.min(1)
			.max(32_000)
			.describe("The plan or the question, whole and in Markdown: people see nothing else."),
	});
type Arguments = z.infer<ReturnType<typeof parameters>>;

/** Suspends a task until a person has looked at its plan or answered its question. */
export const requestReview = defineTool<Arguments>({
	name: "request_review",
	description:
		"Shows people a plan or a question and waits, for days if need be, until somebody approves it or wants it revised. " +
		"Use it before work that is hard to take back or that could be meant in several ways. Not for permission to use a " +
		"tool: that is asked by itself.",
	parameters,
	effect: "idempotent",
	usual: ["person"],
	plan: async ({ reason }) => planOwn(`request a review: ${reason}`),
	async run(asked, _plan, context) {
		const { approved, feedback, person } = await deskOf(context).review(asked);
		const said = feedback === "" ? "" : `\nWhat was said with it:\n${attributed(feedback, person)}`;
		return approved
			? { text: `approved: go on${said}`, failed: false }
			: { text: `to be revised: change it, and ask again where it matters${said}`, failed: false };
	},
});
