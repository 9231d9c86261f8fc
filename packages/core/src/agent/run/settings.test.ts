import { expect, test } from "vitest";
import { ModelTable } from "../../models/table/model-table.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { builtinTools } from "../../tools/builtin.ts";
import { chooseSettings, type ModelChoice } from "./settings.ts";

const model = new ScriptedModel();
const tools = builtinTools();
const session = { profile: "default", model: undefined };

/** Agent with these tools, as a new object each time, like a file that was read again. */
function choiceOf(wanted: () => readonly string[]): ModelChoice {
	const profile = () => ({ name: "default", title: "Default", sampling: {}, tools: wanted() });
	return {
		model,
		modelName: undefined,
		fallback: [],
		reasoning: undefined,
		table: new ModelTable(),
		tools,
		profiles: { find: async () => profile(), list: async () => ({ profiles: [profile()], problems: [] }) },
		modelAt: () => model,
		anyModel: true,
	};
}

test("the same tools of an agent are the same objects in every run, and other tools are other objects", async () => {
	const [first = "", second = "", third = ""] = tools.map(({ name }) => name);
	let wanted = [first, third];
	const choice = choiceOf(() => [...wanted]);
	const one = await chooseSettings(session, choice);
	expect(one.descriptions.map(({ name }) => name)).toEqual([first, third]);
	expect((await chooseSettings(session, choice)).descriptions).toBe(one.descriptions);
	wanted = [second];
	const other = await chooseSettings(session, choice);
	expect(other.tools.map(({ name }) => name)).toEqual([second]);
	wanted = [first, third];
	expect((await chooseSettings(session, choice)).tools).toBe(one.tools);
});

test("an agent that names unknown tools is refused each time", async () => {
	const choice = choiceOf(() => ["nothing"]);
	for (const _ of [1, 2]) {
		await expect(chooseSettings(session, choice)).rejects.toThrow(/names unknown tools: nothing/);
	}
});
