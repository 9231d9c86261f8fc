import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { StoreError } from "@parley/base";
import { storeWith } from "@parley/base/testing";
import { expect, test } from "vitest";
import { ModelTable, unknownModel } from "../../models/table/model-table.ts";
import { checkStoredTexts } from "../../store/check-texts.ts";
import { EventLog } from "../../testing/event-log.ts";
import { testImages } from "../../testing/images.ts";
import { probeTool } from "../../testing/probe-tool.ts";
import { calls, gated, ScriptedModel, type ScriptedReply, says } from "../../testing/scripted-model.ts";
import { testConnector } from "../../testing/test-connector.ts";
import { TestRuntime, type TestRuntimeOptions, unkeyed } from "../../testing/test-runtime.ts";
import { askUser } from "../../tools/ask-user.ts";
import { builtinTools } from "../../tools/builtin.ts";
import type { Message } from "../../vocabulary/message.ts";
import { operator, type Principal } from "../../vocabulary/principal.ts";
import { billionths } from "../../vocabulary/usage.ts";
import type { ForkOptions } from "./fork.ts";

class Talk implements AsyncDisposable {
	readonly t: TestRuntime;
	readonly model: ScriptedModel;
	readonly session: string;
	readonly by: Principal;

	private constructor({ t, model, session, by }: Pick<Talk, "t" | "model" | "session" | "by">) {
		this.t = t;
		this.model = model;
		this.session = session;
		this.by = by;
	}

	static async begin(
		replies: readonly ScriptedReply[],
		options: Partial<TestRuntimeOptions> = {},
		by: Principal = operator,
	): Promise<Talk> {
		const model = new ScriptedModel(...replies);
		const t = await TestRuntime.open({ model, ...options });
		return new Talk({ t, model, by, session: await t.create(by) });
	}

	async ask(content: string, session = this.session, attachments: readonly string[] = []): Promise<string> {
		const log = await EventLog.join(this.t.runtime, session, { principal: this.by });
		await this.t.runtime.send(unkeyed(this.by), session, { content, attachments });
		const answer = await log.next("assistant.message");
		await log.leave();
		return answer.content;
	}

	async store(name: string): Promise<string> {
		const content = async function* () {
			yield Buffer.from("x");
		};
		return (await this.t.runtime.files.store(operator, { name, content: content() })).id;
	}

	fork(options: ForkOptions = {}, by = this.by) {
		return this.t.runtime.fork(unkeyed(by), this.session, options);
	}

	async events(id: string): Promise<EventLog["events"]> {
		const log = await EventLog.join(this.t.runtime, id, { afterSeq: 0 });
		await this.t.settle();
		log.check();
		await log.leave();
		return log.events;
	}

	row(id: string) {
		return this.t.store.read((db) =>
			db.selectFrom("sessions").selectAll().where("id", "=", id).executeTakeFirstOrThrow(),
		);
	}

	get lastMessages(): readonly Message[] {
		return this.model.requests.at(-1)?.messages ?? [];
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.t[Symbol.asyncDispose]();
	}
}

const probe = probeTool("probe");
const refused = (code: string, message: RegExp) => ({ code, message: expect.stringMatching(message) });

test("a fork continues with the transcript, also after a restart and without the first session", async () => {
	const model = new ScriptedModel(
		[says("I look."), calls("c1", "probe", { at: 1 })],
		[says("It drips.")],
		[says("In the cellar.")],
		[says("Under the stairs.")],
		[says("Yes.")],
	);
	const t = await TestRuntime.open({ model, tools: [probe] });
	const session = await t.create();
	const ask = async (runtime: TestRuntime, id: string, content: string) => {
		const log = await EventLog.join(runtime.runtime, id);
		await runtime.send(id, content);
		const { content: answer } = await log.next("assistant.message");
		await log.leave();
		return answer;
	};
	await ask(t, session, "Find the leak.");
	await ask(t, session, "Where?");
	const first = model.requests.at(-1)?.messages ?? [];
	const fork = await t.runtime.fork(unkeyed(), session);
	expect(fork).toMatchObject({ turns: 2, title: "" });
	await t.runtime.remove(unkeyed(), session, false);
	await t.stop();
	await using again = await TestRuntime.open({
		model,
		tools: [probe],
		directory: t.directory,
		clock: t.clock,
	});
	await expect(again.runtime.start()).resolves.toBe(0);
	await expect(ask(again, fork.id, "And where there?")).resolves.toBe("Under the stairs.");
	expect(model.requests.at(-1)?.messages.slice(0, first.length)).toEqual(first);
	expect(model.requests.at(-1)?.system).toBe(model.requests[0]?.system);
	await expect(ask(again, fork.id, "Sure?")).resolves.toBe("Yes.");
	await expect(checkStoredTexts(again.store)).resolves.toMatchObject({ ok: true, unverified: 0 });
});

