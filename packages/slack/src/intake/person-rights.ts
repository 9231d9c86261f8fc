import { defined } from "@parley/base";
import type { PersonQuery, PersonRights } from "@parley/connector";
import * as z from "zod";
import type { OwnAccount, SlackApi } from "../vocabulary/slack-port.ts";
import type { Channels } from "./channels.ts";
import type { People } from "./people.ts";
import { readSlack } from "./read-slack.ts";

const Members = z.object({
	members: z.array(z.string()),
	response_metadata: z.object({ next_cursor: z.string().default("") }).nullish(),
});

/** Limits of reading the members of a channel: https://docs.slack.dev/reference/methods/conversations.members */
const maxInPage = 1000;
const maxPages = 20;

export interface PersonRightsParts {
	readonly self: OwnAccount;
	readonly port: SlackApi;
	readonly people: People;
	readonly channels: Channels;
}

/**
 * Returns the rights of a person according to Slack: whether the person belongs to the workspace, is a guest, and
 * can write in the channel. `roles` is empty. Resolves with undefined for another workspace, or if the members of
 * the channel cannot be read. Rejects if Slack does not respond.
 */
export async function readPersonRights(
	{ self, port, people, channels }: PersonRightsParts,
	{ user, place }: PersonQuery,
): Promise<PersonRights | undefined> {
	const { tenant, channel } = place;
	if (tenant !== self.team) return undefined;
	const person = await people.ask(user);
	if (person === "left") return { present: false, reason: "left" };
	const { guest } = person;
	channels.forget(channel);
	const { kind, ours, open, shared } = await channels.find(channel);
	if (kind === "direct") return { present: true, roles: [], guest, shared: false };
	// All full members of a workspace can join its public channels.
	const isOpen = open && !guest;
	const mayWrite = ours && (isOpen || (await isMember(port, channel, user)));
	if (mayWrite === undefined) return undefined;
	return mayWrite ? { present: true, roles: [], guest, shared } : { present: false, reason: "no_access" };
}

/**
 * Whether `user` is a member of `channel`. Undefined if Slack refuses or sends an invalid list, or if the first
 * `maxPages` pages of a longer list do not contain the person.
 */
async function isMember(port: SlackApi, channel: string, user: string): Promise<boolean | undefined> {
	let cursor = "";
	for (let page = 0; page < maxPages; page++) {
		const args = defined({ channel, limit: maxInPage, cursor: cursor || undefined });
		const answer = await readSlack(port, { method: "conversations.members", args });
		const read = "body" in answer ? Members.safeParse(answer.body).data : undefined;
		if (!read) return undefined;
		if (read.members.includes(user)) return true;
		cursor = read.response_metadata?.next_cursor ?? "";
		if (cursor === "") return false;
	}
	return undefined;
}
