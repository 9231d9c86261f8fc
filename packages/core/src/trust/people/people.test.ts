import { expect, test } from "vitest";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { TestRuntime, unkeyed } from "../../testing/test-runtime.ts";
import type { ChatSettings } from "../../vocabulary/chat-settings.ts";
import { noChat } from "../../vocabulary/chat-settings.ts";
import type { Actor, Place, Principal } from "../../vocabulary/principal.ts";

const hourMs = 60 * 60 * 1000;

interface Fields extends Partial<Omit<Actor, "id">>, Partial<Omit<Place, "platform">> {
	readonly method?: string;
	readonly connector?: Principal;
}

const discord: Principal = { id: "connector:discord", kind: "connector", platform: "discord" };

class Guild implements AsyncDisposable {
	readonly t: TestRuntime;
	readonly model: ScriptedModel;

	private constructor(t: TestRuntime, model: ScriptedModel) {
		this.t = t;
		this.model = model;
	}

	static async open(chat: Partial<ChatSettings> = {}): Promise<Guild> {
		const model = new ScriptedModel();
		const settings = { ...noChat, tenants: { discord: ["guild"] }, ...chat };
		return new Guild(await TestRuntime.open({ model, chat: settings }), model);
	}

	get people() {
		return this.t.runtime.trust.people;
	}

	as(user: string, fields: Fields = {}): Promise<Principal> {
		const { tenant = "guild", channel = "general", shared = false, connector = discord } = fields;
		const actor = {
			id: user,
			name: fields.name ?? user,
			roles: fields.roles ?? [],
			guest: fields.guest ?? false,
		};
		const place = { tenant, channel, shared };
		return this.people.identify(connector, { actor, place }, fields.method ?? "send_message");
	}

	async role(user: string, fields: Fields = {}): Promise<string | undefined> {
		return (await this.as(user, fields)).person?.role;
	}

	async pair(user: string, code?: string, fields: Fields = {}) {
		return this.people.pair(unkeyed(await this.as(user, { method: "pair", ...fields })), code);
	}

	async ask(user: string, fields: Fields = {}): Promise<string> {
		const paired = await this.pair(user, undefined, fields);
		if (paired.status !== "requested") throw new Error(`${user} is in already`);
		return paired.code;
	}

	async audit(): Promise<string[]> {
		await this.t.settle();
		const rows = await this.t.store.read((db) => db.selectFrom("audit").selectAll().orderBy("seq").execute());
		return rows.map((row) => `${row.principal} ${row.action} ${row.object} ${row.decision}`);
	}

	[Symbol.asyncDispose](): Promise<void> {
		return this.t[Symbol.asyncDispose]();
	}
}

test("a connector acts for a person of its own platform, in the guild of the person", async () => {
	await using guild = await Guild.open();
	expect(await guild.as("ada", { name: " Ada\u{202e} ", channel: "dev" })).toEqual({
		...discord,
		person: {
			id: "discord:guild:ada",
			name: "Ada\\u{202e}",
			role: "stranger",
			place: { platform: "discord", tenant: "guild", channel: "dev", shared: false },
			platformRoles: [],
		},
	});
});

test("the role of a person is the current one", async () => {
	await using guild = await Guild.open();
	const id = "discord:guild:ada";
	await guild.people.setRole(unkeyed(), id, "owner");
	expect(await guild.role("ada")).toBe("owner");
	await guild.people.setRole(unkeyed(), id, "guest");
	expect(await guild.role("ada")).toBe("guest");
	await guild.people.remove(unkeyed(), id);
	expect(await guild.role("ada")).toBe("stranger");
	await expect(guild.people.remove(unkeyed(), id)).rejects.toMatchObject({ code: "not_found" });
	expect(await guild.audit()).toEqual([
		`operator person.role ${id} allowed`,
		`operator person.role ${id} allowed`,
		`operator person.remove ${id} allowed`,
	]);
});

test("a role in one guild, or on one platform, has no effect in another", async () => {
	await using guild = await Guild.open({ tenants: { discord: ["guild", "other"], slack: ["guild"] } });
	await guild.people.setRole(unkeyed(), "discord:guild:ada", "owner");
	expect(await guild.role("ada", { tenant: "other" })).toBe("stranger");
	const slack: Principal = { id: "connector:slack", kind: "connector", platform: "slack" };
	expect(await guild.role("ada", { connector: slack })).toBe("stranger");
	expect(await guild.role("ada")).toBe("owner");
});

