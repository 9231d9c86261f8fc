import { systemClock } from "@parley/base";
import { decideStuckPost, readStuckPosts } from "@parley/discord";
import type { Io } from "../io.ts";
import { alignColumns } from "../text/columns.ts";
import { timeAgo } from "../text/time-ago.ts";
import { visibleLine } from "../text/visible.ts";
import { printJson, printRows } from "../with-gateway.ts";
import { lockConnector } from "./lock-connector.ts";
import { type ConnectorFlags, readConnectorConfig } from "./run-connector.ts";

const mostShown = 100;

/** Prints what the connector has not posted and does not try by itself any more, with the reason. */
export async function listStuckPosts(
	flags: ConnectorFlags & { readonly json?: boolean },
	io: Io,
): Promise<void> {
	const { data } = await readConnectorConfig(flags, io);
	const posts = await readStuckPosts(data, mostShown);
	if (flags.json) return printJson(posts, io);
	if (posts.length === 0) return printRows(["nothing is held, and nothing was given up"], io);
	const now = systemClock.now();
	const rows = posts.map(({ id, state, since, lane, reason }) => {
		return [id, state, timeAgo(since, now), lane, reason].map(visibleLine);
	});
	printRows(alignColumns([["ID", "STATE", "SINCE", "KIND", "REASON"], ...rows]), io);
}

/** Has a held post sent by the next start of the connector, or never. Throws where the connector runs. */
export async function decideStuck(
	{ id, send, flags }: { readonly id: string; readonly send: boolean; readonly flags: ConnectorFlags },
	io: Io,
): Promise<void> {
	const { data } = await readConnectorConfig(flags, io);
	const lock = lockConnector(data, "discord", "stop it, decide, and start it again");
	try {
		const decision = { send, by: "the operator" };
		await decideStuckPost({ dataDir: data, clock: systemClock, id, decision });
	} finally {
		lock.release();
	}
	printRows([send ? "it is sent as soon as the connector runs" : "it is never sent"], io);
}
