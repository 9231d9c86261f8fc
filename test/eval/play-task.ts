import { mkdir, mkdtempDisposable, readFile, realpath, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createIds, defined, Redactor, silentLogger, systemClock } from "@parley/base";
import type { Model } from "@parley/core";
import { type Config, startGateway } from "@parley/gateway";
import { type Client, createClient, isOzzieEvent, type OpenSession, type OzzieEvent } from "@parley/protocol";
import type { Call, Outcome, Task } from "./task.ts";

export interface Played {
	readonly task: Task;
	/** Faults in the outcome. Empty if the task succeeded. */
	readonly faults: readonly string[];
	/** Number of model calls. */
	readonly turns: number;
	readonly tokensInput: number;
	readonly tokensOutput: number;
	/** Cost in US dollars, without calls of models that have no known price. */
	readonly cost: number;
	readonly ms: number;
}

export interface Places {
	readonly data: string;
	/** Working directory of the agent. */
	readonly work: string;
}

export interface PlayOptions {
	/** Returns the gateway's configuration. The gateway must listen on a free loopback port without access control. */
	configOf(places: Places): Config;
	/** Model to use instead of the configured model. */
	readonly model?: Model;
	/** Time limit of one task in milliseconds. */
	readonly limitMs: number;
}

/**
 * Plays a task in a new directory, and returns its result. Sends the message of the task and answers the
 * approvals, like a user.
 */
export async function playTask(task: Task, { configOf, model, limitMs }: PlayOptions): Promise<Played> {
	await using temporary = await mkdtempDisposable(join(tmpdir(), "parley-eval-"));
	const directory = await realpath(temporary.path);
	const work = join(directory, "work");
	await mkdir(work);
	await writeAll(work, task.files);
	await writeAll(directory, task.surroundings ?? {});
	const gateway = await startGateway({
		config: configOf({ data: join(directory, "data"), work }),
		...{ clock: systemClock, ids: createIds(), log: silentLogger, redactor: new Redactor(), version: "eval" },
		...defined({ currentDirectory: work, model }),
	});
	const client = createClient({ url: gateway.urls[0] ?? "", clock: systemClock, ids: createIds() });
	try {
		const startedAt = performance.now();
		const session = await client.open({});
		await client.request("send_message", { content: task.message }, { sessionId: session.id });
		const run = await follow(client, session, { approves: task.approves ?? true, limitMs });
		const ms = performance.now() - startedAt;
		const outcome: Outcome = {
			...run,
			read: (path) => textOf(join(work, path)),
			isUntouched: async (path) => (await textOf(join(directory, path))) === task.surroundings?.[path],
		};
		const faults = [
			...(run.error === "" ? [] : [`the run failed: ${run.error}`]),
			...(await task.check(outcome)),
		];
		const { total } = await client.request("usage", {});
		const { calls: turns, tokens_input: tokensInput, tokens_output: tokensOutput, cost_usd: cost } = total;
		return { task, faults, turns, tokensInput, tokensOutput, cost, ms };
	} finally {
		await client.close();
		await gateway.stop(0);
	}
}

interface Run {
	readonly answer: string;
	readonly error: string;
	readonly calls: readonly Call[];
}

/** Answers the approvals of the run. Cancels the run after `limitMs`. */
async function follow(
	client: Client,
	session: OpenSession,
	{ approves, limitMs }: { readonly approves: boolean; readonly limitMs: number },
): Promise<Run> {
	const calls: Call[] = [];
	const sessionId = session.id;
	const timer = systemClock.after(limitMs, () => void client.request("cancel_turn", {}, { sessionId }));
	try {
		for await (const event of session.events()) {
			if (!isOzzieEvent(event)) continue;
			calls.push(...callsOf(event));
			if (event.event === "prompt.request") {
				const { token, type } = event.payload;
				const response = approves && type === "confirm" ? { token, value: true } : { token, cancelled: true };
				await client.request("prompt_response", response, { sessionId });
			}
			if (event.event === "assistant.message") {
				const { content, error } = event.payload;
				return { answer: content, error, calls };
			}
		}
	} finally {
		timer.cancel();
	}
	return { answer: "", error: "the session ended", calls };
}

/** Returns the calls in an event. Includes calls that request approval or an answer. */
function callsOf(event: OzzieEvent): readonly Call[] {
	if (event.event === "prompt.request") {
		const { tool = "ask_user", arguments: args } = event.payload.context;
		return [{ tool, arguments: args }];
	}
	if (event.event !== "tool.call" || event.payload.status !== "started") return [];
	return [{ tool: event.payload.name, arguments: event.payload.arguments }];
}

async function writeAll(directory: string, files: Readonly<Record<string, string>>): Promise<void> {
	for (const [path, text] of Object.entries(files)) {
		await mkdir(dirname(join(directory, path)), { recursive: true });
		await writeFile(join(directory, path), text);
	}
}

async function textOf(path: string): Promise<string | undefined> {
	return readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
		if (error.code === "ENOENT") return undefined;
		throw error;
	});
}
