import type { GrantPayload } from "@parley/protocol";
import { shortId } from "../tasks/task-state.ts";
import { plain } from "../vocabulary/plain.ts";
import type { RecordedEvent, Reducer, Scene } from "../vocabulary/reducer.ts";
import type { ShowOperation } from "../vocabulary/render-operation.ts";
import { approvalStillRequired, coverOf, endWords, personOf } from "./grant-words.ts";

/** What the channel is trusted with. */
export interface TrustSlice {
	/** The grant that holds. */
	readonly open?: { readonly id: string };
}

/** A channel whose tools run unasked for a while: everybody there can see that, and until when. */
export const trust: Reducer<TrustSlice> = {
	empty: {},
	reduce(slice, recorded, scene) {
		const { event } = recorded;
		if (event.event === "grant.created") {
			const { grant_id: id } = event.payload;
			return { slice: { open: { id } }, operations: [openGrantCard(event.payload, scene)] };
		}
		if (event.event !== "grant.ended" || event.payload.grant_id !== slice.open?.id) {
			return { slice, operations: [] };
		}
		const { grant_id: id, reason } = event.payload;
		const ended = { recorded, scene };
		return { slice: {}, operations: [endedGrantCard(id, reason, ended), endNotice(id, reason, ended)] };
	},
};

/** The card of a channel that is trusted: all its people see it, and can end it. */
function openGrantCard(grant: GrantPayload, scene: Scene): ShowOperation {
	const { controls, session, platform } = scene;
	const { grant_id: id, reason, granted_by } = grant;
	const until = Date.parse(grant.expires_at);
	const end = controls.write({ kind: "grant-end", session, subject: id });
	return {
		...named(id, scene),
		text: [
			"🔓 **This channel is trusted**: tools run here without asking.",
			`- Covered: ${coverOf(grant, platform)}`,
			`- Until ${platform.moment(until, "exact")}, ${platform.moment(until, "relative")}`,
			`- Granted by ${personOf(granted_by, platform)}: ${plain(reason, 300)}`,
			`- Still asked about: ${approvalStillRequired}`,
		].join("\n"),
		controls: [[{ type: "button", id: end, label: "End trust", style: "danger" }]],
	};
}

/** The same card after the end. */
function endedGrantCard(id: string, reason: string, { recorded, scene }: Ended): ShowOperation {
	const when = scene.platform.moment(recorded.at, "exact");
	const why = endWords(reason, scene.platform);
	return {
		...named(id, scene),
		text: `🔒 **This channel is trusted no more** since ${when}: ${why}.\nTools ask here again.`,
	};
}

/** What everybody notices, once in a room, however many of its conversations hear of it. */
function endNotice(id: string, reason: string, { scene }: Ended): ShowOperation {
	const why = endWords(reason, scene.platform);
	const card = `grant-end:${inRoom(id, scene)}`;
	return { type: "show", lane: "milestone", card, text: `🔒 Tools ask here again: ${why}.` };
}

/** Where and when a grant has ended. */
interface Ended {
	readonly recorded: RecordedEvent;
	readonly scene: Scene;
}

/** A channel and its threads are told each, because a post stands in one of them. */
function inRoom(id: string, { thread }: Scene): string {
	return thread === undefined ? id : `${id}:${thread}`;
}

function named(
	id: string,
	scene: Scene,
): {
	readonly type: "show";
	readonly lane: "milestone";
	readonly card: string;
	readonly marker: string;
	readonly foot: string;
} {
	const marker = `grant id ${shortId(id)}`;
	return { type: "show", lane: "milestone", card: `grant:${inRoom(id, scene)}`, marker, foot: marker };
}
