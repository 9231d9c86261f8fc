import { setImmediate } from "node:timers/promises";
import type { Logger } from "@parley/base";
import type { ConnectionAddresses } from "./incoming-request.ts";
import { ToolSockets } from "./process-sockets.ts";
import { findOwners, type ReadTable, readSocketTable } from "./socket-tables.ts";

interface ToolProcesses {
	/** Marker in the environment of tool processes outside the sandbox. Undefined before the first such process. */
	readonly marker: string | undefined;
	/** Number of commands that the gateway has started outside the sandbox so far. */
	readonly started: number;
	/**
	 * Returns the process ids of commands outside the sandbox: of running commands, and of commands that ended in the
	 * last minute.
	 */
	processes(): readonly number[];
}

export interface LocalPeersOptions {
	readonly log: Logger;
	/** Tool processes. They must not act as the operator. Absent if only the user is checked. */
	readonly tools?: ToolProcesses;
	/** Reads a socket table. Default: the tables of the kernel. */
	readonly readTable?: ReadTable;
}

export interface LocalPeers {
	/**
	 * Whether the far end of a connection belongs to a process of the gateway's own user, but not to a tool process.
	 * False if the tables of the kernel do not show the owner. Never rejects. After a positive result, later calls
	 * check only whether a tool process now has the socket.
	 */
	isLocal(connection: ConnectionAddresses): Promise<boolean>;
}

interface Question {
	readonly connection: ConnectionAddresses;
	readonly answer: (isLocal: boolean) => void;
}

/** A connection that was local at its last check. */
interface Known {
	/** Inode of the socket at the far end. */
	readonly inode: string;
	/** Value of `ToolProcesses.started` before the check. */
	readonly started: number;
}

const noTools = { marker: undefined, started: 0, processes: () => [] };

/**
 * Creates the check of local connections. Checks that are requested in the same tick share one read of the socket
 * tables and of the processes. Reads do not overlap.
 */
export function createLocalPeers({
	log,
	tools = noTools,
	readTable = readSocketTable,
}: LocalPeersOptions): LocalPeers {
	const questions: Question[] = [];
	const known = new WeakMap<ConnectionAddresses, Known>();
	const toolSockets = new ToolSockets();
	let working = false;

	async function work(): Promise<void> {
		working = true;
		while (questions.length > 0) {
			await setImmediate();
			const batch = questions.splice(0);
			const { started } = tools;
			const inodes = await findLocal(batch.map(({ connection }) => connection)).catch((error: unknown) => {
				log.warn("the users of local connections cannot be read, so local programs need tokens", { error });
				return [];
			});
			batch.forEach(({ connection, answer }, index) => {
				const inode = inodes[index];
				if (inode === undefined) known.delete(connection);
				else known.set(connection, { inode, started });
				answer(inode !== undefined);
			});
		}
		working = false;
	}

	/**
	 * Returns the inodes of the far ends, in the order of `connections`. An inode is undefined if the far end does not
	 * belong to this user, or belongs to a tool process.
	 */
	async function findLocal(connections: readonly ConnectionAddresses[]): Promise<(string | undefined)[]> {
		const strange = connections.filter((connection) => !known.has(connection));
		const owners = await findOwners(strange, readTable);
		const found = new Map(strange.map((connection, index) => [connection, owners[index]]));
		const inodes = connections.map((connection) => {
			const owner = found.get(connection);
			return owner?.uid === process.getuid?.() ? owner?.inode : known.get(connection)?.inode;
		});
		const own = new Set(inodes.filter((inode) => inode !== undefined));
		const ofTools = await findToolSockets(own);
		return inodes.map((inode) => (inode === undefined || ofTools.has(inode) ? undefined : inode));
	}

	async function findToolSockets(inodes: ReadonlySet<string>): Promise<ReadonlySet<string>> {
		const [related, { marker }] = [tools.processes(), tools];
		const anyRan = related.length > 0 || marker !== undefined;
		return inodes.size > 0 && anyRan ? toolSockets.find({ related, marker }, inodes) : new Set();
	}

	return {
		async isLocal(connection) {
			if (known.get(connection)?.started === tools.started && tools.processes().length === 0) return true;
			const { promise, resolve: answer } = Promise.withResolvers<boolean>();
			questions.push({ connection, answer });
			if (!working) void work();
			return promise;
		},
	};
}
