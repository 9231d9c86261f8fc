import type { PlannedRow } from "../outbox/plan.ts";
import type { ChatPlatform } from "../platform/chat-platform.ts";
import type { Posting } from "../platform/posting.ts";
import { fitControls } from "./fit-controls.ts";
import { fitPlain, fitShow } from "./fit-show.ts";
import { oneLine } from "./vocabulary/plain.ts";
import type { Told } from "./vocabulary/reducer.ts";
import type { Intention, ShowIntention } from "./vocabulary/render-operation.ts";

/** Where and when intentions are to be seen. */
export interface Showing {
	readonly told: Pick<Told, "seq" | "at">;
	/** The room's, in the outbox. */
	readonly conversation: string;
	readonly platform: Pick<ChatPlatform, "dialect" | "limits">;
}

/** A row whose payload is known. */
export interface ShownRow extends PlannedRow {
	readonly payload: Posting;
}

/** The posts and edits that an event's intentions come to, in order: each fits the platform, and none is empty. */
export function toRows(intentions: readonly Intention[], showing: Showing): ShownRow[] {
	const { told, conversation, platform } = showing;
	const { seq, at } = told;
	return intentions.flatMap((intention) => {
		const { lane, task } = intention;
		const own = task === undefined ? {} : { conversation: `${conversation}#task:${task}` };
		const card = intention.type === "show" && intention.card !== undefined ? { card: intention.card } : {};
		return postingsOf(intention, platform).map((payload) => ({ seq, at, lane, ...own, ...card, payload }));
	});
}

function postingsOf(intention: Intention, platform: Showing["platform"]): Posting[] {
	if (intention.type === "show") return posts(intention, platform);
	const { card, name } = intention;
	return [{ type: "thread", card, name: oneLine(name, platform.limits.threadName) || "…" }];
}

function posts(intention: ShowIntention, platform: Showing["platform"]): Posting[] {
	const { replyTo, thread, upload, marker, plain, list, controls = [] } = intention;
	const fitted = fitShow(intention, platform);
	// A file is something to see, and so is a body of one character: controls and cards need one.
	const bodies = fitted.posts.length > 0 ? fitted.posts : [upload === undefined ? "…" : ""];
	const rows = fitControls(controls, platform.limits);
	return bodies.map((body, index) => ({
		...{ type: "post", body },
		...(thread !== undefined && { thread }),
		...(index === 0 && replyTo !== undefined && { replyTo }),
		...(index === bodies.length - 1 && {
			...(rows.length > 0 && { controls: rows }),
			...(fitted.file !== undefined && { file: fitted.file }),
			...(upload !== undefined && { upload }),
			...(marker !== undefined && { marker }),
			...(list !== undefined && { list }),
			...(plain !== undefined && { plain: fitPlain(plain, platform) }),
		}),
	}));
}
