import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

const kinds = "sess|run|task|call|prompt|grant|file|sched|mem|msg|steer|review";
/** Pattern of a complete id of the gateway. */
const id = new RegExp(`\\b(?:${kinds})_[0-9a-z]{20,}`, "u");
/** Pattern of a word that introduces an id or a part of an id, for example `task id a1b2c3`. */
const named =
	/\b(?:session|conversation|run|task|call|question|grant|file|schedule|note|review) id [0-9a-z]/iu;
/** Pattern of a short word with letters and digits, which may be the end of an id. */
const shortWord = /\b(?=[0-9a-z]*[0-9])(?=[0-9a-z]*[a-z])[0-9a-z]{6,12}\b/gu;
const endLength = 6;
/**
 * Pattern of a person's id. The attribution of a quoted comment may contain these ids, because the offline model
 * repeats its input.
 */
const person = /\b(?:discord|slack):[0-9A-Za-z]+:[0-9A-Za-z]+/u;
/** Pattern of permissions of Discord (`SEND_MESSAGES`, `SendMessages`) and scopes of Slack (`chat:write`). */
const permission =
	/\b(?:VIEW|SEND|READ|MANAGE|CREATE|ATTACH|EMBED|ADD|USE)_[A-Z]+(?:_[A-Z]+)*\b|\b(?:View|Send|Read|Manage|Create|Attach|Embed|Add)(?:Channel|Messages|MessageHistory|PublicThreads|PrivateThreads|Files|Links|Reactions|Roles)\b|\b(?:chat|channels|groups|im|mpim|users|files|reactions|app_mentions|assistant|commands):(?:read|write|history|public)\b/u;

export interface Internals {
	readonly directories: readonly string[];
	/** Last characters of the ids of sessions, runs and similar objects. */
	readonly idEnds: ReadonlySet<string>;
}

/** Returns the last characters of the ids in the database of the gateway. Rejects if the directory has no database. */
export async function readIdEnds(directory: string): Promise<ReadonlySet<string>> {
	const names = await readdir(directory);
	const databases = names.filter((name) => /^parley\.sqlite(?:-wal)?$/u.test(name));
	if (databases.length === 0) throw new Error(`there is no database in ${directory}`);
	const texts = await Promise.all(databases.map((name) => readFile(join(directory, name), "latin1")));
	const ids = texts.flatMap((text) => text.match(new RegExp(`(?:${kinds})_[0-9a-z]{26}`, "gu")) ?? []);
	return new Set(ids.map((each) => each.slice(-endLength)));
}

/** Returns the lines that contain internal details. */
export function findInternals(text: string, { directories, idEnds }: Internals): string[] {
	const hasEnd = (line: string): boolean =>
		(line.match(shortWord) ?? []).some((word) => idEnds.has(word.slice(-endLength)));
	return text
		.split("\n")
		.filter(
			(line) =>
				id.test(line) ||
				named.test(line) ||
				hasEnd(line) ||
				(person.test(line) && !/, writes:\]$/u.test(line)) ||
				permission.test(line) ||
				directories.some((directory) => line.includes(directory)),
		);
}