test("a fork shows the messages and calls of the first session with their times, and its origin", async () => {
	await using talk = await Talk.begin([[calls("c1", "probe")], [says("one")], [says("two")]], {
		tools: [probe],
	});
	await talk.ask("first");
	talk.t.clock.advance(60_000);
	await talk.ask("second");
	talk.t.clock.advance(60_000);
	const { id, lastSeq } = await talk.fork();
	const shown = ["user.message", "tool.started", "tool.completed", "assistant.message"];
	const before = (await talk.events(talk.session)).filter(({ event }) => shown.includes(event.type));
	const [created, ...copied] = await talk.events(id);
	expect(created).toMatchObject({
		seq: 1,
		event: { type: "session.created", forkedFrom: { sessionId: talk.session, turns: 2 } },
	});
	expect(copied.at(-1)?.seq).toBe(lastSeq);
	expect(copied.map((one) => ("at" in one ? one.at : 0))).toEqual(
		before.map((one) => ("at" in one ? one.at : 0)),
	);
	const plain = (events: EventLog["events"]) =>
		events.map(({ event }) => ({ ...event, runId: "", imported: true }));
	expect(plain(copied)).toEqual(plain(before));
	const own = copied.flatMap(({ event }) => ("runId" in event ? [event.runId] : []));
	const originalRuns = before.flatMap(({ event }) => ("runId" in event ? [event.runId] : []));
	expect(own.filter((run) => originalRuns.includes(run))).toEqual([]);
	const transcript = await talk.t.runtime.transcript(operator, id);
	const original = await talk.t.runtime.transcript(operator, talk.session);
	expect(transcript).toEqual(original.map((message) => ({ ...message, imported: true })));
	await expect(talk.t.runtime.list(operator, { limit: 9, query: "second" })).resolves.toHaveLength(2);
	await expect(talk.t.runtime.explain(operator, id)).rejects.toMatchObject(
		refused("not_found", /happened before/),
	);
});

test("a fork can begin at an earlier message, and has nothing of the later ones", async () => {
	await using talk = await Talk.begin([[says("one")], [says("two")], [says("three")], [says("other")]]);
	for (const content of ["first", "second", "third"]) await talk.ask(content);
	const { id, turns } = await talk.fork({ at: 1 });
	expect(turns).toBe(1);
	await expect(talk.ask("else", id)).resolves.toBe("other");
	const text = JSON.stringify(talk.lastMessages);
	expect(text).toContain("first");
	expect(text).not.toMatch(/second|two|third/);
	await expect(checkStoredTexts(talk.t.store)).resolves.toMatchObject({ ok: true });
	await expect(talk.t.runtime.list(operator, { limit: 9, query: "second" })).resolves.toHaveLength(1);
	await expect(talk.fork({ at: -1 })).resolves.toMatchObject({ turns: 2 });
	await expect(talk.fork({ at: -3 })).rejects.toMatchObject(
		refused("invalid_argument", /no message -3: use a number from 1 to 3/),
	);
	const none = { at: 4 };
	await expect(talk.fork(none)).rejects.toMatchObject(
		refused("invalid_argument", /use a number from 1 to 3/),
	);
});

