import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ModelTable } from "../models/table/model-table.ts";
import { ScriptedModel } from "../testing/scripted-model.ts";
import { testConnector } from "../testing/test-connector.ts";
import { TestRuntime, unkeyed } from "../testing/test-runtime.ts";
import { noChat, type PlaceProfile } from "../vocabulary/chat-settings.ts";
import { operator } from "../vocabulary/principal.ts";

const key = "discord:guild:general";

function open(places: Record<string, PlaceProfile> = {}, directory?: string): Promise<TestRuntime> {
	return TestRuntime.open({
		model: new ScriptedModel(),
		chat: { ...noChat, places },
		...(directory !== undefined && { directory }),
	});
}

test("a channel uses its own profile or else the profile of its guild, and the operator's settings precede the file", async () => {
	await using t = await open({ "discord:guild": { model: "guild" }, [key]: { model: "file" } });
	const { places } = t.runtime.trust;
	await places.load();
	expect(places.profileOf(key)).toEqual({ model: "file" });
	expect(places.profileOf("discord:guild:other")).toEqual({ model: "guild" });
	expect(places.profileOf("discord:other:general")).toEqual({});
	expect(places.profileOf("slack:guild:general")).toEqual({});
	expect(places.profileOf(undefined)).toEqual({});
	await places.set(unkeyed(), key, { tools: ["read_file"] });
	await places.set(unkeyed(), "discord:guild", { mention: "always" });
	expect(places.profileOf(key)).toEqual({ tools: ["read_file"] });
	expect(places.profileOf("discord:guild:other")).toEqual({ mention: "always" });
	expect(await places.list(operator)).toEqual([
		{ key: "discord:guild", profile: { mention: "always" }, source: "operator" },
		{ key, profile: { tools: ["read_file"] }, source: "operator" },
	]);
	await places.remove(unkeyed(), key);
	expect(places.profileOf(key)).toEqual({ model: "file" });
	await expect(places.remove(unkeyed(), key)).rejects.toMatchObject({
		code: "not_found",
		message: expect.stringContaining("come from the configuration"),
	});
	const rows = await t.store.read((db) => db.selectFrom("audit").select(["action", "object"]).execute());
	expect(rows.map(({ action, object }) => `${action} ${object}`)).toEqual([
		`place.set ${key}`,
		"place.set discord:guild",
		`place.remove ${key}`,
	]);
});

test("settings are kept after a restart", async () => {
	const first = await open();
	await first.runtime.trust.places.set(unkeyed(), key, { budget: 5 });
	await first.stop();
	await using second = await open({}, first.directory);
	await second.runtime.start();
	expect(second.runtime.trust.places.profileOf(key)).toEqual({ budget: 5 });
});

test.each([
	[{ tools: ["read_fil"] }, 'there is no tool "read_fil": did you mean read_file?'],
	[{ tools: ["teleport"] }, 'there is no tool "teleport": available: '],
	[{ agent: "nobody" }, "agent not found: nobody; available: default"],
	[
		{ approvers: ["discord:other:ada"] },
		"does not belong to this guild or team: an id has the form discord:guild:USER",
	],
	[{ approvers: ["discord:guild:ada:eve"] }, "does not belong to this guild or team"],
	[{ approveIn: ["slack:T"] }, '"slack:T" is not allowed in approveIn: use the id of another channel'],
	[{ approveIn: [key] }, "is not allowed in approveIn: use the id of another channel"],
	[{ root: "work" }, "is not an absolute path"],
	[{ root: "/nowhere/at/all" }, "does not exist"],
	[{ root: "/etc/hosts" }, "is not a directory"],
])("the settings %j are refused with valid ones", async (profile, words) => {
	await using t = await open();
	const { places } = t.runtime.trust;
	await expect(places.set(unkeyed(), key, profile)).rejects.toMatchObject({
		code: "invalid_argument",
		message: expect.stringMatching(new RegExp(`^settings of ${key}: .*${RegExp.escape(words)}`)),
	});
	expect(await places.list(operator)).toEqual([]);
	await using wrong = await open({ [key]: profile });
	await expect(wrong.runtime.start()).rejects.toThrow(words);
});

test.each(["general", "discord", "discord:", ":guild:general", "a:b:c:d", "discord:gu ild:c"])(
	"%j is not a channel",
	async (name) => {
		await using t = await open();
		await expect(t.runtime.trust.places.set(unkeyed(), name, {})).rejects.toThrow("PLATFORM:TENANT:CHANNEL");
	},
);

