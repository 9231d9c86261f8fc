import * as z from "zod";
import { defineTool } from "../vocabulary/tool.ts";
import { skillTexts } from "./texts.ts";

const parameters = () =>
	z.strictObject({
		name: z.string().min(1).max(100).describe(skillTexts.name),
		arguments: z.string().max(20_000).default("").describe(skillTexts.arguments),
	});
type Arguments = z.infer<ReturnType<typeof parameters>>;

/** Loads the text of a skill into the run, or runs a skill that has steps and returns its output. */
export const skill = defineTool<Arguments>({
	name: "skill",
	description: skillTexts.description,
	parameters,
	accepts: {
		names: ["use_skill", "load_skill"],
		ignored: ["description"],
		parameters: { name: { names: ["skill", "command"] }, arguments: { names: ["args", "input"] } },
	},
	// After a crash, the repeated call loads the same skill.
	effect: "idempotent",
	usual: ["read"],
	plan: async ({ name }) => ({
		label: skillTexts.label(JSON.stringify(name)),
		classes: ["read"],
		preview: "",
		binding: {},
		notes: [],
	}),
	async run({ name, arguments: skillArguments }, _plan, context) {
		const started = await context.skill({ name: name.replace(/^\//, ""), arguments: skillArguments });
		if ("text" in started) return { text: started.text, failed: false };
		const { output, error } = await context.workflow(started);
		return error === "" ? { text: output, failed: false } : { text: error, failed: true };
	},
});