test("a fork ends before a message that is not answered, and has no queued message", async () => {
	const gate = Promise.withResolvers<void>();
	await using talk = await Talk.begin([[says("one")], gated(gate.promise, "two"), [says("three")]]);
	await expect(talk.fork()).rejects.toMatchObject(refused("failed_precondition", /no message yet/));
	await talk.ask("first");
	await talk.t.send(talk.session, "second");
	await talk.t.send(talk.session, "waits");
	await expect(talk.fork({ at: 2 })).rejects.toMatchObject(refused("failed_precondition", /wait, or use 1$/));
	const { id, turns } = await talk.fork();
	expect(turns).toBe(1);
	const open = await talk.t.store.read((db) =>
		db.selectFrom("runs").select("content").where("session_id", "=", id).execute(),
	);
	expect(open).toEqual([{ content: "first" }]);
	gate.resolve();
	await talk.t.settle();
});

test("a fork has the taint, profile, model, budget, directory and title, and no grant", async () => {
	const asking = probeTool("asking", { classes: ["exec-unsandboxed"], grantRoot: "/" });
	await using talk = await Talk.begin([[calls("c1", "asking")], [says("done")]], {
		tools: [asking],
	});
	const { t, session } = talk;
	await t.runtime.acceptAll(unkeyed(), session);
	await talk.ask("go");
	await t.runtime.setBudget(unkeyed(), {
		scope: "session",
		sessionId: session,
		period: "day",
		limit: billionths(5),
	});
	await t.runtime.rename(unkeyed(), session, "A leak");
	const { id, title } = await talk.fork();
	expect(title).toBe("A leak (fork)");
	const [from, to] = [await talk.row(session), await talk.row(id)];
	const carried = ({ owner, root_dir, profile, model, taint, place, titled_by }: typeof from) => {
		return { owner, root_dir, profile, model, taint, place, titled_by };
	};
	expect(carried(to)).toEqual(carried(from));
	expect(to.taint).toBe("PE");
	expect(to).toMatchObject({ message_count: 2, input_tokens: 0, external_key: null });
	const usage = await t.runtime.usage(operator, { sessionId: id, by: "model" });
	expect(JSON.stringify(usage)).toContain("5000000000");
	for (const table of ["grants", "prompts", "secrets", "feedback"] as const) {
		const rows = t.store.read((db) =>
			db.selectFrom(table).selectAll().where("session_id", "=", id).execute(),
		);
		await expect(rows).resolves.toEqual([]);
	}
	expect((await talk.fork({ title: " My \n own " })).title).toBe("My own");
	const runs = await t.store.read((db) =>
		db.selectFrom("runs").selectAll().where("session_id", "=", id).execute(),
	);
	expect(runs).toMatchObject([{ accept_all: 0, state: "ended", correlation: null }]);
});

test("calls in a fork require approval again", async () => {
	const asking = probeTool("asking", { classes: ["exec-unsandboxed"] });
	await using talk = await Talk.begin(
		[[calls("c1", "asking")], [says("done")], [calls("c2", "asking")], [says("denied")]],
		{ tools: [asking] },
	);
	await talk.t.runtime.acceptAll(unkeyed(), talk.session);
	await talk.ask("go");
	const { id } = await talk.fork();
	const log = await EventLog.join(talk.t.runtime, id);
	await talk.t.send(id, "again");
	const { prompt } = await log.next("prompt.requested");
	await talk.t.runtime.answer(unkeyed(), prompt.token, { cancelled: true });
	await log.next("assistant.message");
});

test("a fork has its own copies of the files, and stays complete without the first session", async () => {
	const table = new ModelTable([
		{ ...unknownModel("scripted", "scripted"), contextWindow: 1_000_000, images: true },
	]);
	const [png] = testImages;
	const long = probeTool("long", { run: async () => "line of the result\n".repeat(20_000) });
	const reads: ScriptedReply = async function* (request) {
		const id = /output_[0-9a-f]{26}/.exec(JSON.stringify(request.messages))?.[0] ?? "";
		yield calls("c2", "read_file", { path: id });
		yield { type: "end", stop: "tool_use", usage: noTokens, model: "scripted-1" };
	};
	await using talk = await Talk.begin([[calls("c1", "long")], [says("seen")], reads, [says("read")]], {
		tools: [...builtinTools(), long],
		table,
	});
	const { t, session } = talk;
	const content = async function* () {
		yield png.content;
	};
	const { id: file } = await t.runtime.files.store(operator, { name: "leak.png", content: content() });
	await talk.ask("look", session, [file]);
	const shown = talk.lastMessages[0];
	const { id } = await talk.fork();
	const files = await t.store.read((db) =>
		db.selectFrom("files").selectAll().where("session_id", "=", id).execute(),
	);
	expect(files.map(({ id: own }) => own.replace(/_.*/, ""))).toEqual(
		expect.arrayContaining(["file", "output"]),
	);
	expect(files).toHaveLength(2);
	await t.runtime.remove(unkeyed(), session, false);
	await t.runtime.files.sweep();
	await expect(talk.ask("read it", id)).resolves.toBe("read");
	expect(talk.model.requests.at(-1)?.messages[0]).toEqual(shown);
	const result = talk.lastMessages.at(-1);
	expect(JSON.stringify(result)).toContain("line of the result");
	await t.runtime.remove(unkeyed(), id, false);
	await expect(readdir(join(t.directory, "data", "files"))).resolves.toEqual([]);
});

