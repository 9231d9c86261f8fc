import { DeliveryError, type OutboxRow, type Receipt } from "@parley/connector";
import { addressOfConversation } from "../vocabulary/conversation.ts";
import type { Caller } from "./caller.ts";
import { Refused } from "./refused.ts";

/**
 * Sets the title of a thread's session: https://docs.slack.dev/reference/methods/agents.sessions.rename. A
 * missing session is created with the title. Resolves even if Slack refuses, because an app that is not an agent
 * has no titles.
 */
export async function showTitle(caller: Caller, row: OutboxRow, title: string): Promise<Receipt> {
	const { conversation, lane } = row;
	const address = addressOfConversation(conversation);
	const receipt = { remote: conversation };
	if (address?.thread === undefined) return receipt;
	const place = { channel_id: address.channel, thread_ts: address.thread };
	try {
		const { limits } = await rename(caller, { lane, place, title });
		return { ...receipt, limits };
	} catch (error) {
		if (DeliveryError.from(error).isRefusal) return receipt;
		throw error;
	}
}

async function rename(
	caller: Caller,
	{ lane, place, title }: Pick<OutboxRow, "lane"> & { readonly place: object; readonly title: string },
) {
	try {
		return await caller.ask({ method: "agents.sessions.rename", lane }, { ...place, title });
	} catch (error) {
		if (!(error instanceof Refused) || error.slackCode !== "session_not_found") throw error;
		return caller.ask({ method: "agents.sessions.setStatus", lane }, { ...place, status: "active", title });
	}
}
