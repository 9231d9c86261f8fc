import { mkdtemp, readFile, realpath, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { EventLog } from "../testing/event-log.ts";
import { calls, ScriptedModel, says } from "../testing/scripted-model.ts";
import { TestRuntime, unkeyed } from "../testing/test-runtime.ts";
import type { PersonReport } from "../trust/people/person-checks.ts";
import { noChat, type PlaceProfile } from "../vocabulary/chat-settings.ts";
import { operator, type Principal, type Role } from "../vocabulary/principal.ts";

const place = { platform: "discord", tenant: "guild", channel: "general", shared: false };

function acting(user: string, role: Role, platformRoles?: readonly string[]): Principal {
	const person = {
		id: `discord:guild:${user}`,
		name: user,
		role,
		place,
		...(platformRoles && { platformRoles }),
	};
	return { id: "connector:discord", kind: "connector", platform: "discord", person };
}

const mia = acting("mia", "member");
const alex = acting("alex", "approver");
const olga = acting("olga", "owner");
const otto = acting("otto", "approver");

const rules = [
	{ effect: "ask", when: { path: "prod/**" }, approvals: 2, reason: "two people for prod" },
	{ effect: "ask", when: { path: "launch/**" }, approvals: 3, reason: "three people for launches" },
	{ effect: "deny", when: { path: "locked/**" }, reason: "locked" },
];

interface Asking {
	readonly path?: string;
	readonly by?: Principal;
	readonly profile?: PlaceProfile;
	readonly directory?: string;
	/** Path of a second write, after the first. */
	readonly second?: string;
}

async function ask({ path = "prod/a.txt", by = mia, profile = {}, directory: earlier, second }: Asking = {}) {
	const directory = earlier ?? (await mkdtemp(join(await realpath(tmpdir()), "parley-votes-")));
	const file = join(directory, "policy.jsonc");
	await writeFile(file, JSON.stringify({ rules }));
	const further = second === undefined ? [] : [[calls("c2", "write_file", { path: second, content: "new" })]];
	const first = calls("c1", "write_file", { path, content: "new" });
	const model = new ScriptedModel([first], ...further, [says("done")]);
	const allow = [{ platformRole: "approvers", as: "approver" as const }];
	const chat = {
		...noChat,
		tenants: { discord: ["guild"] },
		allow,
		places: { "discord:guild:general": profile },
	};
	const t = await TestRuntime.open({ model, chat, directory, policy: { file }, clock: new ManualClock() });
	const session = await t.create(by);
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.runtime.send(unkeyed(by), session, { content: "go" });
	return {
		t,
		log,
		session,
		prompt: async () => (await log.next("prompt.requested")).prompt,
		async answer(token: string, principal: Principal, response: object = { value: "once" }): Promise<string> {
			return t.runtime.answer(unkeyed(principal), token, response).then(
				() => "",
				(reason: Error) => reason.message,
			);
		},
		async written(name = path): Promise<string> {
			const [row] = await t.store.read((db) => db.selectFrom("sessions").select("root_dir").execute());
			return readFile(join(row?.root_dir ?? "", name), "utf8").catch(() => "not written");
		},
		[Symbol.asyncDispose]: () => t[Symbol.asyncDispose](),
	};
}

test("a call that needs two approvals runs after the second person approved it", async () => {
	await using chat = await ask();
	const { token, approval } = await chat.prompt();
	expect(approval).toMatchObject({ approvals: 2, allowSession: false });
	expect(approval?.notes).toContain("writes a file; two people for prod");
	expect(await chat.answer(token, alex)).toBe("");
	expect(await chat.log.next("prompt.voted")).toEqual({
		type: "prompt.voted",
		token,
		by: "discord:guild:alex",
		approvals: 1,
		needed: 2,
	});
	await chat.t.settle();
	expect(await chat.written()).toBe("not written");
	expect(await chat.answer(token, olga)).toBe("");
	expect(await chat.log.next("prompt.answered")).toMatchObject({
		value: true,
		by: "discord:guild:olga",
		voters: ["discord:guild:alex"],
	});
	await chat.log.next("assistant.message");
	chat.log.check();
	expect(await chat.written()).toBe("new");
	const rows = await chat.t.store.read((db) =>
		db
			.selectFrom("audit")
			.select(["principal", "args"])
			.where("action", "=", "approval.decide")
			.orderBy("seq")
			.execute(),
	);
	expect(rows).toEqual([
		{ principal: "discord:guild:alex", args: '{"votes":{"approvals":1,"needed":2}}' },
		{ principal: "discord:guild:olga", args: null },
	]);
});

test("one person cannot approve twice, not even from another channel", async () => {
	await using chat = await ask();
	const { token } = await chat.prompt();
	expect(await chat.answer(token, alex)).toBe("");
	expect(await chat.answer(token, alex)).toContain("you have approved this call already");
	expect(await chat.answer(token, alex, { value: "session" })).toBe("");
	expect(await chat.log.next("prompt.answered")).toMatchObject({ cancelled: true, by: "discord:guild:alex" });
});

test("the requester cannot be one of the approvers, with any role", async () => {
	await using chat = await ask({ by: alex });
	const { token } = await chat.prompt();
	expect(await chat.answer(token, alex)).toContain("you requested this call and cannot approve it");
	expect(await chat.answer(token, otto)).toBe("");
	expect(await chat.answer(token, alex)).toContain("you requested this call and cannot approve it");
	expect(await chat.answer(token, operator)).toBe("");
	expect(await chat.log.next("prompt.answered")).toMatchObject({
		by: "operator",
		voters: ["discord:guild:otto"],
	});
});

test("the author of a message that was added to the run is a requester, too", async () => {
	await using chat = await ask({ second: "prod/b.txt" });
	const { token } = await chat.prompt();
	await chat.t.runtime.steer(unkeyed(otto), chat.session, { content: "and b.txt" });
	for (const approver of [alex, olga]) expect(await chat.answer(token, approver)).toBe("");
	const second = await chat.prompt();
	expect(await chat.answer(second.token, otto)).toContain("you requested this call and cannot approve it");
	for (const approver of [alex, olga]) expect(await chat.answer(second.token, approver)).toBe("");
	await chat.log.next("assistant.message");
	expect(await chat.written("prod/b.txt")).toBe("new");
});

test("a typed answer is not a vote", async () => {
	await using chat = await ask();
	const { token } = await chat.prompt();
	expect(await chat.answer(token, alex, { value: "once", typed: true })).toContain(
		"cannot be answered by typing",
	);
});

test("a member cannot vote, and one denial denies the call", async () => {
	await using chat = await ask();
	const { token } = await chat.prompt();
	expect(await chat.answer(token, acting("max", "member"))).toContain("only approvers of this channel");
	expect(await chat.answer(token, alex)).toBe("");
	expect(await chat.answer(token, olga, { cancelled: true, reason: "not on a Friday" })).toBe("");
	expect(await chat.log.next("prompt.answered")).toMatchObject({
		cancelled: true,
		reason: "not on a Friday",
	});
	await chat.log.next("assistant.message");
	expect(await chat.written()).toBe("not written");
});

const approving = acting("alex", "approver", ["approvers"]);
const present: PersonReport = { present: true, roles: ["approvers"], guest: false, shared: false };

const reports: readonly (readonly [says: string, report: PersonReport | undefined, result: string])[] = [
	["still has the role", present, "runs"],
	["lost the role", { ...present, roles: [] }, "waits"],
	["is a guest now", { ...present, guest: true }, "waits"],
	["left the server", { present: false, reason: "left" }, "waits"],
];

test.each(reports)(
	"at the deciding vote, the vote of an approver who %s has the effect that the platform state requires",
	async (_, report, result) => {
		await using chat = await ask();
		const { token } = await chat.prompt();
		const { checks } = chat.t.runtime.trust;
		checks.listen({ id: "connector:discord", kind: "connector", platform: "discord" }, ({ id, user }) => {
			expect(user).toBe("alex");
			if (report)
				checks.report({ id: "connector:discord", kind: "connector", platform: "discord" }, id, report);
		});
		expect(await chat.answer(token, approving)).toBe("");
		expect(await chat.answer(token, olga)).toBe("");
		if (result === "runs") {
			expect(await chat.log.next("prompt.answered")).toMatchObject({ voters: ["discord:guild:alex"] });
			return;
		}
		await chat.log.next("prompt.voted");
		expect(await chat.log.next("prompt.voted")).toMatchObject({
			by: "discord:guild:olga",
			approvals: 1,
			needed: 2,
		});
		expect(await chat.answer(token, otto)).toBe("");
		expect(await chat.log.next("prompt.answered")).toMatchObject({
			by: "discord:guild:otto",
			voters: ["discord:guild:olga"],
		});
	},
);

test("a vote waits for a connector that can read the role of an earlier voter", async () => {
	await using chat = await ask();
	const { token } = await chat.prompt();
	expect(await chat.answer(token, approving)).toBe("");
	expect(await chat.answer(token, olga)).toContain("the role of alex, who approved before, cannot be read");
	await chat.t.settle();
	expect(await chat.written()).toBe("not written");
});

test("an approver whom the channel no longer names cannot approve", async () => {
	const approvers = ["discord:guild:alex", "discord:guild:olga", "discord:guild:otto"];
	await using chat = await ask({ profile: { approvers } });
	const { token } = await chat.prompt();
	expect(await chat.answer(token, alex)).toBe("");
	const fewer = { approvers: approvers.slice(1) };
	await chat.t.runtime.trust.places.set(unkeyed(), "discord:guild:general", fewer);
	expect(await chat.answer(token, olga)).toBe("");
	await chat.log.next("prompt.voted");
	expect(await chat.log.next("prompt.voted")).toMatchObject({ by: "discord:guild:olga", approvals: 1 });
});

test("two people vote at the same time, and each vote counts once", async () => {
	await using chat = await ask();
	const { token } = await chat.prompt();
	const results = await Promise.all([
		chat.answer(token, alex),
		chat.answer(token, olga),
		chat.answer(token, alex),
	]);
	expect(results.filter((result) => result === "").length).toBeGreaterThanOrEqual(2);
	const answered = await chat.log.next("prompt.answered");
	expect(answered).toMatchObject({ value: true });
	await chat.log.next("assistant.message");
	chat.log.check();
	expect(await chat.written()).toBe("new");
});

test("an edit cancels earlier votes, and shows the changed call to the other approvers", async () => {
	await using chat = await ask();
	const { token } = await chat.prompt();
	expect(await chat.answer(token, alex)).toBe("");
	await chat.log.next("prompt.voted");
	const changed = { path: "prod/b.txt", content: "newer" };
	expect(await chat.answer(token, olga, { value: "once", arguments: changed })).toBe("");
	expect(await chat.log.next("prompt.voted")).toMatchObject({
		by: "discord:guild:olga",
		approvals: 1,
		needed: 2,
		changed: { token, label: "Allow write prod/b.txt?", approval: { arguments: changed, approvals: 2 } },
	});
	const [open] = await chat.t.runtime.prompts.list(alex, { limit: 5 });
	expect(open?.prompt.label).toBe("Allow write prod/b.txt?");
	expect(await chat.answer(token, olga)).toContain("you have approved this call already");
	expect(await chat.answer(token, alex)).toBe("");
	expect(await chat.log.next("prompt.answered")).toMatchObject({
		arguments: changed,
		voters: ["discord:guild:olga"],
	});
	await chat.log.next("assistant.message");
	expect(await chat.written()).toBe("not written");
	expect(await chat.written("prod/b.txt")).toBe("newer");
});

test("an approval of a call that an approver has changed since the person read it is refused, and a denial is not", async () => {
	await using chat = await ask();
	const { token } = await chat.prompt();
	const read = (changes: number) => ({ value: "once", changes });
	expect(
		await chat.answer(token, olga, { ...read(0), arguments: { path: "prod/b.txt", content: "b" } }),
	).toBe("");
	expect(await chat.log.next("prompt.voted")).toMatchObject({ changed: { approval: { changes: 1 } } });
	const refusal = "this call has changed since it was shown to you";
	expect(await chat.answer(token, alex, read(0))).toContain(refusal);
	expect(
		await chat.answer(token, alex, { ...read(0), arguments: { path: "prod/c.txt", content: "c" } }),
	).toContain(refusal);
	expect(
		await chat.answer(token, alex, { ...read(1), arguments: { path: "prod/d.txt", content: "d" } }),
	).toBe("");
	expect(await chat.log.next("prompt.voted")).toMatchObject({ changed: { approval: { changes: 2 } } });
	expect(await chat.answer(token, olga, read(1))).toContain(refusal);
	expect(await chat.answer(token, otto, { cancelled: true, changes: 0 })).toBe("");
	expect(await chat.log.next("prompt.answered")).toMatchObject({ cancelled: true, by: "discord:guild:otto" });
});

test("a repeated edit has its first result, although the call has changed by it", async () => {
	await using chat = await ask();
	const { token } = await chat.prompt();
	const edit = { value: "once", changes: 0, arguments: { path: "prod/b.txt", content: "b" } };
	const request = { ...unkeyed(olga), key: "edit", params: edit };
	expect(await chat.t.runtime.answer(request, token, edit)).toBe(true);
	expect(await chat.t.runtime.answer(request, token, edit)).toBe(true);
	expect(await chat.log.next("prompt.voted")).toMatchObject({ changed: { approval: { changes: 1 } } });
	expect(await chat.answer(token, alex, { value: "once", changes: 1 })).toBe("");
	expect(await chat.log.next("prompt.answered")).toMatchObject({ voters: ["discord:guild:olga"] });
});

test("an approval of the earlier arguments is refused after an edit made two approvals necessary", async () => {
	await using chat = await ask({ path: "docs/a.txt" });
	const { token } = await chat.prompt();
	const changed = { path: "prod/a.txt", content: "x" };
	expect(await chat.answer(token, alex, { value: "once", changes: 0, arguments: changed })).toBe("");
	expect(await chat.answer(token, olga, { value: "once", changes: 0 })).toContain("has changed");
	expect(await chat.answer(token, olga, { value: "once", changes: 1 })).toBe("");
	expect(await chat.log.next("prompt.answered")).toMatchObject({ arguments: changed });
});

test("an edit is judged again: a denied path is refused, and more people may be needed but not fewer", async () => {
	await using chat = await ask();
	const { token } = await chat.prompt();
	const edited = (path: string) => ({ value: "once", arguments: { path, content: "x" } });
	expect(await chat.answer(token, alex, edited("locked/a.txt"))).toBe("arguments: denied: locked");
	expect(await chat.answer(token, alex, edited(".env"))).toContain("always requires a separate approval");
	expect(await chat.answer(token, alex, edited("launch/a.txt"))).toBe("");
	expect(await chat.log.next("prompt.voted")).toMatchObject({ approvals: 1, needed: 3 });
	// A changed call never needs fewer approvals than the displayed call.
	expect(await chat.answer(token, olga, edited("docs/a.txt"))).toBe("");
	expect(await chat.log.next("prompt.voted")).toMatchObject({ approvals: 1, needed: 3 });
});

test("an edit that makes two approvals necessary is one vote", async () => {
	await using chat = await ask({ path: "docs/a.txt" });
	const { token, approval } = await chat.prompt();
	expect(approval).not.toHaveProperty("approvals");
	expect(
		await chat.answer(token, alex, { value: true, arguments: { path: "prod/a.txt", content: "x" } }),
	).toBe("");
	expect(await chat.log.next("prompt.voted")).toMatchObject({ approvals: 1, needed: 2 });
	expect(await chat.answer(token, olga)).toBe("");
	await chat.log.next("assistant.message");
	expect(await chat.written("prod/a.txt")).toBe("x");
});

test("votes survive a restart, and a call runs once", async () => {
	const first = await ask();
	const { token } = await first.prompt();
	expect(await first.answer(token, alex)).toBe("");
	await first.t.stop();
	const model = new ScriptedModel([says("done")]);
	const file = join(first.t.directory, "policy.jsonc");
	const chat = { ...noChat, tenants: { discord: ["guild"] } };
	await using t = await TestRuntime.open({
		model,
		chat,
		directory: first.t.directory,
		policy: { file },
		clock: first.t.clock,
	});
	await t.runtime.start();
	const log = await EventLog.join(t.runtime, first.session, { afterSeq: 0 });
	await t.settle();
	await expect(t.runtime.answer(unkeyed(alex), token, { value: true })).rejects.toThrow("already");
	await t.runtime.answer(unkeyed(olga), token, { value: true });
	expect(await log.next("prompt.answered")).toMatchObject({ voters: ["discord:guild:alex"] });
	await log.next("assistant.message");
	const events = await t.store.read((db) =>
		db.selectFrom("events").select("type").where("type", "like", "tool.%").execute(),
	);
	expect(events.map(({ type }) => type)).toEqual(["tool.started", "tool.completed"]);
});

test("a call that needs two approvals is denied with a reason if only the operator can answer", async () => {
	await using chat = await ask({ by: operator });
	expect((await chat.log.next("tool.failed")).error).toContain(
		"two people for prod; the call needs 2 approvals by different people, and only the operator can answer here: the operator can change the policy",
	);
});
