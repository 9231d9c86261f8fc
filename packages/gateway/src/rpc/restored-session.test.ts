import { access, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { openSqliteStore } from "@parley/base";
import { migrations, type Tables } from "@parley/core";
import { calls, says } from "@parley/core/testing";
import { expect, test } from "vitest";
import { AgentPlace } from "../testing/agent-place.ts";
import { serveHttp } from "../testing/serve-http.ts";

const session = "../kept";
const run = [calls("c1", "bash", { command: "echo hi" })];

test("calls without approval in one process require approval if the next one requests it, and vice versa", async () => {
	await using place = await AgentPlace.make();
	const free = await place.open({ session }, run, [says("ok")]);
	await free.say("go");
	expect(free.prompts).toEqual([]);
	await free.opened.close();
	const careful = await place.open({ session, rpcApprovals: true }, run, [says("ok")]);
	await careful.say("go");
	expect(careful.prompts).toHaveLength(1);
	expect(careful.results[0]).toMatch(/^failed: /);
	await careful.opened.close();
	const again = await place.open({ session }, run, [says("ok")]);
	await again.say("go");
	expect(again.prompts).toEqual([]);
	expect(again.results[0]).toContain("hi");
});

test("permissions of a client end with its process", async () => {
	await using place = await AgentPlace.make();
	const flags = { session, rpcApprovals: true };
	const before = await place.open(flags);
	await before.opened.agent.acceptAll();
	await before.opened.close();
	const after = await place.open(flags, run, [says("ok")]);
	await after.say("go");
	expect(after.prompts).toHaveLength(1);
});

test("a stored session works in its own directory, and refuses another one", async () => {
	await using place = await AgentPlace.make();
	await mkdir(place.path("other"));
	await (await place.open({ session, cwd: "../other" })).opened.close();
	const after = await place.open({ session }, [calls("c1", "bash", { command: "pwd" })], [says("ok")]);
	expect(after.opened.agent.settings.cwd).toBe(place.path("other"));
	await after.say("where?");
	expect(after.results[0]).toContain(place.path("other"));
	await after.opened.close();
	const refusal = place.open({ session, cwd: "." });
	await expect(refusal).rejects.toMatchObject({
		code: "invalid_argument",
		message: expect.stringContaining(
			`--cwd is ${place.path("work")}, but the session of --session works in ${place.path("other")}`,
		),
	});
	const same = await place.open({ session, cwd: "../other/" });
	expect(same.opened.agent.settings.cwd).toBe(place.path("other"));
	await same.opened.close();
	await rename(place.path("other"), place.path("moved"));
	await expect(place.open({ session })).rejects.toThrow("which is no longer a directory");
});

test("a named model precedes the one that was chosen before, and is stored", async () => {
	await using place = await AgentPlace.make();
	await haveModels(place, "one", "two");
	const first = await place.open({ session });
	await first.opened.agent.setModel("one");
	await first.opened.close();
	const stored = await place.open({ session }, [says("ok")]);
	await stored.say("who?");
	expect(stored.model.requests[0]?.model).toBe("one");
	await stored.opened.close();
	const named = await place.open({ session, model: "two" }, [says("ok")]);
	expect(named.opened.agent.model).toBe("two");
	await named.say("who?");
	expect(named.model.requests[0]?.model).toBe("two");
	await named.opened.close();
	expect((await place.open({ session })).opened.agent.model).toBe("two");
	expect(warnings(place)).toEqual([]);
});

test("a stored model that the provider does not have is dropped, and this is reported", async () => {
	await using place = await AgentPlace.make();
	await haveModels(place, "one");
	const first = await place.open({ session });
	await first.opened.agent.setModel("one");
	await first.opened.close();
	await rm(place.path("data", "models.json"));
	const after = await place.open({ session }, [says("ok")]);
	expect(after.opened.agent.model).toBe("scripted");
	expect(warnings(place)).toEqual([
		expect.objectContaining({ level: "warn", fields: { before: "one", model: "scripted" } }),
	]);
	await after.say("who?");
	expect(after.model.requests[0]?.model).toBe("scripted");
});

test("on a server with several models the stored one continues, and without one a model must be named", async () => {
	await using place = await AgentPlace.make();
	await using server = await serveModels("a", "b");
	const at = (model?: string) => place.start({ session, baseUrl: server.baseUrl, model });
	await expect(at()).rejects.toThrow("lists 2 models: a, b; name the model with --model");
	await expect(access(place.path("kept"))).rejects.toThrow("ENOENT");
	await (await at("b")).close();
	const after = await at();
	expect(after.agent.model).toBe("b");
	// The stored model stays after `clear`. Otherwise, the first line of the next process would name another model.
	await after.agent.clear();
	expect(after.agent.model).toBe("b");
	await after.close();
	expect((await at()).agent.model).toBe("b");
});

test("a model of another provider can be chosen and continues, although no list has it", async () => {
	await using place = await AgentPlace.make();
	await using server = await serveModels("a", "b");
	await mkdir(place.path("data"), { mode: 0o700 });
	const models = { providers: { lab: { baseUrl: "http://127.0.0.1:9/v1" } } };
	await writeFile(place.path("data", "parley.config.json"), JSON.stringify({ models }));
	const at = (model?: string) => place.start({ session, baseUrl: server.baseUrl, model });
	const named = await at("a");
	await expect(named.agent.setModel("other/c")).rejects.toThrow('there is no model "other/c"');
	expect(await named.agent.setModel("lab/c")).toBe("lab/c");
	expect(named.agent.models()).toContainEqual(expect.objectContaining({ id: "lab/c", provider: "lab" }));
	await named.close();
	expect((await at()).agent.model).toBe("lab/c");
	expect(warnings(place)).toEqual([]);
});

test("a stored model that is missing in a server's list of several is not used", async () => {
	await using place = await AgentPlace.make();
	await using server = await serveModels("a", "b");
	await (await place.start({ session, baseUrl: server.baseUrl, model: "c" })).close();
	await expect(place.start({ session, baseUrl: server.baseUrl })).rejects.toThrow(
		"lists 2 models: a, b; name",
	);
});

test("the remainder of a process that was killed during clear is removed and does not continue", async () => {
	await using place = await AgentPlace.make();
	const before = await place.open({ session }, [says("1")]);
	await before.say("one");
	await before.opened.close();
	await leaveOlder(place.path("kept", "parley.sqlite"));
	const after = await place.open({ session }, [says("2")]);
	expect(await after.opened.agent.transcript()).toHaveLength(2);
	await after.say("two");
	expect(after.model.requests).toHaveLength(1);
	await after.opened.close();
	const store = await openSqliteStore<Tables>({ file: place.path("kept", "parley.sqlite"), migrations });
	const left = await store.read((db) => db.selectFrom("sessions").select("id").execute());
	const runs = await store.read((db) => db.selectFrom("runs").select("id").execute());
	await store.close();
	expect([left.length, runs.length]).toEqual([1, 2]);
});

test("a cleared conversation stays cleared if the clock was set back before", async () => {
	await using place = await AgentPlace.make();
	const before = await place.open({ session }, [says("1")]);
	await before.say("one");
	await before.opened.close();
	await makeNext(place.path("kept", "parley.sqlite"));
	const after = await place.open({ session });
	expect(await after.opened.agent.transcript()).toEqual([]);
	await after.opened.close();
	const store = await openSqliteStore<Tables>({ file: place.path("kept", "parley.sqlite"), migrations });
	const left = await store.read((db) => db.selectFrom("sessions").select("id").execute());
	await store.close();
	expect(left).toEqual([{ id: "sess_next" }]);
});

test.each(["made", "not made yet", "another"])(
	"the data directory of a gateway keeps no conversation of an agent: %s",
	async (which) => {
		await using place = await AgentPlace.make();
		const directory = which === "another" ? "gateway" : "data";
		if (which === "made") await mkdir(place.path("data"), { mode: 0o700 });
		if (which === "another") await mkdir(place.path("gateway", "tokens"), { recursive: true, mode: 0o700 });
		await expect(place.open({ session: `../${directory}` })).rejects.toMatchObject({
			code: "invalid_argument",
			message: expect.stringContaining(
				`--session ${place.path(directory)} is the data directory of a gateway`,
			),
		});
	},
);

test("a directory in use is reported together with --session", async () => {
	await using place = await AgentPlace.make();
	await place.open({ session });
	await expect(place.open({ session })).rejects.toThrow(
		`${place.path("kept")} is in use by another process of the agent (process ${process.pid}); ` +
			"end that process, or wait until it has ended, or choose another directory with --session DIR",
	);
});

function serveModels(...ids: readonly string[]): ReturnType<typeof serveHttp> {
	const data = ids.map((id) => ({ id }));
	return serveHttp((_, response) => response.end(JSON.stringify({ data })));
}

function warnings(place: AgentPlace) {
	return place.log.records.filter(({ level }) => level === "warn");
}

async function haveModels(place: AgentPlace, ...ids: readonly string[]): Promise<void> {
	const size = { context_window: 100_000, max_output: 1_000 };
	const models = ids.map((id) => ({ id, provider: "scripted", ...size }));
	await mkdir(place.path("data"), { mode: 0o700 });
	await writeFile(place.path("data", "models.json"), JSON.stringify({ models }));
}

/** Inserts a session that is older than the current session, was used last, and has a waiting message. */
async function leaveOlder(file: string): Promise<void> {
	const store = await openSqliteStore<Tables>({ file, migrations });
	await store.commit(async (tx) => {
		const last = await tx.selectFrom("sessions").selectAll().executeTakeFirstOrThrow();
		const old = { ...last, id: "sess_old", created_at: Number(last.created_at) - 1 };
		await tx
			.insertInto("sessions")
			.values({ ...old, updated_at: Number(last.updated_at) + 1 })
			.execute();
		const rpcRequest = await tx.selectFrom("runs").selectAll().executeTakeFirstOrThrow();
		const waits = {
			...rpcRequest,
			id: "run_old",
			session_id: old.id,
			state: "queued" as const,
			ended_at: null,
		};
		await tx.insertInto("runs").values(waits).execute();
	});
	await store.close();
}

/** Creates a session after the current session, at an earlier clock time. This is the first step of `clear`. */
async function makeNext(file: string): Promise<void> {
	const store = await openSqliteStore<Tables>({ file, migrations });
	await store.commit(async (tx) => {
		const last = await tx.selectFrom("sessions").selectAll().executeTakeFirstOrThrow();
		const at = Number(last.created_at) - 60_000;
		const fresh = { ...last, id: "sess_next", last_seq: 1, message_count: 0, created_at: at, updated_at: at };
		await tx.insertInto("sessions").values(fresh).execute();
		const { position: _, ...created } = await tx
			.selectFrom("events")
			.selectAll()
			.where("type", "=", "session.created")
			.executeTakeFirstOrThrow();
		const event = { ...created, id: "event-next", session_id: fresh.id, at };
		await tx.insertInto("events").values(event).execute();
	});
	await store.close();
}