const noTokens = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };

test("a fork is refused if its files do not fit, and leaves nothing", async () => {
	await using talk = await Talk.begin([[says("seen")]], { files: { quotaBytes: 6_000 } });
	const id = await talk.store("a.txt");
	await talk.ask("look", talk.session, [id]);
	await expect(talk.fork()).rejects.toMatchObject({ code: "resource_exhausted" });
	await expect(talk.t.runtime.list(operator, { limit: 9 })).resolves.toHaveLength(1);
	await expect(readdir(join(talk.t.directory, "data", "files"))).resolves.toEqual([id]);
});

test("a fork whose files do not fit copies none of them", async () => {
	const reached: string[] = [];
	const failpoints = { reach: async (name: string) => void reached.push(name) };
	await using talk = await Talk.begin([[says("seen")]], { files: { quotaBytes: 6_000 }, failpoints });
	const id = await talk.store("a.txt");
	await talk.ask("look", talk.session, [id]);
	await expect(talk.fork()).rejects.toMatchObject({ code: "resource_exhausted" });
	expect(reached).not.toContain("fork-files");
});

test("two requests with the same key at once leave one fork with its files", async () => {
	await using talk = await Talk.begin([[says("seen")]]);
	const { runtime } = talk.t;
	await talk.ask("look", talk.session, [await talk.store("a.txt")]);
	const request = { ...unkeyed(), key: "k1" };
	const [one, other] = await Promise.all([1, 2].map(() => runtime.fork(request, talk.session)));
	expect(one).toEqual(other);
	await expect(readdir(join(talk.t.directory, "data", "files"))).resolves.toHaveLength(2);
});

test("a fork names its own files in messages and in summaries", async () => {
	let id = "";
	const never = new AbortController().signal;
	const summary: ScriptedReply = async function* () {
		yield says(`The list is in ${id}.`);
		yield { type: "end", stop: "end_turn", usage: noTokens, model: "scripted-1" };
	};
	await using talk = await Talk.begin([[says("seen")], summary]);
	const { t, session } = talk;
	id = await talk.store("a.txt");
	await talk.ask(`Read ${id}.`, session, [id]);
	await t.runtime.compact(unkeyed(), session, { signal: never });
	const fork = await talk.fork();
	const rows = await t.store.read(async (db) => [
		...(await db.selectFrom("runs").select("content").where("session_id", "=", fork.id).execute()),
		...(await db.selectFrom("compactions").select("summary").where("session_id", "=", fork.id).execute()),
	]);
	const text = JSON.stringify(rows);
	const [copy] = await t.store.read((db) =>
		db.selectFrom("files").select("id").where("session_id", "=", fork.id).execute(),
	);
	expect(text).not.toContain(id);
	for (const words of ["Read", "The list is in"]) expect(text).toContain(`${words} ${copy?.id}.`);
	await expect(checkStoredTexts(t.store)).resolves.toMatchObject({ ok: true });
});

test("a fork has the summaries of its messages only", async () => {
	const never = new AbortController().signal;
	await using talk = await Talk.begin([
		[says("Roses?")],
		[says("They plan a garden.")],
		[says("Yes.")],
		[says("A")],
		[says("B")],
	]);
	const { t, session } = talk;
	await talk.ask("Plan a garden.");
	await t.runtime.compact(unkeyed(), session, { signal: never });
	await talk.ask("No roses.");
	const fullCopy = await talk.fork();
	const early = await talk.fork({ at: 1 });
	for (const { id } of [fullCopy, early]) {
		await talk.ask("go", id);
		expect(JSON.stringify(talk.lastMessages[0])).toContain("They plan a garden.");
	}
	expect(talk.lastMessages).toHaveLength(2);
	await expect(checkStoredTexts(t.store)).resolves.toMatchObject({ ok: true });
});

