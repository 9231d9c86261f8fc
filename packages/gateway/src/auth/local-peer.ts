import { setImmediate } from "node:timers/promises";
import type { Logger } from "@parley/base";
import type { Connection } from "./incoming-request.ts";
import { findProcessSockets } from "./process-sockets.ts";
import { findOwners, type ReadTable, readSocketTable } from "./socket-tables.ts";

/** What is asked about the far ends of connections. */
export interface LocalPeersOptions {
	readonly log: Logger;
	/** Ids of the processes, groups and sessions of running tools: they are local, but not the operator. */
	processes(): readonly number[];
	/** What the environment of a tool's process holds, and no other's; undefined as long as no tool has run. */
	marker?(): string | undefined;
	/** The kernel's own tables unless told. */
	readonly readTable?: ReadTable;
}

export interface LocalPeers {
	/**
	 * Whether the far end belongs to a process of this gateway's own user, as the kernel says, and to no tool. False
	 * wherever that cannot be seen. A connection that was found to be local stays so until it closes: all requests on
	 * it cost one look. Never rejects.
	 */
	isLocal(connection: Connection): Promise<boolean>;
}

interface Question {
	readonly connection: Connection;
	readonly answer: (isLocal: boolean) => void;
}

/** Asks once for all connections that wait in the same tick, and never twice at a time. */
export function createLocalPeers({
	log,
	processes,
	marker = () => undefined,
	readTable = readSocketTable,
}: LocalPeersOptions): LocalPeers {
	const questions: Question[] = [];
	const known = new WeakSet<Connection>();
	let working = false;

	async function work(): Promise<void> {
		working = true;
		while (questions.length > 0) {
			await setImmediate();
			const asked = questions.splice(0);
			const local = await findLocal(asked.map(({ connection }) => connection)).catch((error: unknown) => {
				log.warn("the owners of local connections cannot be read; tokens are needed", { error });
				return [];
			});
			asked.forEach(({ connection, answer }, index) => {
				const isLocal = local[index] ?? false;
				if (isLocal) known.add(connection);
				answer(isLocal);
			});
		}
		working = false;
	}

	async function findLocal(connections: readonly Connection[]): Promise<boolean[]> {
		const inodes = (await findOwners(connections, readTable)).map((owner) =>
			owner !== undefined && owner.uid === process.getuid?.() ? owner.inode : undefined,
		);
		const own = new Set(inodes.filter((inode) => inode !== undefined));
		const tools = { related: processes(), marker: marker() };
		const anyRan = tools.related.length > 0 || tools.marker !== undefined;
		const ofTools = own.size > 0 && anyRan ? await findProcessSockets(tools, own) : new Set();
		return inodes.map((inode) => inode !== undefined && !ofTools.has(inode));
	}

	return {
		async isLocal(connection) {
			if (known.has(connection)) return true;
			const { promise, resolve: answer } = Promise.withResolvers<boolean>();
			questions.push({ connection, answer });
			if (!working) void work();
			return promise;
		},
	};
}
