import type { GrantPayload } from "@parley/protocol";
import { trustTexts } from "../../texts/trust.ts";
import { earlierMarker } from "../vocabulary/earlier-marker.ts";
import { plainLine } from "../vocabulary/plain.ts";
import type { RecordedEvent, Reducer, Scene } from "../vocabulary/reducer.ts";
import type { ShowOperation } from "../vocabulary/render-operation.ts";
import { coverOf, grantEndText, isReplaced, personOf } from "./grant-words.ts";

const { card } = trustTexts;

export interface TrustSlice {
	readonly open?: { readonly id: string };
}

/**
 * Reducer for trusted channels. A card in the channel states that tools run without approval, and when the grant
 * expires.
 */
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
		// The channel stays trusted, and the card of the new grant follows.
		if (isReplaced(reason)) return { slice: {}, operations: [endedGrantCard(id, reason, ended)] };
		return { slice: {}, operations: [endedGrantCard(id, reason, ended), endNotice(id, reason, ended)] };
	},
};

function openGrantCard(grant: GrantPayload, scene: Scene): ShowOperation {
	const { controls, session, platform } = scene;
	const { grant_id: id, reason, granted_by } = grant;
	const until = Date.parse(grant.expires_at);
	const end = controls.write({ kind: "grant-end", session, subject: id });
	return {
		...named(id, scene),
		state: "warning",
		text: [
			card.open,
			card.covered({ cover: coverOf(grant, platform) }),
			card.until({ at: platform.moment(until, scene.at) }),
			card.grantedBy({ person: personOf(granted_by, platform), reason: plainLine(reason, 300) }),
			card.stillRequired({ reads: grant.classes?.includes("outside-read") !== true }),
		].join("\n"),
		controls: [[{ type: "button", id: end, label: card.end, style: "danger" }]],
	};
}

function endedGrantCard(id: string, reason: string, { recorded, scene }: Ended): ShowOperation {
	const { platform } = scene;
	const at = platform.moment(recorded.at);
	const text = isReplaced(reason)
		? card.replaced({ at })
		: card.ended({ at, reason: grantEndText(reason, platform) });
	return { ...named(id, scene), state: "closed", text };
}

function endNotice(id: string, reason: string, { scene }: Ended): ShowOperation {
	const text = card.notice({ reason: grantEndText(reason, scene.platform) });
	// A room gets one post, even if several of its conversations get the event.
	return { type: "show", lane: "milestone", state: "notice", card: `grant-end:${inRoom(id, scene)}`, text };
}

interface Ended {
	readonly recorded: RecordedEvent;
	readonly scene: Scene;
}

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
} {
	const marker = earlierMarker("grant", id);
	return { type: "show", lane: "milestone", card: `grant:${inRoom(id, scene)}`, marker };
}
