import { once } from "node:events";
import { createReadStream } from "node:fs";
import { readdir, readFile, readlink } from "node:fs/promises";
import type { ZotClient } from "../conformance/drivers/zot-client.ts";

/**
 * Returns a shell command with several background processes. The command prints `ready` when it has started these
 * processes. With `deaf`, all processes of the command ignore SIGTERM; without `deaf`, only some of them do. The pipe
 * `name` in the working directory stays open until the last process has exited.
 */
export function family(name: string, deaf: boolean): string {
	return [
		// Opened for reading and writing, because opening it only for writing would wait for a reader.
		`mkfifo ${name}; exec 9<>${name}; ${deaf ? "trap '' TERM" : "true"}`,
		"sleep 1000 & (trap '' TERM; sleep 1000) & (sh -c 'sleep 1000; true') & echo ready",
		"while :; do sleep 1000; done",
	].join("; ");
}

export interface OpenPipe {
	/** Resolves with the time (`performance.now`) at which no process has the pipe open for writing. */
	readonly released: Promise<number>;
}

/** Opens the pipe for reading while the command has it open for writing. */
export async function openPipe(agent: ZotClient, name: string): Promise<OpenPipe> {
	const pipe = createReadStream(agent.path("work", name));
	await once(pipe, "open");
	const released = once(pipe.resume(), "end").then(() => performance.now());
	return { released };
}

/** Returns the command lines of the processes in the working directory `directory`, except the agent. */
export async function childrenIn(directory: string): Promise<string[]> {
	const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
	const commands = await Promise.all(ids.map((id) => commandIn(id, directory)));
	return commands.filter((command) => command !== undefined && !command.includes("zot.mjs")).map(String);
}

async function commandIn(id: string, directory: string): Promise<string | undefined> {
	try {
		if ((await readlink(`/proc/${id}/cwd`)) !== directory) return undefined;
		return (await readFile(`/proc/${id}/cmdline`, "utf8")).replaceAll("\0", " ");
	} catch {
		// The process belongs to another user, or has just exited.
		return undefined;
	}
}
