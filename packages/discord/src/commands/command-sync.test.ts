import { ManualClock, MemoryLogger } from "@parley/base/testing";
import type { CommandShape } from "@parley/connector";
import { expect, test } from "vitest";
import { ScriptedPort } from "../testing/scripted-port.ts";
import { type InstalledState, planCommands, restoreCommands, startCommandSync } from "./command-sync.ts";

const path = "/applications/22/commands";
const whoami: CommandShape = { name: "whoami", description: "Who you are", options: [] };
const ask: CommandShape = {
	...{ name: "ask", description: "Ask the agent" },
	options: [{ name: "text", description: "What", type: "string", required: true, max: 4000 }],
};

/** Fields that Discord adds to a registered command. */
const common = { application_id: "22", version: "1", default_member_permissions: null, nsfw: false };
const text = { type: 3, name: "text", description: "What", required: true, max_length: 4000 };
const file = { type: 11, name: "file", description: "File for the agent" };
const installed = {
	whoami: { id: "1", name: "whoami", type: 1, description: "Who you are", contexts: [1, 0], ...common },
	ask: {
		...{ id: "2", name: "ask", type: 1, description: "Ask the agent", contexts: [0, 1], ...common },
		options: [text, file],
		integration_types: [0],
	},
	menu: { id: "3", name: "Ask about this", type: 3, description: "", contexts: [0, 1], ...common },
	foreign: { id: "4", name: "dice", type: 1, description: "Rolls", contexts: null, ...common },
};

const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

function place(state?: InstalledState) {
	const port = new ScriptedPort();
	const [clock, log] = [new ManualClock(), new MemoryLogger()];
	const memory = {
		state,
		load: async () => memory.state,
		save: async (next: InstalledState) => {
			memory.state = next;
		},
	};
	const sync = { port, application: "22", shapes: [whoami, ask], memory };
	const stopping = new AbortController();
	const syncWith = (shapes: readonly CommandShape[] = sync.shapes) =>
		startCommandSync({ ...sync, shapes }, { clock, log, signal: stopping.signal });
	const list = (...commands: readonly object[]) => port.answer(`GET ${path}`, { body: commands });
	return { port, clock, log, memory, sync, stopping, syncWith, list };
}

test("commands that Discord already has are not written, in any notation", async () => {
	const { port, syncWith, list } = place();
	list(...Object.values(installed));
	await syncWith();
	expect(port.requestLines).toEqual([`GET ${path}`]);
});

test("a start asks Discord once, and restores commands that were deleted or overwritten since the last one", async () => {
	const { port, syncWith, list, memory } = place();
	list(...Object.values(installed));
	await syncWith();
	const before = memory.state;
	list({ ...installed.ask, options: [] }, installed.menu);
	await syncWith();
	list(...Object.values(installed));
	await syncWith();
	expect(port.requestLines).toEqual([
		`GET ${path}`,
		...[`GET ${path}`, `POST ${path}`, `PATCH ${path}/2`],
		`GET ${path}`,
	]);
	expect(memory.state).toEqual(before);
});

test("an unreadable command of another program stays, and affects no other command", async () => {
	const { port, syncWith, list } = place();
	const odd = { id: "5", name: "odd", type: 1, description: 7, options: "none", ...common };
	list(odd, { ...odd, id: "2", name: "ask" }, installed.whoami, installed.menu);
	await syncWith();
	expect(port.requestLines).toEqual([`GET ${path}`, `PATCH ${path}/2`]);
});

test("a restore follows Discord's rate limits, and reports a wait that is too long", async () => {
	const { port, clock, log, sync, list } = place();
	const restored = restoreCommands(sync, { clock, log, patienceMs: 8000 });
	list(...Object.values(installed).slice(1));
	port.answer(`POST ${path}`, { status: 429, body: { retry_after: 7.2 } });
	list(...Object.values(installed).slice(1));
	await settled();
	clock.advance(8000);
	expect((await restored).map(({ action }) => action)).toEqual(["create"]);
	list(...Object.values(installed).slice(1));
	port.answer(`POST ${path}`, { status: 429, body: { retry_after: 9 } });
	await expect(restoreCommands(sync, { clock, log, patienceMs: 8000 })).rejects.toThrow("429");
});

