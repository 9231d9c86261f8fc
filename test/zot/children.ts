import { once } from "node:events";
import { createReadStream } from "node:fs";
import { readdir, readFile, readlink } from "node:fs/promises";
import type { ZotClient } from "../conformance/drivers/zot-client.ts";

/**
 * A command with several processes that prints `ready` when all have started. With `deaf`, all of them ignore SIGTERM,
 * otherwise one does. They keep the pipe `NAME` in the agent's directory open until the last process ends.
 */
export function family(name: string, deaf: boolean): string {
	return [
		// The pipe is opened for reading and writing, because opening it only for writing would wait for a reader.
		`mkfifo ${name}; exec 9<>${name}; ${deaf ? "trap '' TERM" : "true"}`,
		"sleep 1000 & (trap '' TERM; sleep 1000) & (sh -c 'sleep 1000; true') & echo ready",
		"while :; do sleep 1000; done",
	].join("; ");
}

export interface OpenPipe {
	/** Resolves when no process has the pipe open. The value is the time (`performance.now`). */
	readonly released: Promise<number>;
}

/** Opens the reading end of the pipe while a process has the other end open. */
export async function openPipe(agent: ZotClient, name: string): Promise<OpenPipe> {
	const pipe = createReadStream(agent.path("work", name));
	await once(pipe, "open");
	const released = once(pipe.resume(), "end").then(() => performance.now());
	return { released };
}

/** The command lines of processes whose working directory this is, without the agent itself. */
export async function childrenIn(directory: string): Promise<string[]> {
	const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
	const found = await Promise.all(ids.map((id) => commandIn(id, directory)));
	return found.filter((command) => command !== undefined && !command.includes("zot.mjs")).map(String);
}

async function commandIn(id: string, directory: string): Promise<string | undefined> {
	try {
		if ((await readlink(`/proc/${id}/cwd`)) !== directory) return undefined;
		return (await readFile(`/proc/${id}/cmdline`, "utf8")).replaceAll("\0", " ");
	} catch {
		// The process belongs to another user, or has just ended.
		return undefined;
	}
}
