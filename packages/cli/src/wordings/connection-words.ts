import { visibleLine } from "../text/visible.ts";
import { connectionTexts } from "../texts/events.ts";

export const connectionWords = {
	lost: connectionTexts.lost,
	back: connectionTexts.back,
} as const;

/** Returns a note about a session that does not use the current directory, with the reason from the gateway. */
export function otherDirectoryWords(directory: string, reason: string): string {
	return connectionTexts.otherDirectory({ directory, reason: visibleLine(reason) });
}
