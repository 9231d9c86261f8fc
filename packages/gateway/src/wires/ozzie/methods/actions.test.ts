import { createIds, silentLogger } from "@parley/base";
import { type Action, isAuthorized, operator, type Principal, placeKey, roles } from "@parley/core";
import { ScriptedModel, TestRuntime, testConnector, unkeyed } from "@parley/core/testing";
import { type MethodInput, type MethodName, methods, type ResponseFrame } from "@parley/protocol";
import { expect, test } from "vitest";
import { Tickets } from "../../../auth/tickets.ts";
import { RateLimit } from "../../shared/rate-limit.ts";
import { decodeRequest } from "../codec.ts";
import { OzzieConnection } from "../connection.ts";
import { actionsOf } from "./handlers.ts";

/**
 * Returns minimal parameters for each method. `session` is the id of the session. A missing method fails to compile.
 */
const paramsIn = (session: string): { readonly [Name in MethodName]: MethodInput<Name> } => ({
	open_session: {},
	send_message: { content: "hi" },
	steer: { content: "hi" },
	join_turn: { run_id: "run_unknown" },
	retry: {},
	set_model: { model: "default" },
	prompt_response: { token: "prompt_unknown", cancelled: true },
	run_command: { command: "true" },
	file_changes: {},
	undo_changes: {},
	allow_always: { token: "prompt_unknown" },
	list_prompts: {},
	secret_page: { token: "prompt_unknown" },
	accept_all_tools: {},
	cancel_turn: {},
	list_sessions: {},
	list_commands: { session_id: session },
	stop_command: { session_id: session, number: 1 },
	load_messages: {},
	resume: { sessions: [{ session_id: session }] },
	store_memory: { content: "a note" },
	query_memories: { query: "note" },
	list_memories: {},
	forget_memory: { person: "me" },
	schedule_task: { prompt: "p", when: "every day at 9:00", session_id: "sess_1" },
	list_schedules: {},
	unschedule_task: { entry_id: "sched_1" },
	list_skills: {},
	show_skill: { name: "deploy" },
	trust_skills: { directory: "/work" },
	untrust_skills: { directory: "/work" },
	usage: { session_id: session },
	set_budget: { scope: "gateway", period: "day", limit_usd: 1 },
	list_agents: {},
	list_models: {},
	rename_session: { title: "x" },
	fork_session: { at: 1 },
	compact_session: {},
	delete_session: {},
	feedback: { rating: "good" },
	list_feedback: {},
	explain: {},
	submit_task: { title: "x", description: "say: hi", tools: [] },
	check_task: { task_id: "task_unknown" },
	cancel_task: { task_id: "task_unknown" },
	list_tasks: {},
	query_tasks: {},
	reply_task: { task_id: "task_unknown", status: "approved" },
	retry_task: { task_id: "task_unknown" },
	create_token: { kind: "observer", name: "fresh" },
	list_tokens: {},
	rotate_token: { token_id: "laptop" },
	revoke_token: { token_id: "laptop" },
	pair: {},
	whoami: {},
	list_people: {},
	invite_person: { role: "guest" },
	approve_person: { code: "ABCDEFGH", role: "guest" },
	withdraw_pairing: { pairing: "ABCDEFGH" },
	report_person: { check_id: "check", present: true },
	set_person_role: { person: "discord:guild:u", role: "guest" },
	remove_person: { person: "discord:guild:u" },
	list_places: {},
	set_place: { place: "discord:guild:c", profile: {} },
	remove_place: { place: "discord:guild:c" },
	test_policy: { command: "true" },
	show_policy: {},
	request_grant: { channel: "discord:guild:general", reason: "work" },
	list_grants: {},
	revoke_grant: { grant_id: "grant_unknown" },
	read_audit: {},
	verify_audit: {},
});

// The cast is safe because the object has exactly the methods as keys.
const names = Object.keys(paramsIn("")) as readonly MethodName[];

type NewToken = Parameters<TestRuntime["runtime"]["trust"]["tokens"]["create"]>[1];

const connectorToken: NewToken = { kind: "connector", name: "chat", platform: "discord", tenants: ["guild"] };

/** Functions that create a principal, by its way of authentication. */
const people = {
	"the operator without a token": async () => operator,
	"an operator's token": (t) => addPerson(t, { kind: "operator", name: "desk" }),
	"an observer of all": (t) => addPerson(t, { kind: "observer", name: "all" }),
	"an observer of one session": async (t) =>
		addPerson(t, { kind: "observer", name: "one", sessions: [await t.create()] }),
	"a connector for nobody": (t) => addPerson(t, connectorToken),
	"a ticket of an operator's token": async (t) =>
		byTicket(t, await addPerson(t, { kind: "operator", name: "desk" })),
	"a ticket of an observer": async (t) => byTicket(t, await addPerson(t, { kind: "observer", name: "all" })),
	"a ticket of a connector": async (t) => byTicket(t, await addPerson(t, connectorToken)),
	...Object.fromEntries(
		roles.map((role) => [
			`a connector for somebody who is ${role}`,
			async (t: TestRuntime) => {
				const { person } = testConnector(role);
				const connector = await addPerson(t, connectorToken);
				return { ...connector, ...(person && { person }) };
			},
		]),
	),
} satisfies Record<string, (t: TestRuntime) => Promise<Principal>>;

