import type { TeamRecord, UserRecord } from "../platform/records.ts";
import type { State } from "../platform/state.ts";

/**
 * Returns the shape of a user as the app's workspace sees it: https://docs.slack.dev/reference/objects/user-object
 */
export function userShape(state: State, user: UserRecord): Record<string, unknown> {
	const { id, handle, name, team, isBot, botId } = user;
	const isStranger = team !== state.team;
	const profile = {
		...{ real_name: name, display_name: name, real_name_normalized: name, display_name_normalized: name },
		...{ team: team.id, avatar_hash: "0", status_text: "", status_emoji: "" },
		...(botId !== undefined && { bot_id: botId, api_app_id: user.appId }),
	};
	return {
		...{ id, team_id: team.id, name: handle, deleted: user.deleted, real_name: name, profile },
		...{ tz: "Etc/UTC", tz_label: "UTC", tz_offset: 0, is_bot: isBot, is_app_user: false },
		...{ is_admin: user.isAdmin, is_owner: user.isOwner, is_primary_owner: false },
		...{ is_restricted: user.isRestricted, is_ultra_restricted: user.isUltraRestricted },
		...(isStranger && { is_stranger: true }),
		...{ updated: 0, is_email_confirmed: true, locale: user.locale },
	};
}

/** Returns the shape of a team: https://docs.slack.dev/reference/methods/team.info */
export function teamShape({ id, name, domain, enterpriseId }: TeamRecord): Record<string, unknown> {
	return {
		...{ id, name, domain, email_domain: "", url: urlOf({ domain }), avatar_base_url: "" },
		...(enterpriseId !== undefined && { enterprise_id: enterpriseId }),
	};
}

export function urlOf({ domain }: Pick<TeamRecord, "domain">): string {
	return `https://${domain}.slack.com/`;
}

/** Returns the shape of a bot: https://docs.slack.dev/reference/methods/bots.info */
export function botShape({ botId, id, name, appId }: UserRecord): Record<string, unknown> {
	return { id: botId, deleted: false, name, updated: 0, app_id: appId, user_id: id, icons: {} };
}

export function botProfileShape({ botId, name, appId, team }: UserRecord): Record<string, unknown> {
	const icons = { image_36: "", image_48: "", image_72: "" };
	return { id: botId, app_id: appId, name, icons, deleted: false, updated: 0, team_id: team.id };
}
