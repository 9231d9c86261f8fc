import type { GrantPayload } from "@parley/protocol";
import { shortId } from "../tasks/task-state.ts";
import { plain } from "../vocabulary/plain.ts";
import type { RecordedEvent, Reducer, Scene } from "../vocabulary/reducer.ts";
import type { ShowOperation } from "../vocabulary/render-operation.ts";
import { approvalStillRequired, coverOf, endWords, personOf } from "./grant-words.ts";

export interface TrustSlice {
	/** The active grant. */
	readonly open?: { readonly id: string };
}

/** Trusted channels: a card shows all members that tools run without approval, and until when. */
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

/** Card of an active grant, with a button to end it. */
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

/** Post about the end, once per room, also if several of its conversations get the event. */
function endNotice(id: string, reason: string, { scene }: Ended): ShowOperation {
	const why = endWords(reason, scene.platform);
	const card = `grant-end:${inRoom(id, scene)}`;
	return { type: "show", lane: "milestone", card, text: `🔒 Tools ask here again: ${why}.` };
}

interface Ended {
	readonly recorded: RecordedEvent;
	readonly scene: Scene;
}

/** A channel and each of its threads have their own post. */
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
