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
 * `unauthenticated` for an invalid token, `resource_exhausted` for 429, `unavailable` for 5xx, otherwise
 * `permission_denied`.
 */
export async function askDiscord(port: Discord["port"], path: string): Promise<DiscordResponse> {
	const response = await port.request({ method: "GET", path });
	const { status, body } = response;
	if (status === 200) return response;
	const message = Words.safeParse(body).data?.message;
	throw new ParleyError(accountTexts.refused({ status, path, message }), {
		code: codes[status] ?? (status >= 500 ? "unavailable" : "permission_denied"),
	});
}

const codes: Readonly<Record<number, ParleyError["code"]>> = {
	401: "unauthenticated",
	429: "resource_exhausted",
};
