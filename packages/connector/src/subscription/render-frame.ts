import type { Logger } from "@parley/base";
import type { OzzieEvent } from "@parley/protocol";
import { type ConversationState, reduceConversation } from "../conversation/conversation.ts";
import { type RenderedRow, toRows } from "../conversation/to-rows.ts";
import type { Scene } from "../conversation/vocabulary/reducer.ts";
import type { ChatPlatform } from "../platform/chat-platform.ts";

/** New state of a conversation, and the rows of one event. */
export interface RenderedEvent {
	readonly state: ConversationState;
	readonly rows: readonly RenderedRow[];
}

interface RenderTarget {
	readonly scene: Scene;
	/** Id of the room's conversation in the outbox. */
	readonly conversation: string;
	readonly platform: ChatPlatform;
	readonly log: Logger;
}

/** Renders an event. If rendering fails, the event is skipped and the error is logged. */
export function renderFrame(
	state: ConversationState,
	{ frame, at }: { readonly frame: OzzieEvent; readonly at: number },
	{ scene, conversation, platform, log }: RenderTarget,
): RenderedEvent {
	const { seq } = frame;
	// This event is from before the session. For a fork, the room of the original session shows the event.
	if (isImported(frame)) return { state, rows: [] };
	try {
		const reduced = reduceConversation(state, { seq, at, event: frame }, scene);
		const rows = toRows(reduced.operations, { time: { seq, at }, conversation, platform });
		return { state: reduced.state, rows: frame.event === "session.deleted" ? asDeletion(rows) : rows };
	} catch (error) {
		log.error("an event cannot be posted", { session: scene.session, seq, event: frame.event, error });
		return { state, rows: [] };
	}
}

/** Whether an event is from before the session. */
export function isImported({ payload }: { readonly payload: object }): boolean {
	return "imported" in payload && payload.imported === true;
}

/**
 * Gives the rows ids that rows of recorded events cannot have. A gateway that was restored from a backup may still
 * have the session, and may reuse the `seq` of the deletion.
 */
function asDeletion(rows: readonly RenderedRow[]): RenderedRow[] {
	return rows.map((row, index) => ({ ...row, standsFor: `deleted/${row.at}/${index}` }));
}