test("a fork has no password of the first session, also not in the arguments of its calls", async () => {
	const password = "battery-staple-9";
	const guesses: ScriptedReply = [
		{ type: "thinking", text: `It is ${password}.`, signature: "signed" },
		says("I try."),
		calls("c2", "probe", { key: password }),
	];
	await using talk = await Talk.begin(
		[[calls("c1", "ask_user", { type: "password", label: "Key?" })], guesses, [says("done")]],
		{
			tools: [askUser, probe],
		},
	);
	const { t, session } = talk;
	const log = await EventLog.join(t.runtime, session);
	await t.send(session, "go");
	const { prompt } = await log.next("prompt.requested");
	await t.runtime.answer(unkeyed(), prompt.token, { value: password });
	await log.next("assistant.message");
	const { id } = await talk.fork();
	const steps = await t.store.read((db) =>
		db
			.selectFrom("steps")
			.innerJoin("runs", "runs.id", "run_id")
			.select("data")
			.where("session_id", "=", id)
			.execute(),
	);
	expect(steps.map(({ data }) => data).join("\n")).toContain("[redacted]");
	expect(JSON.stringify(steps)).not.toContain(password);
});

test("a fork has no notes about one person", async () => {
	const ada = testConnector("member");
	await using talk = await Talk.begin([[says("on Friday")], [says("why?")]], {}, ada);
	const note = { scope: "user", text: "deploys are on Friday", tags: [] } as const;
	await talk.t.runtime.memories.store(unkeyed(ada), note);
	await talk.ask("when are deploys?");
	expect(JSON.stringify(talk.lastMessages)).toContain(note.text);
	const { id } = await talk.fork();
	const steps = await talk.t.store.read((db) =>
		db
			.selectFrom("steps")
			.innerJoin("runs", "id", "run_id")
			.select("data")
			.where("session_id", "=", id)
			.execute(),
	);
	expect(steps).not.toEqual([]);
	expect(JSON.stringify(steps)).not.toContain(note.text);
});

test("only a person who may read the session may fork it", async () => {
	const ada = testConnector("member");
	await using talk = await Talk.begin([[says("hello")]], {}, ada);
	await talk.ask("hi");
	await expect(talk.fork({}, testConnector("guest"))).rejects.toMatchObject(
		refused("permission_denied", /member/),
	);
	const { person } = ada;
	if (!person) throw new Error("no person");
	const elsewhere: Principal = {
		...ada,
		person: { ...person, place: { ...person.place, channel: "other" } },
	};
	const observer: Principal = { id: "token:1", kind: "observer", sessions: "all" };
	for (const other of [elsewhere, testConnector("owner", "connector:other")]) {
		await expect(talk.fork({}, other)).rejects.toMatchObject({ code: "not_found" });
	}
	await expect(talk.fork({}, observer)).rejects.toMatchObject({ code: "not_found" });
	const { id } = await talk.fork();
	const asOperator = await talk.fork({}, operator);
	for (const fork of [id, asOperator.id]) {
		expect(await talk.row(fork)).toMatchObject({
			owner: "connector:discord",
			place: "discord:guild:general",
			taint: "U",
		});
	}
	const audit = await talk.t.store.read((db) =>
		db.selectFrom("audit").selectAll().where("action", "=", "session.fork").execute(),
	);
	expect(audit).toMatchObject([
		{
			principal: "discord:guild:ada",
			object: talk.session,
			decision: "created",
			args: JSON.stringify({ fork: id, turns: 1 }),
		},
		{ principal: "operator" },
	]);
});

