import type { Clock, Store } from "@parley/base";
import { isExpecting } from "../conversation/conversation.ts";
import type { ConnectorTables } from "../store/tables.ts";
import { readSessionKey } from "./external-key.ts";
import type { KnownSession } from "./known-sessions.ts";
import { readMark, type Traces } from "./session-cursors.ts";

/** So long cards are remembered, and with that what could still be changed on them. */
const changeableMs = 90 * 24 * 3_600_000;

interface Unlisted {
	/** Those that still promise something where people see it. */
	readonly expecting: readonly KnownSession[];
	/** Of all that were told on the platform, expecting something or not, none is listed. */
	readonly isAll: boolean;
}

/**
 * What was told and the gateway does not list: it has too many, they were deleted while no process of ours was there,
 * or it is not the gateway, or not the data, that they were told from.
 */
export async function readUnlisted(
	parts: {
		readonly store: Store<ConnectorTables>;
		readonly clock: Clock;
		readonly platform: { readonly name: string };
	},
	listed: ReadonlySet<string>,
	told: Traces,
): Promise<Unlisted> {
	const { store, clock, platform } = parts;
	const ours = [...told].flatMap(([id, { externalKey = "", changedAt }]) => {
		const key = readSessionKey(externalKey);
		return key?.platform === platform.name ? [{ id, key, usedAt: changedAt }] : [];
	});
	const unlisted = ours.filter(({ id }) => !listed.has(id));
	const expecting: KnownSession[] = [];
	for (const session of unlisted) {
		if (clock.now() - session.usedAt > changeableMs) continue;
		const mark = await store.read((db) => readMark(db, session.id));
		if (mark?.state && isExpecting(mark.state)) expecting.push(session);
	}
	return { expecting, isAll: ours.length > 0 && unlisted.length === ours.length };
}
