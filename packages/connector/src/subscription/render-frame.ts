import type { Logger } from "@parley/base";
import type { OzzieEvent } from "@parley/protocol";
import { type ConversationState, tellConversation } from "../conversation/conversation.ts";
import { type ShownRow, toRows } from "../conversation/to-rows.ts";
import type { Scene } from "../conversation/vocabulary/reducer.ts";
import type { ChatPlatform } from "../platform/chat-platform.ts";

/** What an event makes of the conversation, and all that it shows. */
export interface StepTold {
	readonly state: ConversationState;
	readonly rows: readonly ShownRow[];
}

/** Where what is told is to be seen. */
interface Telling {
	readonly scene: Scene;
	/** The room's, in the outbox. */
	readonly conversation: string;
	readonly platform: ChatPlatform;
	readonly log: Logger;
}

/** Tells an event. One that this program cannot tell is left out, whatever the reason. */
export function tellFrame(
	state: ConversationState,
	{ frame, at }: { readonly frame: OzzieEvent; readonly at: number },
	{ scene, conversation, platform, log }: Telling,
): StepTold {
	const { seq } = frame;
	try {
		const told = tellConversation(state, { seq, at, event: frame }, scene);
		const rows = toRows(told.intentions, { told: { seq, at }, conversation, platform });
		return { state: told.state, rows: frame.event === "session.deleted" ? asDeletion(rows) : rows };
	} catch (error) {
		log.error("an event cannot be told", { session: scene.session, seq, event: frame.event, error });
		return { state, rows: [] };
	}
}

/**
 * Rows whose ids no recorded event has: a gateway that is restored from a copy has the session again, and gives the
 * number of its deletion to what happens next.
 */
function asDeletion(rows: readonly ShownRow[]): ShownRow[] {
	return rows.map((row, index) => ({ ...row, standsFor: `deleted/${row.at}/${index}` }));
}
