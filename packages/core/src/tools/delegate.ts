import { defined } from "@parley/base";
import * as z from "zod";
import { visible } from "../text/visible.ts";
import type { DelegatedWork } from "../vocabulary/delegation.ts";
import { defineTool } from "../vocabulary/tool.ts";

const maxTasks = 4;

const parameters = () =>
	z.strictObject({
		work: z
			.array(
				z.strictObject({
					title: z.string().trim().min(1).max(100).describe("The work in a few words. People see it."),
					instructions: z
						.string()
						.trim()
						.min(1)
						.max(32_000)
						.describe("All information that the sub-agent needs: it does not see this conversation."),
					agent: z
						.string()
						.trim()
						.min(1)
						.max(64)
						.optional()
						.describe("The agent that does the work. Default: your own."),
					tools: z
						.array(z.string().trim().min(1).max(128))
						.max(50)
						.optional()
						.describe("Names of the only tools that it may use, of your tools. Default: all of them."),
					max_tokens: z
						.int()
						.min(1_000)
						.max(2_000_000)
						.default(300_000)
						.describe("Maximum tokens of input and output together."),
					max_minutes: z.int().min(1).max(120).default(20).describe("Maximum minutes of work."),
				}),
			)
			.min(1)
			.max(maxTasks)
			.describe("The work of one to four sub-agents, which work at the same time."),
	});
type Arguments = z.infer<ReturnType<typeof parameters>>;

/** Gives bounded work to sub-agents, and waits for their results. */
export const delegate = defineTool<Arguments>({
	name: "delegate",
	description:
		"Gives work to sub-agents and returns their results. Each has its own conversation, so long searches and readings do " +
		"not fill yours. Use it for independent parts of a large request, or if another agent fits the work better. Not for work " +
		"of a few calls, and not for parts that depend on each other.",
	parameters,
	accepts: { names: ["run_agent"], ignored: ["description"] },
	// A call after a crash continues with the same sub-agents.
	effect: "idempotent",
	usual: ["person"],
	async plan({ work }, context) {
		const { leaves } = await context.delegation.check(work.map(toWork));
		const titles = work.map(({ title, agent }) => (agent === undefined ? title : `${agent}: ${title}`));
		return {
			label: visible(`delegate: ${titles.join("; ")}`),
			classes: leaves ? ["person", "egress"] : ["person"],
			preview: "",
			binding: {},
			notes: leaves ? ["an agent with another model server or provider gets the instructions"] : [],
		};
	},
	async run({ work }, _plan, context) {
		const { text, failed } = await context.delegation.run(work.map(toWork));
		return { text, failed };
	},
});

function toWork({
	agent,
	tools,
	max_tokens,
	max_minutes,
	...rest
}: Arguments["work"][number]): DelegatedWork {
	return { ...rest, maxTokens: max_tokens, maxMinutes: max_minutes, ...defined({ agent, tools }) };
}
