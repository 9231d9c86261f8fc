import * as z from "zod";
import type { OwnAccount } from "../vocabulary/slack-port.ts";

/** Boolean field. In commands, the value is a string. */
const isTrue = z
	.union([z.boolean(), z.string()])
	.nullish()
	.transform((value) => value === true || value === "true");

/** An installation that receives an event: https://docs.slack.dev/apis/events-api#authorizations */
export const Installation = z.object({
	team_id: z.string().nullish(),
	enterprise_id: z.string().nullish(),
	is_enterprise_install: isTrue,
});
export type Installation = z.output<typeof Installation>;

/**
 * Whether an event is for this installation. The app may also be installed in other workspaces. Members of those
 * workspaces have no permissions here.
 */
export function isForSelf(
	{ team_id, enterprise_id, is_enterprise_install }: Installation,
	{ team, enterprise }: OwnAccount,
): boolean {
	if (team_id === team) return true;
	const isOfAll = is_enterprise_install || !team_id;
	return isOfAll && enterprise !== undefined && enterprise_id === enterprise;
}
