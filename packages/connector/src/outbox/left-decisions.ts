import { type Clock, type Logger, ParleyError, type Store, type Timer } from "@parley/base";
import type { ConnectorTables } from "../store/tables.ts";
import { type Decision, forgetDecision, readDecisions } from "./decisions.ts";
import type { Outbox } from "./outbox.ts";

/** A person waits for it at a terminal. */
const lookMs = 2_000;

interface Parts {
	readonly store: Store<ConnectorTables>;
	readonly outbox: Pick<Outbox, "decide">;
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