test("an unknown guild is refused with the ways to get access, and audited", async () => {
	await using guild = await Guild.open();
	for (const connector of [
		discord,
		{ ...discord, platform: "slack" },
		{ ...discord, platform: "constructor" },
	]) {
		const tenant = connector === discord ? "elsewhere" : "guild";
		await expect(guild.as("ada", { tenant, connector })).rejects.toMatchObject({
			code: "permission_denied",
			message: expect.stringMatching(/parley people pair --role owner.*chat\.tenants\./),
		});
	}
	expect(await guild.role("ada", { tenant: "elsewhere", method: "whoami" })).toBe("stranger");
	await expect(guild.ask("ada", { tenant: "elsewhere" })).rejects.toMatchObject({
		code: "permission_denied",
	});
	expect(await guild.audit()).toEqual([
		"discord:elsewhere:ada person.identify send_message denied",
		"slack:guild:ada person.identify send_message denied",
		"constructor:guild:ada person.identify send_message denied",
		"discord:elsewhere:ada person.pair discord:elsewhere:ada denied",
	]);
});

test("configured rules admit and refuse people without a request", async () => {
	await using guild = await Guild.open({
		allow: [{ platform: "discord", platformRole: "7", as: "approver" }],
		deny: [{ user: "mallory" }],
	});
	expect(await guild.role("bob", { roles: ["7"] })).toBe("approver");
	expect(await guild.role("bob")).toBe("stranger");
	await guild.people.setRole(unkeyed(), "discord:guild:mallory", "owner");
	expect(await guild.role("mallory", { roles: ["7"] })).toBe("stranger");
	await expect(guild.pair("mallory")).rejects.toThrow(
		"the operator blocks discord:guild:mallory (chat.people.deny)",
	);
});

test("the first owner is admitted with a code of the operator, and the guild with them", async () => {
	await using guild = await Guild.open({ tenants: {} });
	const { code, expiresAt } = await guild.people.invite(unkeyed(), { role: "owner" });
	expect(code).toMatch(/^[2-9A-HJ-NP-Z]{8}$/);
	expect(expiresAt - guild.t.clock.now()).toBe(hourMs);
	const typed = `${code.slice(0, 4)}-${code.slice(4)} `.toLowerCase();
	expect(await guild.pair("ada", typed)).toEqual({
		status: "paired",
		person: "discord:guild:ada",
		role: "owner",
	});
	expect(await guild.role("ada")).toBe("owner");
	expect(await guild.role("bob")).toBe("stranger");
	await expect(guild.pair("bob", code)).rejects.toThrow(
		"this code was already used or withdrawn: ask the operator",
	);
	const { people, waiting } = await guild.people.list({ id: "operator", kind: "operator" });
	expect(people).toMatchObject([
		{ id: "discord:guild:ada", role: "owner", addedBy: expect.stringMatching(/^inv/) },
	]);
	expect(waiting).toEqual([]);
	const pairing = expect.stringMatching(/^operator person.invite pairing_\w+ allowed$/);
	expect(await guild.audit()).toEqual([
		pairing,
		"discord:guild:ada person.pair discord:guild:ada allowed",
		"discord:guild:bob person.pair discord:guild:bob denied",
	]);
});

test("a guild is admitted only with its owner, and any other code stays unused in the guild", async () => {
	await using guild = await Guild.open({ tenants: { discord: ["other"] } });
	const { code } = await guild.people.invite(unkeyed(), { role: "approver" });
	await expect(guild.pair("ada", code)).rejects.toThrow("no owner has paired here yet (discord:guild): ask");
	await expect(guild.pair("ada", code, { tenant: "other" })).resolves.toMatchObject({ role: "approver" });
});

test.each([
	[{ platform: "slack" }, false],
	[{ platform: "discord" }, true],
	[{ platform: "discord", tenant: "other" }, false],
	[{ platform: "discord", tenant: "guild" }, true],
])("an invitation to %j is valid in discord:guild: %s", async (bound, counts) => {
	await using guild = await Guild.open();
	const { code } = await guild.people.invite(unkeyed(), { role: "member", ...bound });
	const paired = guild.pair("ada", code).then(
		() => true,
		() => false,
	);
	expect(await paired).toBe(counts);
});

