import { statSync } from "node:fs";

/**
 * Returns a text that differs after a change of the file: its inode, size and times. Empty if the file does not
 * exist.
 */
export function fileState(path: string): string {
	const facts = statSync(path, { bigint: true, throwIfNoEntry: false });
	return facts ? `${facts.ino} ${facts.size} ${facts.mtimeNs} ${facts.ctimeNs}` : "";
}
