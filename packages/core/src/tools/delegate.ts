import { defined } from "@parley/base";
import * as z from "zod";
import { visible } from "../text/visible.ts";
import type { DelegatedWork } from "../vocabulary/delegation.ts";
import { defineTool } from "../vocabulary/tool.ts";
import { delegateTexts } from "./texts.ts";

const maxTasks = 4;

const parameters = () =>
	z.strictObject({
		work: z
			.array(
				z.strictObject({
					title: z.string().trim().min(1).max(100).describe(delegateTexts.title),
					instructions: z.string().trim().min(1).max(32_000).describe(delegateTexts.work),
					agent: z.string().trim().min(1).max(64).optional().describe(delegateTexts.agent),
					tools: z.array(z.string().trim().min(1).max(128)).max(50).optional().describe(delegateTexts.tools),
					max_tokens: z.int().min(1_000).max(2_000_000).default(300_000).describe(delegateTexts.maxTokens),
					max_minutes: z.int().min(1).max(120).default(20).describe(delegateTexts.maxMinutes),
				}),
			)
			.min(1)
			.max(maxTasks)
			.describe(delegateTexts.tasks),
	});
type Arguments = z.infer<ReturnType<typeof parameters>>;

/** Gives bounded work to sub-agents, and waits for their results. */
export const delegate = defineTool<Arguments>({
	name: "delegate",
	description: delegateTexts.description,
	parameters,
	accepts: { names: ["run_agent"], ignored: ["description"] },
	// After a crash, a repeated call continues the work of the same sub-agents.
	effect: "idempotent",
	usual: ["person"],
	async plan({ work }, context) {
		const { leavesProvider } = await context.delegation.check(work.map(toWork));
		const titles = work.map(({ title, agent }) => (agent === undefined ? title : `${agent}: ${title}`));
		return {
			label: visible(`delegate: ${titles.join("; ")}`),
			classes: leavesProvider ? ["person", "egress"] : ["person"],
			preview: "",
			binding: {},
			notes: leavesProvider ? [delegateTexts.otherProvider] : [],
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