test("no root is in the data directory, by any path, and links are resolved once", async () => {
	await using t = await open();
	const { places } = t.runtime.trust;
	const data = join(t.directory, "data");
	const link = join(t.directory, "link");
	await mkdir(join(data, "workspaces"));
	await symlink(data, link);
	for (const root of [
		data,
		join(data, "workspaces"),
		link,
		join(link, "workspaces"),
		`${t.directory}/work/../data`,
	]) {
		await expect(places.set(unkeyed(), key, { root })).rejects.toThrow("is in the data directory");
	}
	for (const root of ["/", t.directory, `${t.directory}/work/..`]) {
		await expect(places.set(unkeyed(), key, { root })).rejects.toThrow(
			`contains the data directory ${data}, which has the`,
		);
	}
	const work = join(t.directory, "work");
	await symlink(work, join(t.directory, "fine"));
	await places.set(unkeyed(), key, { root: join(t.directory, "fine") });
	expect(places.profileOf(key)).toEqual({ root: work });
});

test("an unknown model is refused with a similar one, and does not prevent the start of a gateway", async () => {
	const known = { id: "scripted-2", provider: "scripted", contextWindow: 1, maxOutput: 1 };
	const table = new ModelTable([{ ...known, reasoning: "none", sampling: true, images: false }]);
	await using t = await TestRuntime.open({ model: new ScriptedModel(), table });
	const { places } = t.runtime.trust;
	await expect(places.set(unkeyed(), key, { model: "scriptd-2" })).rejects.toMatchObject({
		code: "invalid_argument",
		message: `settings of ${key}: model: there is no model "scriptd-2"; did you mean scripted-2?`,
	});
	await expect(places.set(unkeyed(), key, { model: "gpt-5" })).rejects.toThrow(
		'there is no model "gpt-5"; available: scripted-2',
	);
	expect(places.profileOf(key)).toEqual({});
	await places.set(unkeyed(), key, { model: "scripted-2" });
	expect(places.profileOf(key)).toEqual({ model: "scripted-2" });
	await using configured = await open({ [key]: { model: "gpt-5" } });
	await expect(configured.runtime.start()).resolves.toBe(0);
});

test("only the operator changes channel settings", async () => {
	await using t = await open();
	const { places } = t.runtime.trust;
	const owner = testConnector("owner");
	await expect(places.list(owner)).rejects.toMatchObject({ code: "permission_denied" });
	await expect(places.set(unkeyed(owner), key, {})).rejects.toMatchObject({ code: "permission_denied" });
	await expect(places.remove(unkeyed(owner), key)).rejects.toMatchObject({ code: "permission_denied" });
});

test("a channel can name other channels that answer its approvals, if these have settings", async () => {
	const other = "slack:team:desk";
	await using t = await open();
	const { places } = t.runtime.trust;
	await expect(places.set(unkeyed(), "discord:guild", { approveIn: [other] })).rejects.toMatchObject({
		code: "invalid_argument",
		message: expect.stringContaining("only in the settings of a single channel"),
	});
	await expect(places.set(unkeyed(), key, { approveIn: [other] })).rejects.toMatchObject({
		code: "invalid_argument",
		message: expect.stringContaining(`parley channels set ${other} --mention required`),
	});
	await places.set(unkeyed(), other, { mention: "required" });
	await places.set(unkeyed(), key, { approveIn: [other] });
	expect(places.approveIn(key)).toEqual([other]);
	expect(places.answeredIn(other)).toEqual([key]);
	expect([...places.approveIn(other), ...places.answeredIn(key), ...places.approveIn(undefined)]).toEqual([]);
	await places.remove(unkeyed(), other);
	expect([...places.approveIn(key), ...places.answeredIn(other)]).toEqual([]);
});

test("a gateway starts although its configuration does not confirm which channels answer for others", async () => {
	await using t = await open({ [key]: { approveIn: ["slack:team:desk"] } });
	await t.runtime.start();
	expect(t.runtime.trust.places.approveIn(key)).toEqual([]);
});

