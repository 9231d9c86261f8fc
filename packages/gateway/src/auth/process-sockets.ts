import { readdir, readFile, readlink } from "node:fs/promises";
import { errno } from "../errno.ts";

interface Process {
	readonly pid: number;
	readonly parent: number;
	readonly group: number;
	readonly session: number;
}

/** How to know the processes of tools. */
interface Suspects {
	/** Ids of processes, groups and sessions. */
	readonly related: readonly number[];
	/** Text in the environment that such a process was started with. */
	readonly marker: string | undefined;
}

/**
 * Which of these socket inodes are open in a suspect: one of the given processes, their descendants, a process that
 * shares a group or session with them, or one whose environment holds the marker. What this user may not look into, and what has just ended, is left out.
 */
export async function findProcessSockets(
	{ related: roots, marker }: Suspects,
	inodes: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
	const processes = await readProcesses();
	const suspects = new Set(related(processes, new Set(roots)));
	if (marker !== undefined) {
		const others = processes.filter((process) => !suspects.has(process));
		for (const process of await marked(others, marker)) suspects.add(process);
	}
	const links = await Promise.all([...suspects].map(({ pid }) => openFiles(pid)));
	const open = links.flat().map((link) => /^socket:\[([0-9]+)\]$/.exec(link)?.[1] ?? "");
	return new Set(open.filter((inode) => inodes.has(inode)));
}

/** In the kernel's order a child may stand before its parent, therefore each walks up to its own ancestors. */
function related(processes: readonly Process[], roots: ReadonlySet<number>): Process[] {
	const byId = new Map(processes.map((process) => [process.pid, process]));
	return processes.filter((process) => {
		if (roots.has(process.group) || roots.has(process.session)) return true;
		const seen = new Set<number>();
		for (let at: Process | undefined = process; at !== undefined; at = byId.get(at.parent)) {
			if (roots.has(at.pid)) return true;
			// The table was not read in one moment: with ids used again, it may hold a circle.
			if (seen.has(at.pid)) return false;
			seen.add(at.pid);
		}
		return false;
	});
}

async function marked(processes: readonly Process[], marker: string): Promise<Process[]> {
	const environments = await Promise.all(
		processes.map(({ pid }) => readFile(`/proc/${pid}/environ`, "latin1").catch(ignoreGone)),
	);
	return processes.filter((_, index) => environments[index]?.includes(marker));
}

async function readProcesses(): Promise<Process[]> {
	const entries = await readdir("/proc");
	const ids = entries.filter((name) => /^[0-9]+$/.test(name));
	const found = await Promise.all(ids.map(readProcess));
	return found.filter((process) => process !== undefined);
}

async function readProcess(id: string): Promise<Process | undefined> {
	const stat = await readFile(`/proc/${id}/stat`, "latin1").catch(ignoreGone);
	if (stat === undefined) return undefined;
	// The name before the last parenthesis may hold anything: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
	const [, parent, group, session] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
	return { pid: Number(id), parent: Number(parent), group: Number(group), session: Number(session) };
}

async function openFiles(pid: number): Promise<string[]> {
	const directory = `/proc/${pid}/fd`;
	const names = (await readdir(directory).catch(ignoreGone)) ?? [];
	const links = await Promise.all(names.map((name) => readlink(`${directory}/${name}`).catch(ignoreGone)));
	return links.filter((link) => link !== undefined);
}

function ignoreGone(error: unknown): undefined {
	if (["ENOENT", "ESRCH", "EACCES", "EPERM"].includes(errno(error) ?? "")) return undefined;
	throw error;
}
