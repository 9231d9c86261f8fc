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
import { postTexts } from "../texts/posts.ts";
import { type Decision, forgetDecision, leaveDecision, readDecisions } from "./decisions.ts";
import type { Outbox } from "./outbox.ts";

/** Milliseconds between two checks for decisions. Short, because a person waits at a terminal. */
const pollMs = 2_000;

interface Parts {
	readonly store: Store<ConnectorTables>;
	readonly outbox: { readonly decide: Outbox["decide"] };
	readonly clock: Clock;
	readonly log: Logger;
}

/**
 * Carries out the decisions of other processes about held posts and dead answers, now and every two seconds
 * until `stop`. Other processes store only their decisions, because this process has the state of the rows in
 * memory.
 */
export function startDecisionPolling(parts: Parts): { stop(): Promise<void> } {
	const { clock } = parts;
	let timer: Timer | undefined;
	let isStopped = false;
	let looking = Promise.resolve();
	const once = (): void => {
		looking = executeDecisions(parts).then(() => {
			if (!isStopped) timer = clock.after(pollMs, once);
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

async function executeDecisions(parts: Parts): Promise<void> {
	try {
		for (const decision of await parts.store.read(readDecisions)) await execute(parts, decision);
	} catch (error) {
		parts.log.warn("decisions about held posts wait because the connector's database failed", { error });
	}
}

async function execute(
	{ store, outbox, log }: Parts,
	{ id, ...decision }: Decision & { readonly id: string },
): Promise<void> {
	try {
		await outbox.decide(id, decision);
		log.info("a held post was decided", { id, ...decision });
	} catch (reason) {
		const { code, message } = ParleyError.from(reason);
		if (code !== "not_found" && code !== "failed_precondition") throw reason;
		log.info("a decision about a held post was too late", { id, reason: message });
		await store.commit((tx) => forgetDecision(tx, id));
	}
}

/**
 * Leaves a decision about a held post or a dead answer for the running connector. The connector carries out the
 * decision within a few seconds. Changes no other data and no schema. Rejects with `not_found` if the post is
 * unknown. Rejects with `failed_precondition` if the connector has an earlier version, or if the post does not
 * allow the decision.
 */
export async function leaveDecisionOn(
	where: ConnectorDatabaseOptions,
	{ id, decision }: { readonly id: string; readonly decision: Decision },
): Promise<void> {
	const file = connectorDatabaseFile(where);
	if (!existsSync(file)) throw new ParleyError(postTexts.unknown({ id }), { code: "not_found" });
	const known = new Set(await readSqliteFile<unknown, string[]>(file, readMigrationNames));
	if (![keyvMigration, ...connectorMigrations].every(({ name }) => known.has(name))) {
		const message = postTexts.oldConnector({ platform: where.platform });
		throw new ParleyError(message, { code: "failed_precondition" });
	}
	const { store } = await openConnectorDatabase(where);
	try {
		await store.commit((tx) => leaveDecision(tx, id, decision, where.clock.now()));
	} finally {
		await store.close();
	}
}