test("a welcome for people with access names the approvers of the channel, or by default the approvers of the guild", async () => {
	const welcome = { posts: true, prompts: ["Say hi"] };
	const rule = { platform: "discord", user: "eve", as: "owner" } as const;
	const ruled = [
		{ platform: "discord", platformRole: "77", tenant: "guild", as: "approver" },
		{ platform: "discord", platformRole: "76", as: "approver" },
		{ platform: "discord", platformRole: "78", tenant: "guild", as: "member" },
		{ platform: "discord", platformRole: "79", tenant: "other", as: "owner" },
		{ platform: "discord", platformRole: "80", tenant: "guild", channel: "elsewhere", as: "owner" },
	] as const;
	await using t = await TestRuntime.open({
		model: new ScriptedModel(),
		chat: {
			...noChat,
			tenants: { discord: ["guild"] },
			welcome,
			allow: [
				rule,
				{ ...rule, user: "max", as: "member" },
				{ ...rule, user: "zoe", tenant: "other" },
				...ruled,
			],
			deny: [{ user: "bob" }],
			places: { "discord:guild:own": { approvers: ["discord:guild:ada", "discord:other:eve"] } },
		},
	});
	const { places, people } = t.runtime.trust;
	for (const [user, role] of [
		["ada", "approver"],
		["bob", "approver"],
		["cid", "member"],
		["dee", "owner"],
	] as const) {
		await people.setRole(unkeyed(), `discord:guild:${user}`, role);
	}
	const welcomed = (channel: string, role: "member" | "stranger") => {
		const place = { platform: "discord", tenant: "guild", channel, shared: false };
		return places.welcomeFor({ id: "discord:guild:cid", name: "", role, place });
	};
	expect(await welcomed("general", "member")).toEqual({
		...welcome,
		approvers: ["discord:guild:eve", "discord:guild:ada", "discord:guild:dee"],
		approverRoles: ["77"],
	});
	expect(await welcomed("own", "member")).toMatchObject({
		approvers: ["discord:guild:ada"],
		approverRoles: [],
	});
	expect(await welcomed("general", "stranger")).toEqual({ ...welcome, approvers: [], approverRoles: [] });
});

test("notices come from the settings of the channel, else of its guild, for reachable people and channels", async () => {
	const times = { remindMs: 1, escalateMs: 2 };
	const by = ["channel", "mention"] as const;
	const notices = {
		[key]: { groups: [{ people: ["discord:guild:abe"], by }, { by: ["direct"] as const }], ...times },
		"discord:guild": { groups: [{ by }], ...times },
	};
	const approvers = ["discord:guild:eve"];
	await using t = await TestRuntime.open({
		model: new ScriptedModel(),
		chat: { ...noChat, tenants: { discord: ["guild"] }, places: { [key]: { approvers } }, notices },
	});
	const { places, people } = t.runtime.trust;
	const desk = "discord:guild:desk";
	expect(await places.noticesOf(key, [desk, "slack:team:desk"])).toEqual({
		groups: [
			{ people: ["discord:guild:abe"], by, channels: [desk] },
			{ people: approvers, by: ["direct"] },
		],
		...times,
	});
	const [group] = (await places.noticesOf("discord:guild:other", []))?.groups ?? [];
	expect(group).toEqual({ people: [], by, channels: [] });
	await people.setRole(unkeyed(), "discord:guild:ida", "approver");
	await people.setRole(unkeyed(), "discord:guild:max", "member");
	const [known] = (await places.noticesOf("discord:guild:other", []))?.groups ?? [];
	expect(known).toEqual({ people: ["discord:guild:ida"], by, channels: [] });
	expect(await places.noticesOf("slack:team:general", [])).toBeUndefined();
	expect(await places.noticesOf(undefined, [])).toBeUndefined();
});

test("a group without people of its own includes the roles that let people approve, which mentions reach", async () => {
	const rule = { platform: "discord", tenant: "guild", platformRole: "77", as: "approver" } as const;
	const times = { remindMs: 1, escalateMs: 2 };
	const groups = [{ by: ["direct", "mention"] as const }, { by: ["direct"] as const }];
	await using t = await TestRuntime.open({
		model: new ScriptedModel(),
		chat: {
			...noChat,
			tenants: { discord: ["guild"] },
			allow: [rule],
			notices: { "discord:guild": { groups, ...times } },
		},
	});
	const reached = { people: [], by: ["direct", "mention"], roles: ["77"] };
	expect(await t.runtime.trust.places.noticesOf(key, [])).toEqual({ groups: [reached], ...times });
});