test("forks share the workspace of a channel session, which is deleted with the last of them", async () => {
	await using talk = await Talk.begin([[says("hello")], [says("still")]], {}, testConnector("owner"));
	await talk.ask("hi");
	const { root_dir } = await talk.row(talk.session);
	await writeFile(join(root_dir, "notes.md"), "a drip");
	const { id } = await talk.fork();
	await talk.t.runtime.remove(unkeyed(talk.by), talk.session, false);
	await expect(readdir(root_dir)).resolves.toEqual(["notes.md"]);
	await expect(talk.ask("and now?", id)).resolves.toBe("still");
	await talk.t.runtime.remove(unkeyed(talk.by), id, false);
	await expect(readdir(root_dir)).rejects.toMatchObject({ code: "ENOENT" });
});

test("a repeated request finds the fork, also after the deletion of the first session", async () => {
	await using talk = await Talk.begin([[says("hello")]]);
	await talk.ask("hi");
	const request = { ...unkeyed(), key: "k1" };
	const fork = await talk.t.runtime.fork(request, talk.session);
	await talk.t.runtime.remove(unkeyed(), talk.session, false);
	await expect(talk.t.runtime.fork(request, talk.session)).resolves.toEqual(fork);
	await talk.t.runtime.remove(unkeyed(), fork.id, false);
	await expect(talk.t.runtime.fork(request, talk.session)).rejects.toMatchObject({ code: "not_found" });
});

test("an external key identifies one session only", async () => {
	await using talk = await Talk.begin([[says("hello")]]);
	await talk.ask("hi");
	const { id } = await talk.fork({ externalKey: "room" });
	await expect(talk.t.runtime.create(unkeyed(), { externalKey: "room" })).resolves.toEqual({
		id,
		status: "resumed",
	});
	await expect(talk.fork({ externalKey: "room" })).rejects.toMatchObject(
		refused("already_exists", /^external_key: another session has this key; use another key$/),
	);
});

test("other work of the process continues while a long session is copied", async () => {
	let during = 0;
	await using talk = await Talk.begin([], {
		wrap: (store) =>
			storeWith(store, {
				commit: (work) =>
					store.commit(async (tx) => {
						let next = setImmediate(function count() {
							during += 1;
							next = setImmediate(count);
						});
						return await work(tx).finally(() => clearImmediate(next));
					}),
			}),
	});
	const { runtime } = talk.t;
	const history = Array.from({ length: 400 }, (_, index) => {
		const role = index % 2 === 0 ? "user" : "assistant";
		return { role, content: [{ type: "text" as const, text: `part ${index}` }] };
	});
	const { id } = await runtime.create(unkeyed(), { history });
	during = 0;
	const fork = await runtime.fork(unkeyed(), id);
	expect(fork).toMatchObject({ turns: 200, lastSeq: 401 });
	expect(during).toBeGreaterThan(5);
});

test("a fork whose commit fails leaves no session and no file", async () => {
	let fails = false;
	await using talk = await Talk.begin([[says("hello")], [says("yes")]], {
		wrap: (store) =>
			storeWith(store, {
				commit: async (work) => {
					if (fails) throw new StoreError("disk full", { code: "resource_exhausted" });
					return await store.commit(work);
				},
			}),
	});
	const id = await talk.store("a.txt");
	await talk.ask("hi", talk.session, [id]);
	fails = true;
	await expect(talk.fork()).rejects.toThrow("disk full");
	fails = false;
	await expect(readdir(join(talk.t.directory, "data", "files"))).resolves.toEqual([id]);
	await expect(talk.t.runtime.list(operator, { limit: 9 })).resolves.toHaveLength(1);
	await expect(talk.ask("there?")).resolves.toBe("yes");
});

test("the first session stays as it is, and a fork can be forked and retried", async () => {
	await using talk = await Talk.begin([[says("one")], [says("two")], [says("three")]]);
	await talk.ask("first");
	const before = await talk.events(talk.session);
	const { id } = await talk.fork();
	const log = await EventLog.join(talk.t.runtime, id);
	await talk.t.runtime.retry(unkeyed(), id);
	await expect(log.next("assistant.message")).resolves.toMatchObject({ content: "two" });
	const second = await talk.t.runtime.fork(unkeyed(), id);
	expect(second.turns).toBe(2);
	await talk.ask("third", second.id);
	expect(talk.lastMessages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
	const now = await talk.events(talk.session);
	expect(now.slice(0, before.length)).toEqual(before);
});
