import { existsSync } from "node:fs";
import {
	type Clock,
	keyvMigration,
	type Logger,
	ParleyError,
	readMigrationNames,
	readSqliteFile,
	type Store,
	type Timer,
} from "@parley/base";
import {
	type ConnectorDatabaseOptions,
	connectorDatabaseFile,
	openConnectorDatabase,
} from "../store/connector-database.ts";
import { connectorMigrations } from "../store/migrations.ts";
import type { ConnectorTables } from "../store/tables.ts";
import { type Decision, forgetDecision, leaveDecision, readDecisions } from "./decisions.ts";
import type { Outbox } from "./outbox.ts";

/** A person waits for it at a terminal. */
const lookMs = 2_000;

interface Parts {
	readonly store: Store<ConnectorTables>;
	readonly outbox: { readonly decide: Outbox["decide"] };
	readonly clock: Clock;
	readonly log: Logger;
}

/**
 * Carries out what other processes have decided of held posts, now and every two seconds until it is stopped. They
 * write a row and change nothing that this process has in memory; SQLite lets one of both write at a time.
 */
export function startLeftDecisions(parts: Parts): { stop(): Promise<void> } {
	const { clock } = parts;
	let timer: Timer | undefined;
	let isStopped = false;
	let looking = Promise.resolve();
	const once = (): void => {
		looking = look(parts).then(() => {
			if (!isStopped) timer = clock.after(lookMs, once);
		});
	};
	once();
	return {
		async stop() {
			isStopped = true;
			timer?.cancel();
			await looking;
		},
	};
}

async function look(parts: Parts): Promise<void> {
	try {
		for (const decision of await parts.store.read(readDecisions)) await carryOut(parts, decision);
	} catch (error) {
		parts.log.warn("what was decided of held posts waits because the connector's database failed", { error });
	}
}

async function carryOut(
	{ store, outbox, log }: Parts,
	{ id, ...decision }: Decision & { readonly id: string },
): Promise<void> {
	try {
		await outbox.decide(id, decision);
		log.info("a held post was decided", { id, ...decision });
	} catch (reason) {
		const { code, message } = ParleyError.from(reason);
		if (code !== "not_found" && code !== "failed_precondition") throw reason;
		log.info("a decision came too late", { id, reason: message });
		await store.commit((tx) => forgetDecision(tx, id));
	}
}

/**
 * Has the connector that runs send a held post or an answer that was given up, or never send it, within some seconds. Nothing else of its database is
 * changed, and no table: a connector of another version is refused with `failed_precondition`, as is a post of which
 * nothing is to be decided. Rejects with `not_found` where there is none.
 */
export async function leaveDecisionOn(
	where: ConnectorDatabaseOptions,
	{ id, decision }: { readonly id: string; readonly decision: Decision },
): Promise<void> {
	const file = connectorDatabaseFile(where);
	if (!existsSync(file)) throw new ParleyError(`the outbox has no row ${id}`, { code: "not_found" });
	const known = new Set(await readSqliteFile<unknown, string[]>(file, readMigrationNames));
	if (![keyvMigration, ...connectorMigrations].every(({ name }) => known.has(name))) {
		const message = `the ${where.platform} connector that runs is of an earlier version of Parley: start it again first`;
		throw new ParleyError(message, { code: "failed_precondition" });
	}
	const { store } = await openConnectorDatabase(where);
	try {
		await store.commit((tx) => leaveDecision(tx, id, decision, where.clock.now()));
	} finally {
		await store.close();
	}
}
