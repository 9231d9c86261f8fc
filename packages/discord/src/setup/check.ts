import { type Clock, ParleyError } from "@parley/base";
import * as z from "zod";
import { accountTexts } from "../texts/account.ts";
import type { DiscordResponse, DiscordRest } from "../vocabulary/discord-port.ts";

/** Access of the checks to Discord's API. */
export interface Discord {
	readonly port: DiscordRest;
	readonly clock: Clock;
}

const Words = z.object({ message: z.string() });

/**
 * Returns the response to a GET request. For any status except 200, rejects with a `ParleyError` for operators:
 * `unauthenticated` for an invalid token, `unavailable` for 429 and 5xx, otherwise `permission_denied`.
 */
export async function askDiscord(port: Discord["port"], path: string): Promise<DiscordResponse> {
	const response = await port.request({ method: "GET", path });
	const { status, body } = response;
	if (status === 200) return response;
	const message = Words.safeParse(body).data?.message;
	throw new ParleyError(accountTexts.refused({ status, path, message }), {
		code:
			status === 401
				? "unauthenticated"
				: status >= 500 || status === 429
					? "unavailable"
					: "permission_denied",
	});
}