test("an invitation takes no rights from an admitted person, and a tenant needs its platform", async () => {
	await using guild = await Guild.open();
	await guild.people.setRole(unkeyed(), "discord:guild:ada", "owner");
	const { code } = await guild.people.invite(unkeyed(), { role: "guest" });
	await expect(guild.pair("ada", code)).resolves.toMatchObject({ status: "paired", role: "owner" });
	await expect(guild.people.invite(unkeyed(), { role: "guest", tenant: "guild" })).rejects.toMatchObject({
		code: "invalid_argument",
	});
});

test("a code is valid for an hour", async () => {
	await using guild = await Guild.open();
	const { code } = await guild.people.invite(unkeyed(), { role: "member" });
	const pairingCode = await guild.ask("bob");
	guild.t.clock.advance(hourMs);
	await expect(guild.pair("ada", code)).rejects.toMatchObject({ code: "permission_denied" });
	await expect(guild.people.approve(unkeyed(), pairingCode, "member")).rejects.toMatchObject({
		code: "not_found",
	});
	expect(await guild.ask("bob")).not.toBe(pairingCode);
	guild.t.clock.advance(8 * 24 * hourMs);
	await guild.ask("bob");
	const stored = await guild.t.store.read((db) => db.selectFrom("pairings").selectAll().execute());
	expect(stored).toHaveLength(1);
});

test("a refused code has a reason and the next step, and is never quoted", async () => {
	await using guild = await Guild.open({ tenants: { discord: ["guild", "other"] } });
	const invite = async (more: { tenant?: string } = {}): Promise<string> =>
		(await guild.people.invite(unkeyed(), { role: "member", platform: "discord", ...more })).code;
	const [old, used, withdrawn] = [await invite(), await invite(), await invite()];
	const foreign = await invite({ tenant: "other" });
	await guild.people.withdraw(unkeyed(), withdrawn);
	await guild.pair("bob", used);
	const [own, others] = [await guild.ask("ada"), await guild.ask("eve")];
	const another = "ask the operator for another code (parley people pair)";
	const reasons: [string, string][] = [
		[
			"CODE",
			`this is not a pairing code: a code has 8 letters and digits, without I, O, 0 and 1. Check the code, or ${another}`,
		],
		["AAAA-AAAA", `this code is wrong: no invitation has it. Check the code, or ${another}`],
		[others, `this code is wrong: no invitation has it. Check the code, or ${another}`],
		[
			own,
			"this code belongs to your own access request: send it to the operator, who approves it with parley people approve",
		],
		[foreign, `this code is for another server, workspace or platform: use it there, or ${another}`],
		[used, `this code was already used or withdrawn: ${another}`],
		[withdrawn, `this code was already used or withdrawn: ${another}`],
	];
	for (const [code, message] of reasons) {
		guild.t.clock.advance(15_000);
		await expect(guild.pair("ada", code)).rejects.toMatchObject({ code: "permission_denied", message });
	}
	guild.t.clock.advance(hourMs);
	await invite();
	await expect(guild.pair("ada", old)).rejects.toThrow(
		`this code has expired, because a code is valid for an hour: ${another}`,
	);
	expect(await guild.role("ada")).toBe("stranger");
});

test("an access request gets a code that only the operator can approve", async () => {
	await using guild = await Guild.open();
	const code = await guild.ask("ada", { name: "Ada" });
	const { waiting } = await guild.people.list({ id: "operator", kind: "operator" });
	expect(waiting).toMatchObject([{ kind: "request", person: "discord:guild:ada", name: "Ada" }]);
	await guild.people.setRole(unkeyed(), "discord:guild:olga", "owner");
	await expect(guild.people.approve(unkeyed(await guild.as("olga")), code, "owner")).rejects.toMatchObject({
		code: "permission_denied",
	});
	await expect(guild.pair("ada", code)).rejects.toMatchObject({ code: "permission_denied" });
	await expect(guild.people.approve(unkeyed(), "WRONGONE", "member")).rejects.toMatchObject({
		code: "not_found",
	});
	await expect(guild.people.approve(unkeyed(), code, "member")).resolves.toEqual({
		id: "discord:guild:ada",
		name: "Ada",
		role: "member",
		addedBy: "operator",
		createdAt: guild.t.clock.now(),
	});
	await expect(guild.people.approve(unkeyed(), code, "owner")).rejects.toMatchObject({ code: "not_found" });
	expect(await guild.role("ada")).toBe("member");
	await expect(guild.pair("ada")).resolves.toEqual({
		status: "paired",
		person: "discord:guild:ada",
		role: "member",
	});
});

