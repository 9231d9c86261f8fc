import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import { errno } from "../data-directory/errno.ts";

/** Number of processes that are read between two pauses for other work. Reading one process takes about 15 µs. */
const BATCH = 64;

const SOCKET = /^socket:\[([0-9]+)\]$/;

interface Process {
	readonly pid: number;
	readonly parent: number;
	readonly group: number;
	readonly session: number;
	/**
	 * Start time in clock ticks after boot. Process id and start time together identify a process, even if the id is
	 * reused.
	 */
	readonly startTime: number;
}

/**
 * Finds the sockets that are open in tool processes:
 * - the `related` processes and their descendants
 * - processes in a group or session with the id of a `related` process
 * - processes with the marker in their environment
 *
 * Omits processes that this user cannot read, that have ended, or that started before the gateway.
 */
export class ToolSockets {
	/** Whether a process has the marker in its environment, by process id and start time. */
	#marked = new Map<string, boolean>();
	/** Start time of the gateway's own process. A process that started earlier is not a tool of the gateway. */
	#oldest: number | undefined;

	/** Returns the inodes in `inodes` whose sockets are open in a tool process. */
	async find(
		{ related, marker }: { readonly related: readonly number[]; readonly marker: string | undefined },
		inodes: ReadonlySet<string>,
	): Promise<ReadonlySet<string>> {
		this.#oldest ??= readProcess("self")?.startTime ?? 0;
		const processes = await readProcesses(this.#oldest);
		const suspects = new Set(relatedTo(new Set(related), processes));
		if (marker !== undefined) {
			const others = processes.filter((process) => !suspects.has(process));
			for (const process of await this.#readMarked(others, marker)) suspects.add(process);
		}
		const open = [...suspects].flatMap(({ pid }) => openSockets(pid));
		return new Set(open.filter((inode) => inodes.has(inode)));
	}

	async #readMarked(processes: readonly Process[], marker: string): Promise<Process[]> {
		const known = this.#marked;
		this.#marked = new Map();
		const marked = await Promise.all(
			processes.map(async ({ pid, startTime }) => {
				const name = `${pid} ${startTime}`;
				const isMarked = known.get(name) ?? (await hasText(pid, marker));
				if (isMarked !== undefined) this.#marked.set(name, isMarked);
				return isMarked;
			}),
		);
		return processes.filter((_, index) => marked[index]);
	}
}

/**
 * Whether the environment of a process contains `text`. Undefined if the environment is unreadable, or empty because
 * the process is starting another program.
 */
async function hasText(pid: number, text: string): Promise<boolean | undefined> {
	// The read is asynchronous, because the kernel blocks the read while the other process has a lock on its own
	// memory.
	const environment = await readFile(`/proc/${pid}/environ`, "latin1").catch(ignoreMissing);
	return environment ? environment.includes(text) : undefined;
}

/**
 * Returns the processes that are in `roots`, have an ancestor in `roots`, or belong to a group or session with an id
 * in `roots`.
 */
function relatedTo(roots: ReadonlySet<number>, processes: readonly Process[]): Process[] {
	const byId = new Map(processes.map((process) => [process.pid, process]));
	return processes.filter((process) => {
		if (roots.has(process.group) || roots.has(process.session)) return true;
		const seen = new Set<number>();
		// A child may precede its parent in the list, so the ancestors of each process are followed.
		for (let at: Process | undefined = process; at !== undefined; at = byId.get(at.parent)) {
			if (roots.has(at.pid)) return true;
			// Reused ids may form a cycle, because the list was not read at a single moment.
			if (seen.has(at.pid)) return false;
			seen.add(at.pid);
		}
		return false;
	});
}

/** Returns the processes whose start time is at least `oldest`. */
async function readProcesses(oldest: number): Promise<Process[]> {
	// The reads are synchronous, because they never wait for another process, and promises need eight times the CPU
	// time.
	const ids = readdirSync("/proc").filter((name) => /^[0-9]+$/.test(name));
	const found: Process[] = [];
	for (const [index, id] of ids.entries()) {
		if (index % BATCH === BATCH - 1) await setImmediate();
		const process = readProcess(id);
		if (process !== undefined && process.startTime >= oldest) found.push(process);
	}
	return found;
}

function readProcess(id: string): Process | undefined {
	const stat = undefinedIfEnded(() => readFileSync(`/proc/${id}/stat`, "utf8"));
	if (stat === undefined) return undefined;
	// The name before the last parenthesis may contain any text: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
	const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
	const field = (index: number): number => Number(fields[index]);
	const [parent, group, session, startTime] = [field(1), field(2), field(3), field(19)];
	return { pid: Number.parseInt(stat, 10), parent, group, session, startTime };
}

function openSockets(pid: number): string[] {
	const directory = `/proc/${pid}/fd`;
	const names = undefinedIfEnded(() => readdirSync(directory)) ?? [];
	return names.flatMap((name) => {
		const [, inode] = SOCKET.exec(undefinedIfEnded(() => readlinkSync(`${directory}/${name}`)) ?? "") ?? [];
		return inode ?? [];
	});
}

function undefinedIfEnded<T>(read: () => T): T | undefined {
	try {
		return read();
	} catch (error) {
		return ignoreMissing(error);
	}
}

function ignoreMissing(error: unknown): undefined {
	if (["ENOENT", "ESRCH", "EACCES", "EPERM"].includes(errno(error) ?? "")) return undefined;
	throw error;
}
