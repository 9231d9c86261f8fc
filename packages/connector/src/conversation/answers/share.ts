import type { EventPayloads } from "@parley/protocol";
import { plain } from "../vocabulary/plain.ts";
import type { ShowIntention } from "../vocabulary/render-operation.ts";
import { type AnswersSlice, messageOf } from "./runs.ts";

/** A file for the people of the conversation. */
export function share(slice: AnswersSlice, file: EventPayloads["file.created"]): ShowIntention {
	const { file_id: fileId, name, type, bytes: size, run_id } = file;
	const message = messageOf(slice, run_id);
	return {
		...{ type: "show", lane: "milestone", text: plain(name, 200) },
		...(message !== undefined && { replyTo: message }),
		upload: { fileId, name, size, ...(type.startsWith("image/") && { alt: inWords(name) }) },
	};
}

/** `sales-chart_2.png` read aloud: `sales chart 2`. */
function inWords(name: string): string {
	const words = name
		.replace(/\.[^.]*$/, "")
		.replace(/[-_.\s]+/gu, " ")
		.trim();
	return words === "" ? name : words;
}