test("missing commands are created, different commands are changed one by one, and commands of other programs stay", async () => {
	const { port, log, syncWith, list } = place();
	list({ ...installed.ask, description: "Old words" }, installed.menu, installed.foreign);
	await syncWith();
	expect(port.requests.slice(1)).toEqual([
		{
			...{ method: "POST", path },
			body: {
				...{ type: 1, name: "whoami", description: "Who you are", options: [] },
				...{ default_member_permissions: null, contexts: [0, 1], integration_types: [0] },
			},
		},
		{
			...{ method: "PATCH", path: `${path}/2` },
			body: {
				...{ name: "ask", description: "Ask the agent" },
				options: [text, file],
				...{ default_member_permissions: null, contexts: [0, 1], integration_types: [0] },
			},
		},
	]);
	expect(log.records.map(({ fields }) => fields)).toMatchObject([
		{ action: "create", command: "whoami" },
		{ action: "change", command: "ask" },
	]);
});

test("a removed command is deleted, even after an interrupted attempt", async () => {
	const { port, syncWith, list, memory } = place();
	list(...Object.values(installed));
	port.answer(`DELETE ${path}/1`, { status: 403, body: { message: "no" } });
	memory.state = { application: "22", ours: ["1 whoami", "1 ask"] };
	await syncWith([ask]);
	list(...Object.values(installed));
	await syncWith([ask]);
	expect(port.requestLines.filter((request) => !request.startsWith("GET"))).toEqual([
		`DELETE ${path}/1`,
		`DELETE ${path}/1`,
	]);
	expect(memory.state?.ours).toEqual(["1 ask", "3 Ask about this"]);
});

test("commands of another application are not changed", async () => {
	const { sync, list, memory } = place();
	memory.state = { application: "other", ours: ["1 dice"] };
	list(...Object.values(installed));
	expect(await planCommands(sync)).toEqual([]);
});

test.each([
	[{ status: 429, body: { retry_after: 7.2 } }, 8000],
	[{ status: 400, body: { code: 30_034, message: "daily" } }, 3_600_000],
	[{ status: 503 }, 60_000],
	[new Error("no answer"), 60_000],
])("a temporary failure of Discord is retried: %o", async (answer, waitMs) => {
	const { port, clock, log, syncWith, list } = place();
	list(...Object.values(installed).slice(1));
	port.answer(`POST ${path}`, answer);
	const synced = syncWith();
	await settled();
	expect(log.records).toMatchObject([{ level: "warn", fields: { waitMs } }]);
	list(...Object.values(installed).slice(1));
	clock.advance(waitMs);
	await synced;
	expect(port.requestLines).toEqual([`GET ${path}`, `POST ${path}`, `GET ${path}`, `POST ${path}`]);
});

test("a refusal of Discord is logged, and not retried", async () => {
	const { port, clock, log, syncWith, list } = place();
	list(...Object.values(installed).slice(1));
	port.answer(`POST ${path}`, { status: 400, body: { code: 50_035, message: "Invalid Form Body" } });
	await syncWith();
	expect(clock.pending).toBe(0);
	expect(log.records).toMatchObject([{ level: "error" }]);
	expect(String(log.records[0]?.fields?.["error"])).toContain("Invalid Form Body");
});

test("a wait ends with the connector", async () => {
	const { port, syncWith, stopping } = place();
	port.answer(`GET ${path}`, { status: 503 });
	const synced = syncWith();
	await settled();
	stopping.abort();
	await synced;
	expect(port.requestLines).toHaveLength(1);
});
