import { systemClock } from "@parley/base";
import { decideStuckPost, leaveDecisionOn, readStuckPosts } from "@parley/connector";
import type { Io } from "../command-line/io.ts";
import { printJson, printRows } from "../command-line/output.ts";
import type { Platform } from "../gateway/platform.ts";
import { alignColumns } from "../text/columns.ts";
import { timeAgo } from "../text/time-ago.ts";
import { visibleLine } from "../text/visible.ts";
import { stuckPostTexts } from "../texts/connectors/posts.ts";
import { lockIfStopped } from "./lock-connector.ts";
import { type ConnectorFlags, readConnectorConfig } from "./run-connector.ts";

const maxShown = 100;

interface OfPlatform {
	readonly platform: Platform["name"];
	readonly flags: ConnectorFlags;
}

/** Prints up to 100 held or failed posts of the connector, with the reason. Held posts are first. */
export async function listStuckPosts(
	{ platform, flags }: OfPlatform & { readonly flags: { readonly json?: boolean } },
	io: Io,
): Promise<void> {
	const { data: dataDir } = await readConnectorConfig(flags, io);
	const posts = await readStuckPosts({ platform, dataDir }, maxShown);
	if (flags.json) return printJson(posts, io);
	if (posts.length === 0) return printRows([stuckPostTexts.noPosts], io);
	const now = systemClock.now();
	const rows = posts.map(({ id, state, since, lane, reason }) => {
		return [id, state, timeAgo(since, now), lane, reason].map(visibleLine);
	});
	printRows(alignColumns([stuckPostTexts.columns, ...rows]), io);
}

/**
 * Decides that a held post or a failed answer is sent, or that a held post is discarded. A running connector
 * applies the decision. If none runs, this command applies it, and a post is sent at the next start of the
 * connector.
 */
export async function decideStuck(
	{ platform, flags, id, send }: OfPlatform & { readonly id: string; readonly send: boolean },
	io: Io,
): Promise<void> {
	const { data: dataDir } = await readConnectorConfig(flags, io);
	const where = { platform, dataDir, clock: systemClock };
	const decided = { id, decision: { send, by: "the operator" } };
	const lock = lockIfStopped(dataDir, platform);
	if (lock === undefined) {
		// A running connector reads the decision and applies it itself, because its memory must match its database.
		await leaveDecisionOn(where, decided);
		return printRows([send ? stuckPostTexts.sentSoon : stuckPostTexts.discarded], io);
	}
	try {
		await decideStuckPost(where, decided);
	} finally {
		lock.release();
	}
	printRows([send ? stuckPostTexts.sentAtStart : stuckPostTexts.discarded], io);
}
