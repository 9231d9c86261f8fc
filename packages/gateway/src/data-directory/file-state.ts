import { statSync } from "node:fs";

/** Returns the inode, size and times of a file as one text, to detect changes. Empty if the file does not exist. */
export function fileState(path: string): string {
	const facts = statSync(path, { bigint: true, throwIfNoEntry: false });
	return facts ? `${facts.ino} ${facts.size} ${facts.mtimeNs} ${facts.ctimeNs}` : "";
}
