import { once } from "node:events";
import { createReadStream } from "node:fs";
import { readdir, readFile, readlink } from "node:fs/promises";
import type { ZotClient } from "../conformance/drivers/zot-client.ts";

/**
 * A command of several processes that writes `ready` when all are there; `deaf` ones do not hear SIGTERM. They hold the pipe
 * `NAME` in the agent's directory open, and nothing but the end of the last of them closes it.
 */
export function family(name: string, deaf: boolean): string {
	return [
		// For both ways: who only writes waits for a reader.
		`mkfifo ${name}; exec 9<>${name}; ${deaf ? "trap '' TERM" : "true"}`,
		"sleep 1000 & (trap '' TERM; sleep 1000) & (sh -c 'sleep 1000; true') & echo ready",
		"while :; do sleep 1000; done",
	].join("; ");
}

export interface Held {
	/** Resolves when no process has the pipe open any more, with the time that was (`performance.now`). */
	readonly released: Promise<number>;
}

/** Takes the pipe's other end, while somebody has it open. */
export async function hold(agent: ZotClient, name: string): Promise<Held> {
	const pipe = createReadStream(agent.path("work", name));
	await once(pipe, "open");
	const released = once(pipe.resume(), "end").then(() => performance.now());
	return { released };
}

/** The command lines of processes that work in this directory, but for the agent itself. */
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
		// It is somebody else's, or has just ended.
		return undefined;
	}
}
