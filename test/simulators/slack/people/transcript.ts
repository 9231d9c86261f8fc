import { transcriptOf } from "../../chat/transcript.ts";
import { momentOf } from "../platform/stamps.ts";
import type { Shown } from "./shown.ts";

export function messageText(shown: Shown): string {
	return transcriptOf(shown, {
		at: momentOf(shown.ts),
		before: shown.streaming ? ["streaming"] : [],
	});
}