test("a repeated access request has the same code", async () => {
	await using guild = await Guild.open();
	const code = await guild.ask("ada");
	guild.t.clock.advance(hourMs / 2);
	expect(await guild.ask("ada", { channel: "elsewhere" })).toBe(code);
	const { waiting } = await guild.people.list({ id: "operator", kind: "operator" });
	expect(waiting).toHaveLength(1);
});

test("a guild has at most three pending requests of a thousand strangers, and no model is called for them", async () => {
	await using guild = await Guild.open({ tenants: { discord: ["guild", "other"] } });
	const asking = Array.from({ length: 1_000 }, (_, n) =>
		guild.pair(`user${n}`).then(
			() => true,
			() => false,
		),
	);
	expect((await Promise.all(asking)).filter(Boolean)).toHaveLength(3);
	await expect(guild.pair("one more")).rejects.toMatchObject({
		code: "resource_exhausted",
		message: expect.stringContaining("3 access requests are already open here"),
	});
	await expect(guild.ask("ada", { tenant: "other" })).resolves.toMatch(/^.{8}$/);
	const strangers = await Promise.all(Array.from({ length: 50 }, (_, n) => guild.as(`user${n}`)));
	for (const principal of strangers) {
		await expect(guild.t.runtime.create(unkeyed(principal), {})).rejects.toMatchObject({
			code: "permission_denied",
			message: expect.stringContaining("request a code with pair"),
		});
	}
	expect(guild.model.requests).toEqual([]);
	const { waiting } = await guild.people.list({ id: "operator", kind: "operator" });
	expect(waiting).toHaveLength(4);
});

