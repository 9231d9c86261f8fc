import type { Block, Inline } from "../../text/document.ts";
import { answerTexts } from "../../texts/answers.ts";
import type { Scene } from "../vocabulary/reducer.ts";
import type { ShowOperation } from "../vocabulary/render-operation.ts";
import type { Run } from "./runs.ts";

/**
 * Direct message to the author of the message, which receives the answer if the thread or channel is closed. Empty if the author is not a person of
 * this platform.
 */
export function elsewhereOf(run: Run | undefined, { room, link }: Scene): Pick<ShowOperation, "elsewhere"> {
	const [platform, tenant, person] = run?.author?.id.split(":") ?? [];
	if (room === undefined || person === undefined) return {};
	if (platform !== room.platform || tenant !== room.tenant) return {};
	return { elsewhere: { person, note: noteOf(link) } };
}

/** Note above a copied answer. Every answer stores it and few show it, so it avoids the slow Markdown parser. */
function noteOf(link: string | undefined): Block {
	const thread = answerTexts.requestThread;
	const sentence = answerTexts.elsewhere({ thread });
	if (link === undefined) return { type: "paragraph", children: [text(sentence)] };
	const start = sentence.indexOf(thread);
	const before = text(sentence.slice(0, start));
	const after = text(sentence.slice(start + thread.length));
	return {
		type: "paragraph",
		children: [before, { type: "link", url: link, children: [text(thread)] }, after],
	};
}

function text(value: string): Inline {
	return { type: "text", value };
}
