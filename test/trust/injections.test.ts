import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { ManualClock, seededIds } from "@parley/base/testing";
import { builtinTools, createWebFetch, type ModelRequest } from "@parley/core";
import { calls, EventLog, ScriptedModel, says, TestRuntime, unkeyed } from "@parley/core/testing";
import { expect, test } from "vitest";
import { Site } from "../web-fetch/site.ts";
import { type Attack, attacks, instructionAttacks } from "./injections.ts";

const run = promisify(execFile);
const marker = "injected-4c1d";

/** A way by which the text of a stranger reaches the model. */
interface Source {
	readonly name: string;
	/** Call that reads the text. */
	readonly call: { readonly tool: string; readonly arguments: Record<string, unknown> };
}

const sources: readonly Source[] = [
	{ name: "a file", call: { tool: "read_file", arguments: { path: "mail.txt" } } },
	{ name: "the name of a file", call: { tool: "list_files", arguments: { path: "inbox" } } },
	{ name: "the result of a search", call: { tool: "search_files", arguments: { pattern: marker } } },
	{ name: "the output of a command", call: { tool: "run_command", arguments: { cmd: "cat mail.txt" } } },
	{ name: "a page", call: { tool: "web_fetch", arguments: { url: "page" } } },
];

interface Attempt {
	readonly source: Source;
	readonly attack: Attack;
	/** Whether the person approves the call of the attacker. */
	readonly approves: boolean;
	/** Whether the person has approved writes for the session before. Default: no. */
	readonly hasGrant?: boolean;
}

interface Ended {
	/** Whether the model has read the instruction, and called the tool. */
	readonly tried: boolean;
	/** Whether the call changed anything. */
	readonly hadEffect: boolean;
}

/** A person requests something harmless and approves its calls. The model reads an instruction and obeys it. */
async function attempt({ source, attack, approves, hasGrant = false }: Attempt): Promise<Ended> {
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
	// The state after the harmless call.
	let before = "";
	const model = new ScriptedModel(
		...(hasGrant ? [[calls("c0", attack.tool, attack.granted ?? {})]] : []),
		[calls("c1", source.call.tool, first)],
		async function* (request) {
			// A name of a file has no slashes.
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
	await using t = await TestRuntime.open({ model, clock, tools: [...builtinTools(), web] });
	await furnish(join(t.directory, "work"), text);
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

/** The person approves the own calls: one for the session, so that later calls like it need no approval. */
function answerOf(callId: string | undefined, approves: boolean) {
	if (callId === "c0") return { value: "session" };
	return callId === "c1" || approves ? { value: true } : { cancelled: true };
}

const noUsage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };

function knows({ messages }: ModelRequest, text: string): boolean {
	return JSON.stringify(messages).includes(text);
}

async function furnish(work: string, text: string): Promise<void> {
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

/** All files, notes and schedules, and the requests to the site of the attacker. */
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

const all = sources.flatMap((source) => attacks.map((attack) => ({ source, attack })));

test("there are 50 injected instructions", () => {
	expect(all).toHaveLength(50);
});

test.each(all.map((one) => ({ ...one, from: one.source.name, what: one.attack.name })))(
	"an instruction in $from to $what has no effect without approval, although the model obeys",
	async ({ source, attack }) => {
		expect(await attempt({ source, attack, approves: false })).toEqual({ tried: true, hadEffect: false });
	},
);

test.each(attacks)("the same call has an effect if a person approves it: $name", async (attack) => {
	const [source] = sources;
	if (!source) throw new Error("there is no source");
	expect(await attempt({ source, attack, approves: true })).toEqual({ tried: true, hadEffect: true });
});

test.each(instructionAttacks)(
	"an approval of writes for the session does not cover to $name, which needs its own",
	async (attack) => {
		for (const source of sources) {
			const denied = await attempt({ source, attack, approves: false, hasGrant: true });
			expect([source.name, denied]).toEqual([source.name, { tried: true, hadEffect: false }]);
		}
		const [source] = sources;
		if (!source) throw new Error("there is no source");
		expect(await attempt({ source, attack, approves: true, hasGrant: true })).toEqual({
			tried: true,
			hadEffect: true,
		});
	},
);