test("a code is used once, even by simultaneous attempts", async () => {
	await using guild = await Guild.open();
	const { code } = await guild.people.invite(unkeyed(), { role: "approver" });
	const redeeming = Array.from({ length: 100 }, (_, n) => guild.pair(`user${n}`, code));
	const redeemed = await Promise.allSettled(redeeming);
	expect(redeemed.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
	const pairingCode = await guild.ask("wanda");
	const approving = Array.from({ length: 100 }, () => guild.people.approve(unkeyed(), pairingCode, "member"));
	const approved = await Promise.allSettled(approving);
	expect(approved.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
	const { people } = await guild.people.list({ id: "operator", kind: "operator" });
	expect(people.map(({ role }) => role)).toEqual(["approver", "member"]);
});

test("a person can try five codes a minute, including the correct one", async () => {
	await using guild = await Guild.open();
	const { code } = await guild.people.invite(unkeyed(), { role: "member" });
	const guesses = await Promise.allSettled(
		Array.from({ length: 8 }, (_, n) => guild.pair("eve", `GUESS${n}`)),
	);
	const codes = guesses.map((guess) => guess.status === "rejected" && guess.reason.code);
	expect(codes.filter((one) => one === "permission_denied")).toHaveLength(5);
	expect(codes.filter((one) => one === "resource_exhausted")).toHaveLength(3);
	await expect(guild.pair("eve", code)).rejects.toThrow("wait a minute");
	await expect(guild.pair("ada", code)).resolves.toMatchObject({ status: "paired" });
	guild.t.clock.advance(60_000);
	await expect(guild.pair("eve", "GUESS9")).rejects.toMatchObject({ code: "permission_denied" });
});

test("codes are not stored, neither with the request nor with its key", async () => {
	await using guild = await Guild.open();
	const principal = await guild.as("ada", { method: "pair" });
	const request = { principal, key: "k1", method: "pair", params: {} };
	const first = await guild.people.pair(request, undefined);
	expect(await guild.people.pair(request, undefined)).toEqual(first);
	const invitation = { ...unkeyed(), key: "k2" };
	const invited = await guild.people.invite(invitation, { role: "owner" });
	expect(await guild.people.invite(invitation, { role: "owner" })).toEqual(invited);
	const stored = await guild.t.store.read(async (db) => [
		...(await db.selectFrom("pairings").selectAll().execute()),
		...(await db.selectFrom("keys").selectAll().execute()),
		...(await db.selectFrom("audit").selectAll().execute()),
	]);
	const code = first.status === "requested" ? first.code : "";
	expect(code).toHaveLength(8);
	for (const secret of [code, invited.code]) expect(JSON.stringify(stored)).not.toContain(secret);
});

test("the operator cancels an invitation or refuses a request, by the code or by the listed id", async () => {
	await using g = await Guild.open();
	const operator = unkeyed();
	const { code } = await g.people.invite(operator, { role: "member", platform: "discord", tenant: "guild" });
	const pairingCode = await g.ask("eve", { name: "Eve" });
	const { waiting } = await g.people.list(operator.principal);
	expect(waiting).toEqual([
		{
			id: expect.stringMatching(/^pairing_/),
			kind: "invitation",
			role: "member",
			platform: "discord",
			tenant: "guild",
			createdAt: g.t.clock.now(),
			expiresAt: g.t.clock.now() + hourMs,
		},
		expect.objectContaining({ kind: "request", person: "discord:guild:eve", name: "Eve", tenant: "guild" }),
	]);
	expect(JSON.stringify(waiting)).not.toContain(pairingCode);
	const request = waiting.find(({ kind }) => kind === "request");
	expect(await g.people.withdraw(operator, code.toLowerCase())).toEqual(waiting[0]);
	expect(await g.people.withdraw(operator, request?.id ?? "")).toEqual(request);
	await expect(g.people.withdraw(operator, code)).rejects.toMatchObject({
		code: "not_found",
		message: expect.stringContaining("parley people list"),
	});
	await expect(g.pair("bob", code)).rejects.toThrow("already used or withdrawn");
	await expect(g.people.approve(operator, pairingCode, "member")).rejects.toThrow(
		"no open access request has the code",
	);
	expect(await g.role("eve")).toBe("stranger");
	expect((await g.people.list(operator.principal)).waiting).toEqual([]);
	expect(await g.ask("eve")).not.toBe(pairingCode);
	const lines = (await g.audit()).filter((line) => line.includes("person.withdraw"));
	expect(lines).toHaveLength(2);
	expect(lines[1]).toContain("discord:guild:eve");
});

test("a used or expired code cannot be withdrawn", async () => {
	await using g = await Guild.open();
	const { code } = await g.people.invite(unkeyed(), { role: "member" });
	await g.pair("ada", code);
	await expect(g.people.withdraw(unkeyed(), code)).rejects.toMatchObject({ code: "not_found" });
	const other = await g.people.invite(unkeyed(), { role: "member" });
	g.t.clock.advance(hourMs);
	await expect(g.people.withdraw(unkeyed(), other.code)).rejects.toMatchObject({ code: "not_found" });
});

test("only the operator manages people", async () => {
	await using guild = await Guild.open();
	await guild.people.setRole(unkeyed(), "discord:guild:olga", "owner");
	const principals: Principal[] = [
		await guild.as("olga"),
		{ id: "observer:1", kind: "observer", sessions: "all" },
		{ id: "agent", kind: "agent" },
	];
	for (const principal of principals) {
		const asking = [
			() => guild.people.list(principal),
			async () => guild.people.invite(unkeyed(principal), { role: "guest" }),
			async () => guild.people.approve(unkeyed(principal), "CODE", "guest"),
			async () => guild.people.withdraw(unkeyed(principal), "CODE"),
			async () => guild.people.setRole(unkeyed(principal), "discord:guild:olga", "guest"),
			async () => guild.people.remove(unkeyed(principal), "discord:guild:olga"),
		];
		for (const ask of asking) await expect(ask()).rejects.toMatchObject({ code: "permission_denied" });
	}
	await expect(guild.people.pair(unkeyed(), undefined)).rejects.toMatchObject({ code: "permission_denied" });
	await expect(guild.people.setRole(unkeyed(), "discord:elsewhere:ada", "guest")).rejects.toMatchObject({
		code: "permission_denied",
	});
});

async function bound({ t }: Guild, name: string, tenants?: readonly string[]): Promise<Principal> {
	const newToken = { kind: "connector", name, platform: "discord", ...(tenants && { tenants }) } as const;
	const principal = t.runtime.trust.tokens.verify(
		(await t.runtime.trust.tokens.create(unkeyed(), newToken)).text,
	);
	if (!principal) throw new Error("the token does not work");
	return principal;
}

test("a token represents only its own guilds, and one without guilds represents all of the platform", async () => {
	await using guild = await Guild.open();
	const red = await bound(guild, "red", ["red"]);
	const blue = await bound(guild, "blue", ["blue"]);
	const all = await bound(guild, "all");
	await guild.people.setRole(unkeyed(), "discord:red:ada", "owner");
	expect(await guild.role("ada", { connector: red, tenant: "red" })).toBe("owner");
	for (const tenant of ["red", "blue", "guild"]) {
		await expect(guild.role("eve", { connector: all, tenant })).resolves.toBe("stranger");
	}
	const refused = {
		code: "permission_denied",
		message: expect.stringContaining("connector is not valid for this server or workspace (red)"),
	};
	const there = { connector: blue, tenant: "red" };
	await expect(guild.as("ada", there)).rejects.toMatchObject(refused);
	await expect(guild.as("ada", { connector: red, tenant: "guild" })).rejects.toThrow(
		/token create connector NAME --platform discord --tenant guild/,
	);
	expect(await guild.role("ada", { ...there, method: "whoami" })).toBe("stranger");
	await expect(guild.pair("ada", undefined, there)).rejects.toMatchObject(refused);
	const { code } = await guild.people.invite(unkeyed(), { role: "member" });
	await expect(guild.pair("bob", code, there)).rejects.toMatchObject(refused);
	expect(await guild.pair("bob", code, { connector: red, tenant: "red" })).toMatchObject({
		status: "paired",
	});
});

test("after an owner pairs, only the token of that pairing and its replacement act for the guild", async () => {
	await using guild = await Guild.open();
	const { tokens } = guild.t.runtime.trust;
	const red = await bound(guild, "red", ["red"]);
	const blue = await bound(guild, "blue", ["blue"]);
	const { code } = await guild.people.invite(unkeyed(), { role: "owner" });
	await guild.pair("ada", code, { connector: red, tenant: "green" });
	expect(await guild.role("ada", { connector: red, tenant: "green" })).toBe("owner");
	await expect(guild.as("ada", { connector: blue, tenant: "green" })).rejects.toThrow(
		"connector is not valid for this server or workspace (green)",
	);
	const { text, facts } = await tokens.rotate(unkeyed(), "red", 0);
	expect(facts.tenants).toEqual(["red", "green"]);
	const next = tokens.verify(text);
	expect(next && (await guild.role("ada", { connector: next, tenant: "green" }))).toBe("owner");
	await expect(guild.as("ada", { ...(next && { connector: next }), tenant: "blue" })).rejects.toThrow(
		"connector is not valid for this server or workspace (blue)",
	);
});

test("the rights of a person never exceed those at the time of the message, and a removed person loses all rights", async () => {
	await using guild = await Guild.open({ allow: [{ platformRole: "7", as: "member" }] });
	const { people, t } = guild;
	const now = (principal: Principal) =>
		t.store.read(async (db) => principal.person && people.roleNow(db, principal.person));
	const id = "discord:guild:ada";
	await people.setRole(unkeyed(), id, "approver");
	const wrote = await guild.as("ada");
	const byRule = await guild.as("bob", { roles: ["7"] });
	expect([await now(wrote), await now(byRule)]).toEqual(["approver", "member"]);
	await people.setRole(unkeyed(), id, "owner");
	expect(await now(wrote)).toBe("approver");
	await people.setRole(unkeyed(), id, "guest");
	expect(await now(wrote)).toBe("guest");
	await people.remove(unkeyed(), id);
	expect([await now(wrote), await now(byRule)]).toEqual(["stranger", "member"]);
});
