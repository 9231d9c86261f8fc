import { expect, test } from "vitest";
import { ModelTable, unknownModel } from "../../models/table/model-table.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { builtinTools } from "../../tools/builtin.ts";
import { chooseSettings, type ModelChoice, realName } from "./settings.ts";

const model = new ScriptedModel();
const tools = builtinTools();
const session = { profile: "default", model: undefined };

/**
 * Returns a model choice. Each use of the choice creates a new profile object, as a new read of the profile's file
 * does.
 */
function choiceOf(requested: () => readonly string[]): ModelChoice {
	const profile = () => ({ name: "default", title: "Default", sampling: {}, tools: requested() });
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
	let requested = [first, third];
	const choice = choiceOf(() => [...requested]);
	const one = await chooseSettings(session, choice);
	expect(one.descriptions.map(({ name }) => name)).toEqual([first, third]);
	expect((await chooseSettings(session, choice)).descriptions).toBe(one.descriptions);
	requested = [second];
	const other = await chooseSettings(session, choice);
	expect(other.tools.map(({ name }) => name)).toEqual([second]);
	requested = [first, third];
	expect((await chooseSettings(session, choice)).tools).toBe(one.tools);
});

test("a model of another server never gets the name of another provider", async () => {
	const other = { ...unknownModel("big", "other"), tier: "fast" as const };
	const table = new ModelTable([other], [other], { home: model.provider, others: ["other"] });
	const names = async (profile: object) => {
		const found = { name: "default", title: "Default", sampling: {}, model: "other/fast", ...profile };
		const profiles = { find: async () => found, list: async () => ({ profiles: [found], problems: [] }) };
		const choice = { ...choiceOf(() => []), table, profiles };
		const real = await realName("default", "other/fast", choice);
		return [(await chooseSettings(session, choice)).names[0], real];
	};
	expect(await names({})).toEqual(["other/big", "other/big"]);
	expect(await names({ endpoint: { url: "http://127.0.0.1:9" } })).toEqual(["other/fast", "other/fast"]);
});

test("an agent that names unknown tools is refused each time", async () => {
	const choice = choiceOf(() => ["nothing"]);
	for (const _ of [1, 2]) {
		await expect(chooseSettings(session, choice)).rejects.toThrow(/names an unknown tool: nothing/);
	}
});
