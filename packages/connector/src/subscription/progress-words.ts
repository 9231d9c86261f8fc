import type { Progress } from "@parley/protocol";
import { oneLine } from "../conversation/vocabulary/plain.ts";

/** Characters of a file's name. */
const mostName = 60;

/** Tools whose subject is a file that everybody in the room may hear of. */
const fileTools: ReadonlySet<string> = new Set(["write_file", "edit_file"]);

/**
 * Progress of the agent, to follow its name: "is writing notes.md…"; "" if there is none. Thoughts, commands and
 * texts stay out: a room reads the answer.
 */
export function progressWords(progress: Progress | undefined): string {
	if (progress === undefined) return "";
	if (progress.type === "thinking") return "is thinking…";
	const { name, subject } = progress;
	if (!fileTools.has(name)) return `is preparing ${oneLine(name, mostName)}…`;
	const file = subject?.split(/[\\/]/).at(-1) ?? "";
	return file === "" ? "is writing a file…" : `is writing ${oneLine(file, mostName)}…`;
}
