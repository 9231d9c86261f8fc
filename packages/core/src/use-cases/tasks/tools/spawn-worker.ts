import * as z from "zod";
import { defineTool } from "../../../vocabulary/tool.ts";
import { deskOf, planOwn } from "./desk-of.ts";

const name = () => z.string().trim().min(1).max(200);

const parameters = () =>
	z.strictObject({
		title: z.string().trim().min(1).max(200).describe("What the worker does, in a few words."),
		description: z
			.string()
			.trim()
			.min(1)
			.max(32_000)
			.describe("All that the worker has to know: it sees nothing of this conversation."),
		tools: z
			.array(name())
			.max(50)
			.optional()
			.describe(
				"Names of the tools that it may use, out of those that this task was given; all of them by default.",
			),
		model: name().optional().describe("Another model, by name or tier."),
		depends_on: z
			.array(name())
			.max(8)
			.optional()
			.describe("Ids of workers of this task that must be completed first."),
	});
type Arguments = z.infer<ReturnType<typeof parameters>>;

/** Hands a part of a task to an agent of its own. */
export const spawnWorker = defineTool<Arguments>({
	name: "spawn_worker",
	description:
		"Hands a part of this task to another agent, which works on it at the same time; returns its id at once. Use it for " +
		"parts that do not depend on each other. wait_for_workers brings their results. Not for what you can do in a call or two.",
	parameters,
	effect: "idempotent",
	usual: ["person"],
	plan: async ({ title }) => planOwn(`spawn a worker: ${title}`),
	async run({ depends_on, tools, model, ...asked }, _plan, context) {
		const id = await deskOf(context).spawn({
			...asked,
			...(tools && { tools }),
			...(model !== undefined && { model }),
			...(depends_on && { dependsOn: depends_on }),
		});
		return { text: `worker ${id}`, failed: false };
	},
});
