import { GatewayCloseCodes } from "discord-api-types/v10";
import { connectionTexts } from "../texts/connection.ts";

/** Page with the settings of Discord applications. */
export const developerPortal = "https://discord.com/developers/applications";

/**
 * Returns advice for a close code after which a retry would also fail. Returns undefined if a retry may succeed.
 * https://docs.discord.com/developers/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes
 */
export function closeRefusal(code: number): string | undefined {
	return refusals[code];
}

const page = { portal: developerPortal };

const refusals: Readonly<Record<number, string>> = {
	[GatewayCloseCodes.AuthenticationFailed]: connectionTexts.unknownToken(page),
	[GatewayCloseCodes.InvalidShard]: connectionTexts.invalidShard,
	[GatewayCloseCodes.ShardingRequired]: connectionTexts.tooManyServers,
	[GatewayCloseCodes.InvalidAPIVersion]: connectionTexts.oldApi,
	[GatewayCloseCodes.InvalidIntents]: connectionTexts.invalidIntents,
	[GatewayCloseCodes.DisallowedIntents]: connectionTexts.missingIntent(page),
};
