import { type Clock, ParleyError } from "@parley/base";
import * as z from "zod";
import type { DiscordResponse, DiscordRest } from "../vocabulary/discord-port.ts";

/** Access of the checks to Discord. */
export interface Discord {
	readonly port: DiscordRest;
	readonly clock: Clock;
}

const Words = z.object({ message: z.string() });

/**
 * Asks for something; rejects with a `ParleyError` that a person may read where Discord does not give it:
 * `unauthenticated` where it does not know the token.
 */
export async function askDiscord(port: Discord["port"], path: string): Promise<DiscordResponse> {
	const response = await port.request({ method: "GET", path });
	const { status, body } = response;
	if (status === 200) return response;
	const words = Words.safeParse(body).data?.message ?? "without a reason";
	throw new ParleyError(`Discord answered ${status} to GET ${path}: ${words}`, {
		code:
			status === 401
				? "unauthenticated"
				: status >= 500 || status === 429
					? "unavailable"
					: "permission_denied",
	});
}

/** Result of a check. `fix`, with a link if there is one, says how to solve a problem. */
export interface Finding {
	/** Never changes, because scripts may use it. */
	readonly id: string;
	readonly status: "ok" | "warn" | "fail";
	readonly what: string;
	readonly fix?: string;
}
