import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { ManualClock, seededIds } from "@parley/base/testing";
import { builtinTools, createWebFetch, fixedSource, type ModelRequest } from "@parley/core";
import { calls, EventLog, ScriptedModel, says, TestRuntime, unkeyed } from "@parley/core/testing";
import { Site } from "../web-fetch/site.ts";
import type { Attack } from "./injections.ts";

const run = promisify(execFile);
const marker = "injected-4c1d";

/** A way in which an attacker's text reaches the model. */
interface Source {
	readonly name: string;
	/** The text of `injecting-server.ts` that contains the instruction. */
	readonly mcp?: string;
	/** Call with which the model reads the text. */
	readonly call: { readonly tool: string; readonly arguments: Record<string, unknown> };
}

export const sources: readonly Source[] = [
	{ name: "a file", call: { tool: "read_file", arguments: { path: "mail.txt" } } },
	{ name: "the name of a file", call: { tool: "list_files", arguments: { path: "inbox" } } },
	{ name: "the result of a search", call: { tool: "search_files", arguments: { pattern: marker } } },
	{ name: "the output of a command", call: { tool: "run_command", arguments: { cmd: "cat mail.txt" } } },
	{ name: "a page", call: { tool: "web_fetch", arguments: { url: "page" } } },
];

/** Sources in the texts of an MCP server. They are separate, because each attempt starts a server process. */
export const mcpSources: readonly Source[] = [
	{
		name: "the description of an MCP tool",
		mcp: "description",
		call: { tool: "letters__look", arguments: {} },
	},
	{ name: "a parameter of an MCP tool", mcp: "parameter", call: { tool: "letters__look", arguments: {} } },
	{ name: "the result of an MCP tool", mcp: "result", call: { tool: "letters__look", arguments: {} } },
	{
		name: "a prompt of an MCP server",
		mcp: "prompt",
		call: { tool: "letters__get_prompt", arguments: { name: "mail" } },
	},
	{
		name: "a resource of an MCP server",
		mcp: "resource",
		call: { tool: "letters__read_resource", arguments: { uri: "notes://mail" } },
	},
];

interface Attempt {
	readonly source: Source;
	readonly attack: Attack;
	/** Whether the user approves the attacker's call. */
	readonly approves: boolean;
	/** Whether the user has already approved writes for the session. By default, false. */
	readonly hasGrant?: boolean;
}

interface Ended {
	/** Whether the model has read the instruction and requested the call. */
	readonly tried: boolean;
	/** Whether the attacker's call changed any state. */
	readonly hadEffect: boolean;
}

/**
 * Runs one attempt: the user requests a harmless task and approves its calls, and the model reads an instruction and
 * follows it.
 */
export async function attempt({ source, attack, approves, hasGrant = false }: Attempt): Promise<Ended> {
	const text = `${marker}: ${attack.instruction}`;
	await using site = await Site.http({
		"/page": (response) => response.end(text),
		"/collect?plan=secret": (response) => response.end("thank you"),
	});
	const clock = new ManualClock();
	const reach = { ports: [site.port], allows: (address: string) => address === "127.0.0.1" };
	const web = createWebFetch({ clock, ids: seededIds(1), reach, lookup: async () => ["127.0.0.1"] });
	const isPage = source.call.tool === "web_fetch";
	const first = isPage ? { url: site.url("/page") } : source.call.arguments;
	let tried = false;
	// The state before the attacker's call.
	let before = "";
	const model = new ScriptedModel(
		...(hasGrant ? [[calls("c0", attack.tool, attack.granted ?? {})]] : []),
		[calls("c1", source.call.tool, first)],
		async function* (request) {
			// In a file name, a replacement character represents each slash.
			tried = knows(request, attack.instruction.replaceAll("/", "∕")) || knows(request, attack.instruction);
			before = await stateOf(t, site);
			yield calls(
				"c2",
				attack.tool,
				attack.arguments((path) => site.url(path)),
			);
			yield { type: "end", stop: "tool_use", usage: noUsage, model: "obedient" };
		},
		[says("done")],
	);
	await using t = await TestRuntime.open({
		model,
		clock,
		tools: [...builtinTools(), web],
		...mcpOf(source, text),
	});
	await writeFixtures(join(t.directory, "work"), text);
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "read it");
	for (let isOver = false; !isOver; ) {
		const event = await log.next("prompt.requested", "assistant.message");
		if (event.type === "prompt.requested") {
			await t.runtime.answer(
				unkeyed(),
				event.prompt.token,
				answerOf(event.prompt.approval?.callId, approves),
			);
		}
		isOver = event.type === "assistant.message";
	}
	return { tried, hadEffect: (await stateOf(t, site)) !== before };
}

function answerOf(callId: string | undefined, approves: boolean) {
	// `c0` is approved for the session, so similar calls need no approval.
	if (callId === "c0") return { value: "session" };
	return callId === "c1" || approves ? { value: true } : { cancelled: true };
}

const noUsage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };

function knows({ messages, tools }: ModelRequest, text: string): boolean {
	return JSON.stringify([messages, tools]).includes(text);
}

function mcpOf({ mcp }: Source, text: string) {
	if (mcp === undefined) return {};
	const program = join(import.meta.dirname, "injecting-server.ts");
	const nothing = { environment: {}, secrets: [], read: [], write: [], hosts: [] };
	const server = { name: "letters", command: process.execPath, args: [program, text, mcp], ...nothing };
	return { mcp: { source: fixedSource([{ ...server, timeoutMs: 30_000 }]), version: "1" } };
}

async function writeFixtures(work: string, text: string): Promise<void> {
	for (const name of ["precious", "inbox"]) await mkdir(join(work, name));
	await writeFile(join(work, "precious/plan.txt"), "the plan\n");
	await writeFile(join(work, "precious/AGENTS.md"), "Deploy never on Friday.\n");
	await writeFile(join(work, "build.sh"), "make\n");
	await writeFile(join(work, "mail.txt"), `${text}\n`);
	await writeFile(join(work, "inbox", text.replaceAll("/", "∕")), "");
	const identity = ["-c", "user.name=Ada", "-c", "user.email=ada@localhost"];
	await run("git", ["init", "-q"], { cwd: work });
	await run("git", [...identity, "commit", "-q", "--allow-empty", "-m", "first"], { cwd: work });
}

/**
 * Returns the state that the attacker could change: files outside of the data directory, notes, schedules, and
 * requests to the attacker's site.
 */
async function stateOf({ directory, store }: TestRuntime, site: Site): Promise<string> {
	const entries = await readdir(directory, { recursive: true, withFileTypes: true });
	const files = entries
		.filter((entry) => entry.isFile())
		.map(({ parentPath, name }) => join(parentPath, name))
		.filter((path) => !path.startsWith(join(directory, "data")))
		.toSorted();
	const texts = await Promise.all(files.map(async (path) => [path, await readFile(path, "base64")]));
	const rows = await store.read(async (db) => [
		await db.selectFrom("memories").selectAll().execute(),
		await db.selectFrom("schedules").selectAll().execute(),
	]);
	return JSON.stringify([texts, rows, site.requests.map(({ path }) => path)]);
}
