import { shownContent } from "../session/shown-content.ts";
import type { FoldDeps, Reply } from "./fold.ts";
import type { Run } from "./run.ts";

/** Where a reply goes, its text while it comes. */
export interface Speech extends Omit<FoldDeps, "redaction" | "normalise"> {
	/** Nobody is to see it. */
	readonly auxiliary?: true;
	/** No more text comes: this is the reply. */
	readonly end: (reply: Reply) => void;
}

/** For a text that nobody is to see. */
export const silent: Speech = {
	auxiliary: true,
	speak: () => undefined,
	callId: (id) => id,
	end: () => undefined,
};

/** Pieces of text that leave one by one before the event loop turns; what comes behind them leaves as one. */
const piecesPerTick = 8;

/**
 * Lets the text out as it comes, and keeps call ids unique in the session. A model that speaks faster than the event
 * loop turns does not cost every client a frame a word.
 */
export function speaking(run: Run): Speech {
	const { session, id: runId } = run;
	const { ids } = session.deps;
	let open = false;
	let pieces = 0;
	let pending = "";
	const pass = (text: string): void => {
		if (!open) session.outlet.pass({ type: "text.started", runId });
		open = true;
		session.outlet.pass({ type: "text.delta", runId, text });
	};
	const flush = (): void => {
		if (pending !== "") pass(pending);
		pending = "";
		pieces = 0;
	};
	return {
		speak(text) {
			if (pieces === 0) process.nextTick(flush);
			pieces += 1;
			if (pieces <= piecesPerTick) pass(text);
			else pending += text;
		},
		// Approvals and results belong to a call by its id: one that a provider has used before gets another.
		callId(id, soFar) {
			const used = run.usesCallId(id) || soFar.some((block) => block.type === "call" && block.id === id);
			return used || id === "" ? ids.create("call") : id;
		},
		end({ content, stop }) {
			flush();
			if (open) session.outlet.pass({ type: "text.ended", runId });
			open = false;
			session.outlet.pass({
				...{ type: "model.replied", runId, stop },
				content: shownContent(content, session.redactor),
			});
		},
	};
}