async function addPerson({ runtime }: TestRuntime, requested: NewToken): Promise<Principal> {
	const { tokens } = runtime.trust;
	const principal = tokens.verify((await tokens.create(unkeyed(), requested)).text);
	if (!principal) throw new Error("the token does not work");
	return principal;
}

function byTicket({ runtime, clock }: TestRuntime, principal: Principal): Principal {
	const tickets = new Tickets({ clock, ids: createIds(), tokens: runtime.trust.tokens });
	const redeemed = tickets.redeem(tickets.issue(principal));
	expect(redeemed).toEqual(principal);
	return principal;
}

interface Case {
	readonly method: MethodName;
	readonly params: object;
	/** Id of the session. Connections that may join the session do so before the test. */
	readonly session: string;
}

/** Returns `forbidden`, or `let` for any other outcome, even if the method failed. */
function outcomeOf(answer: string): string {
	return answer.startsWith("forbidden") ? "forbidden" : "let";
}

async function request(
	t: TestRuntime,
	principal: Principal,
	{ method, params, session }: Case,
): Promise<string> {
	const answered = Promise.withResolvers<ResponseFrame>();
	const connection = new OzzieConnection({
		runtime: t.runtime,
		principal,
		log: silentLogger,
		rateLimit: new RateLimit(t.clock),
		now: () => t.clock.now(),
		out: {
			response: (frame) => frame.id === "asked" && answered.resolve(frame),
			event: () => undefined,
			drained: async () => undefined,
			close: () => undefined,
			reading: () => undefined,
			shape: () => undefined,
		},
	});
	const send = (id: string, name: string, given: object): void =>
		connection.receive(JSON.stringify({ type: "req", id, method: name, params: given }));
	send("join", "resume", { sessions: [{ session_id: session }] });
	send("asked", method, params);
	const frame = await answered.promise;
	await connection.close();
	return frame.ok ? "ok" : frame.error;
}

async function ownSession(t: TestRuntime, principal: Principal): Promise<string> {
	if (principal.kind === "connector") {
		// The session belongs to the same channel for each role of the principal. An owner opens the session, because not
		// every role may open a session.
		const { id, platform = "" } = principal;
		const opener = { ...testConnector("owner", id), platform };
		return t.create(opener);
	}
	return principal.sessions === undefined || principal.sessions === "all"
		? t.create()
		: (principal.sessions[0] ?? "");
}

test("the table has every method", () => {
	expect(Object.keys(methods).sort()).toEqual([...names].sort());
	for (const name of names) {
		const frame = { type: "req", id: "1", method: name, params: paramsIn("sess_1")[name] };
		expect(decodeRequest(JSON.stringify(frame)), name).toMatchObject({ kind: "request" });
	}
});

/** Action that a request with the parameters of `paramsIn` requires. Default: the first action of the method. */
const applied: Partial<Record<MethodName, Action>> = {
	open_session: "session.open",
	accept_all_tools: "trust.accept_all",
	prompt_response: "prompt.deny",
};

test.each(Object.entries(people))(
	"%s may only perform the actions that its rights allow",
	async (_who, authenticate) => {
		await using t = await TestRuntime.open({ model: new ScriptedModel() });
		await t.runtime.trust.tokens.create(unkeyed(), { kind: "operator", name: "laptop" });
		await t.runtime.trust.tokens.create(unkeyed(), { ...connectorToken, name: "bridge" });
		const principal = await authenticate(t);
		const place = principal.person && placeKey(principal.person.place);
		const own = { owner: principal.id, ...(place !== undefined && { place }) };
		const outcomes: Record<string, string> = {};
		const expected: Record<string, string> = {};
		for (const method of names) {
			const session = await ownSession(t, principal);
			outcomes[method] = outcomeOf(
				await request(t, principal, { method, params: paramsIn(session)[method], session }),
			);
			const action = applied[method] ?? actionsOf(method)[0];
			expected[method] = isAuthorized(principal, action, own) ? "let" : "forbidden";
		}
		expect(outcomes).toEqual(expected);
		if (principal.kind === "connector") return;
		const session = await ownSession(t, principal);
		const joining = { method: "open_session", params: { session_id: session }, session } as const;
		expect(await request(t, principal, joining)).toBe("ok");
	},
);

test.each(Object.entries(people))("%s gets no objects of others", async (_who, authenticate) => {
	await using t = await TestRuntime.open({ model: new ScriptedModel() });
	const principal = await authenticate(t);
	const foreign = await t.create(testConnector("owner", "connector:another"));
	const seesAll = principal.kind === "operator" || principal.sessions === "all";
	const named = { session_id: foreign };
	const methodsOnSessions = [
		...([
			"open_session",
			"usage",
			"set_budget",
			"rename_session",
			"fork_session",
			"compact_session",
			"delete_session",
		] as const),
		...(["load_messages", "query_tasks"] as const),
	];
	for (const method of methodsOnSessions) {
		const params = { ...paramsIn(foreign)[method], ...named };
		const answer = await request(t, principal, { method, params, session: foreign });
		if (!seesAll) expect(answer, method).toMatch(/^(?:session not found|forbidden)/);
	}
	const sessions = await t.runtime.list(operator, { limit: 10 });
	expect(sessions.some(({ id }) => id === foreign)).toBe(principal.kind !== "operator");
	if (!isAuthorized(principal, "session.list")) return;
	expect((await t.runtime.list(principal, { limit: 10 })).some(({ id }) => id === foreign)).toBe(
		principal.sessions === "all",
	);
});
