import type { Tx } from "../../store/journal.ts";
import { isDenied } from "../../store/person-role.ts";
import type { ChatSettings } from "../../vocabulary/chat-settings.ts";
import type { Place } from "../../vocabulary/principal.ts";
import type { GivenRole } from "./person-rows.ts";

/** Maximum number of named people. */
const most = 5;
const approving: readonly GivenRole[] = ["approver", "owner"];

/**
 * The first people who may approve in a channel: those of its settings, or people with the role approver or owner. People
 * who have such a role only by a role of the platform are not known, so the list may be empty.
 */
export async function approversIn(
	db: Tx,
	place: Place,
	{ named, chat }: { readonly named: readonly string[] | undefined; readonly chat: ChatSettings },
): Promise<string[]> {
	const { platform, tenant } = place;
	const here = `${platform}:${tenant}:`;
	if (named) return named.filter((id) => id.startsWith(here)).slice(0, most);
	const rows = await db
		.selectFrom("people")
		.select("user_id")
		.where("platform", "=", platform)
		.where("tenant", "=", tenant)
		.where("role", "in", approving)
		.orderBy("created_at")
		.orderBy("id")
		.limit(most)
		.execute();
	const configured = chat.allow.flatMap((rule) => {
		const isHere =
			rule.platform === platform && (rule.tenant ?? tenant) === tenant && rule.channel === undefined;
		const isOne = isHere && rule.platformRole === undefined && approving.includes(rule.as);
		return isOne && rule.user !== undefined ? [rule.user] : [];
	});
	const users = [...new Set([...configured, ...rows.map(({ user_id: user }) => user)])];
	return users
		.filter((id) => {
			const actor = { id, name: "", roles: [], guest: false };
			return !isDenied({ actor, place, given: "stranger" }, chat);
		})
		.slice(0, most)
		.map((user) => `${here}${user}`);
}
