import { visibleLine } from "../text/visible.ts";

export const connectionWords = {
	lost: "connection lost, reconnecting …",
	back: "connected again",
} as const;

/** Note about a session that does not use the current directory, with the reason of the gateway. */
export function otherDirectoryWords(directory: string, reason: string): string {
	return `parley: the session cannot use ${directory}: ${visibleLine(reason)}`;
}
