import type { ChannelRecord } from "../platform/records.ts";
import type { State } from "../platform/state.ts";

/** Returns the shape of a channel: https://docs.slack.dev/reference/objects/conversation-object */
export function channelShape(state: State, channel: ChannelRecord, members = false): Record<string, unknown> {
	const { id, kind, name, createdAt, creator } = channel;
	const created = Math.floor(createdAt / 1000);
	const isMember = channel.members.has(state.app.user);
	const isShared = channel.sharedWith.size > 0;
	const isPending = channel.sharePending.size > 0;
	if (kind === "im") {
		const other = [...channel.members].find((user) => user !== state.app.user);
		const head = { id, created, is_im: true, is_archived: false, is_org_shared: false, user: other?.id };
		return { ...head, is_ext_shared: isShared, context_team_id: state.team.id, is_open: true, priority: 0 };
	}
	return {
		...{ id, name, name_normalized: name, created, creator: creator.id, updated: createdAt, unlinked: 0 },
		...{ is_channel: kind === "channel", is_group: kind === "group", is_im: false, is_mpim: kind === "mpim" },
		...{ is_private: kind !== "channel", is_archived: channel.archived, is_general: false },
		...{ is_shared: isShared, is_ext_shared: isShared, is_pending_ext_shared: isPending },
		...{ is_org_shared: false, pending_shared: [...channel.sharePending].map((team) => team.id) },
		...{ shared_team_ids: [state.team, ...channel.sharedWith].map((team) => team.id) },
		...{ parent_conversation: null, context_team_id: state.team.id, is_member: isMember },
		...{ topic: { value: channel.topic, creator: "", last_set: 0 } },
		...{ purpose: { value: "", creator: "", last_set: 0 }, previous_names: [] },
		...(members && { num_members: channel.members.size }),
	};
}
