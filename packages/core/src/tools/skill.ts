import * as z from "zod";
import { defineTool } from "../vocabulary/tool.ts";

const parameters = () =>
	z.strictObject({
		name: z.string().min(1).max(100).describe("The name of the skill."),
		arguments: z
			.string()
			.max(20_000)
			.default("")
			.describe("The arguments, in one text. They replace $ARGUMENTS."),
	});
type Arguments = z.infer<ReturnType<typeof parameters>>;

/** Loads a skill for the model: the result is its text, which stays in the conversation. A skill with steps is run. */
export const skill = defineTool<Arguments>({
	name: "skill",
	description:
		"Loads a skill: instructions for a kind of work. Use it before you start work that a skill describes, and then follow " +
		"its text. The text names the directory of the skill: read files that it mentions with read_file when you need them. " +
		"A skill with steps is carried out, and you get its result. Not for work that no listed skill describes.",
	parameters,
	accepts: {
		names: ["use_skill", "load_skill"],
		ignored: ["description"],
		parameters: { name: { names: ["skill", "command"] }, arguments: { names: ["args", "input"] } },
	},
	// A call after a crash loads the same skill.
	effect: "idempotent",
	usual: ["read"],
	plan: async ({ name }) => ({
		label: `load the skill ${JSON.stringify(name)}`,
		classes: ["read"],
		preview: "",
		binding: {},
		notes: [],
	}),
	async run({ name, arguments: given }, _plan, context) {
		const started = await context.skill({ name: name.replace(/^\//, ""), arguments: given });
		if ("text" in started) return { text: started.text, failed: false };
		const { output, error } = await context.workflow(started);
		return error === "" ? { text: output, failed: false } : { text: error, failed: true };
	},
});
