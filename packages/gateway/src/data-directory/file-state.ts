import { statSync } from "node:fs";

/** Returns a text that changes with each change of the file. Empty if the file does not exist. */
export function fileState(path: string): string {
	const facts = statSync(path, { bigint: true, throwIfNoEntry: false });
	return facts ? `${facts.ino} ${facts.size} ${facts.mtimeNs} ${facts.ctimeNs}` : "";
}
