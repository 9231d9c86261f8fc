import { delay, systemClock } from "@parley/base";
import type { Io } from "../io.ts";
import { withGateway } from "../with-gateway.ts";
import type { Platform } from "./platform.ts";
import type { ConnectorFlags } from "./run-connector.ts";

const lookMs = 2_000;

/** Looks until a conversation on a platform has an answer that is newer than `since`. */
export async function untilAnswered(options: {
	readonly flags: ConnectorFlags;
	readonly io: Io;
	readonly platform: Platform;
	/** Milliseconds since the epoch. */
	readonly since: number;
	readonly signal: AbortSignal;
}): Promise<void> {
	const { flags, io, platform, since, signal } = options;
	await withGateway(flags, io, async (client) => {
		for (;;) {
			const { sessions } = await client.request("list_sessions", { limit: 100 });
			const isAnswer = sessions.some(
				({ external_key, updated_at, message_count, state }) =>
					external_key?.startsWith(`${platform.name}:`) &&
					Date.parse(updated_at) > since &&
					message_count >= 2 &&
					state === "idle",
			);
			if (isAnswer) return;
			await delay(systemClock, lookMs, signal);
		}
	});
}
