import { basename, join } from "node:path";
import { type Clock, defined, type Logger, openKeyv, ParleyError, parseJson, type Store } from "@parley/base";
import * as z from "zod";
import type { Tables } from "../../store/tables.ts";
import { sha256 } from "../../text/sha256.ts";
import { visible } from "../../text/visible.ts";
import { previewWrite } from "../../tools/files/write-preview.ts";
import type { SandboxState } from "../../vocabulary/sandbox.ts";
import { decode, hashOfSkill, readAll, type SkillOnDisk } from "./skill-files.ts";
import { skillTrustTexts } from "./texts.ts";

/**
 * Maximum bytes:
 * - `file`: a file with a stored text. For a larger file, only the hash is stored.
 * - `skill`: all stored texts of a skill together. For further files, only the hashes are stored.
 * - `read`: a file that is read.
 */
const max = { file: 64 * 1024, skill: 256 * 1024, read: 16 * 1024 * 1024 } as const;
const maxDiff = 64_000;

const Content = z.array(
	z.object({
		/** Path relative to the directory of the skill. */
		name: z.string(),
		/** SHA-256 of the file. */
		hash: z.string(),
		/** Text of the file. Absent if the file is not UTF-8 or exceeds a limit. */
		text: z.exactOptional(z.string()),
	}),
);
/** Stored form of the files of a trusted skill. */
export type TrustedContent = z.output<typeof Content>;

/** Reads the files of a skill. Throws `aborted` if the files changed after the skill was found. */
export async function readContent({ skill, path, files }: SkillOnDisk): Promise<TrustedContent> {
	let left: number = max.skill;
	const content: TrustedContent = [];
	for (const name of [basename(path), ...files]) {
		const bytes = await readAll(join(skill.directory, name), max.read);
		const text = bytes.length <= Math.min(left, max.file) ? textOf(bytes) : undefined;
		if (text !== undefined) left -= bytes.length;
		content.push({ name, hash: sha256(bytes), ...defined({ text }) });
	}
	if (hashOfSkill(path, content) === skill.hash) return content;
	throw new ParleyError(skillTrustTexts.changedMeanwhile(skill.name), { code: "aborted" });
}

/** Returns the content of a stored row, or undefined if the Parley version that wrote the row stored no content. */
export function storedContent(stored: string | null): TrustedContent | undefined {
	return stored === null ? undefined : Content.parse(parseJson(stored));
}

/**
 * Returns a unified diff of all files that differ, cut after 64,000 characters. Shows invisible characters as escapes.
 * If the old text of a file was not stored, the diff names the file and shows its new text as added.
 */
export function diffOfContent(before: TrustedContent, after: TrustedContent): string {
	const names = new Set([...after, ...before].map(({ name }) => name));
	const diff = [...names]
		.map((name) =>
			diffOfFile(
				name,
				[before, after].map((files) => files.find((one) => one.name === name)),
			),
		)
		.join("");
	if (diff.length <= maxDiff) return diff;
	return `${diff.slice(0, maxDiff)}\n${skillTrustTexts.diffCut(diff.length - maxDiff)}\n`;
}

type File = TrustedContent[number] | undefined;

function diffOfFile(name: string, [before, after]: readonly File[]): string {
	if (before?.hash === after?.hash) return "";
	if (!after) {
		const removed =
			before?.text === undefined ? "" : previewWrite(name, { kind: "text", text: before.text }, "");
		return `${skillTrustTexts.removed(visible(name))}\n${removed}`;
	}
	if (after.text === undefined) return `${skillTrustTexts.notShown(visible(name), !before)}\n`;
	if (!before) return previewWrite(name, { kind: "absent" }, after.text);
	if (before.text !== undefined) return previewWrite(name, { kind: "text", text: before.text }, after.text);
	const reason = skillTrustTexts.notStored(visible(name));
	return previewWrite(name, { kind: "hidden", reason }, after.text);
}

function textOf(bytes: Buffer): string | undefined {
	try {
		return decode(bytes);
	} catch {
		// Only the hash of a binary file is stored.
		return undefined;
	}
}

/** Result of the most recent sandbox check. */
export interface SandboxHealth {
	readonly state: SandboxState;
}

interface SkillChangesOptions {
	readonly store: Store<Tables>;
	readonly clock: Clock;
	readonly log: Logger;
	readonly sandbox: SandboxHealth;
}

interface RecordedContent {
	readonly hash: string;
	/** Time at which the gateway detected the last change of the content, in milliseconds since the epoch. */
	readonly changedAt: number;
}

type ContentByPath = ReadonlyMap<string, RecordedContent>;

const key = "skills";

/**
 * Logs changes of the operator's skills, because these skills need no trust. The log line is a warning if commands run
 * without a sandbox, because a command without a sandbox can change the skills.
 */
export class SkillChanges {
	readonly #options: SkillChangesOptions;
	readonly #stored: ReturnType<typeof openKeyv<readonly [string, RecordedContent][], Tables>>;
	#recorded: ContentByPath | undefined;

	constructor(options: SkillChangesOptions) {
		this.#options = options;
		this.#stored = openKeyv({ ...options, namespace: "seen-skills" });
	}

	/**
	 * Records the current content of the skills in the data directory. Returns a map from the path of each skill to the
	 * time at which the gateway detected the last change of its content.
	 */
	async note(skills: readonly SkillOnDisk[]): Promise<ReadonlyMap<string, number>> {
		const own = skills.filter(({ skill }) => skill.source === "data");
		// A gateway without skills does not read its store here.
		if (own.length === 0 && this.#recorded === undefined) return new Map();
		const stored = this.#recorded ?? new Map(await this.#stored.get(key));
		// Another request may have loaded the contents in the meantime.
		const before = this.#recorded ?? stored;
		const now: ContentByPath = new Map(own.map((one) => [one.path, this.#now(one, before)]));
		const isSame =
			before.size === now.size && [...now].every(([path, recorded]) => before.get(path) === recorded);
		if (!isSame) {
			this.#recorded = now;
			await this.#stored.set(key, [...now]);
		}
		this.#recorded ??= now;
		return new Map([...now].map(([path, { changedAt }]) => [path, changedAt]));
	}

	#now({ path, skill: { name, hash } }: SkillOnDisk, before: ContentByPath): RecordedContent {
		const known = before.get(path);
		if (known?.hash === hash) return known;
		const { log, clock, sandbox } = this.#options;
		const { mode, operator } = sandbox.state;
		const isExposed = mode === "off" || operator === "off";
		const words = known ? skillTrustTexts.contentChanged : skillTrustTexts.contentNew;
		if (isExposed) log.warn(skillTrustTexts.exposed(words), { skill: name, path });
		else log.info(words, { skill: name, path });
		return { hash, changedAt: clock.now() };
	}
}
