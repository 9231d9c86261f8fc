import { lstatSync } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { defined, ParleyError } from "@parley/base";
import { fileError, isNotFound } from "../../filesystem/file-error.ts";
import { isWithin } from "../../filesystem/paths.ts";
import { openRegular, readAt } from "../../filesystem/regular-file.ts";
import { findNearMiss } from "../../text/near-miss.ts";
import { unknownNameTexts } from "../../text/texts.ts";
import { visible } from "../../text/visible.ts";
import { isMcpToolName } from "../../vocabulary/mcp/server.ts";
import { isProfileName, type Profile, type ProfileProblem, type Profiles } from "./profile.ts";
import { readProfileConfig } from "./profile-config.ts";
import { agentTexts } from "./texts.ts";

const maxConfigBytes = 64 * 1024;
const maxInstructionBytes = 256 * 1024;
/** Maximum characters of a requested name in a refusal. */
const maxShown = 100;
const shownDirectory = agentTexts.directory;

const builtIn: Profile = { name: "default", title: "Parley", sampling: {} };

/** A profile, or the reason why the profile is unusable. Undefined if the profile does not exist. */
type Outcome = { readonly profile: Profile } | { readonly problem: ProfileProblem } | undefined;

/**
 * Opens the agent profiles in a directory. A profile has `NAME/config.toml`, `NAME/agent.md` or both. The directory may
 * be missing. Each use of a profile checks its files, and reads the files again if they have changed. If `tools` is
 * given, a profile with another tool name is unusable, unless the name belongs to a tool of an MCP server. A profile
 * without its own endpoint is unusable if `checkModel` throws for its model.
 */
export function openProfiles(
	directory: string,
	tools?: readonly string[],
	checkModel?: (name: string) => void,
): Profiles {
	return new ProfileDirectory(directory, tools, checkModel);
}

class ProfileDirectory implements Profiles {
	readonly #directory: string;
	readonly #tools: readonly string[] | undefined;
	readonly #checkModel: ((name: string) => void) | undefined;
	readonly #read = new Map<string, { readonly stamp: string; readonly profile: Profile }>();

	constructor(
		directory: string,
		tools: readonly string[] | undefined,
		checkModel: ((name: string) => void) | undefined,
	) {
		this.#directory = directory;
		this.#tools = tools;
		this.#checkModel = checkModel;
	}

	async find(name: string): Promise<Profile> {
		const found = isProfileName(name) ? await this.#inspect(name) : undefined;
		if (found && "profile" in found) return found.profile;
		if (found) throw refused(agentTexts.unusable(name, found.problem.message));
		const { profiles } = await this.list();
		const shown = visible(name.length > maxShown ? `${name.slice(0, maxShown)}…` : name);
		throw refused(
			agentTexts.notFound(
				shown,
				profiles.map((one) => one.name),
			),
		);
	}

	async list(): Promise<{ readonly profiles: Profile[]; readonly problems: ProfileProblem[] }> {
		const names = new Set([builtIn.name, ...(await this.#directories())]);
		const outcomes = await Promise.all([...names].sort().map((name) => this.#inspect(name)));
		const found = outcomes.filter((outcome) => outcome !== undefined);
		return {
			profiles: found.flatMap((one) => ("profile" in one ? [one.profile] : [])),
			problems: found.flatMap((one) => ("problem" in one ? [one.problem] : [])),
		};
	}

	async #directories(): Promise<string[]> {
		const entries = await orMissing(readdir(this.#directory, { withFileTypes: true }), shownDirectory);
		// Hidden entries and plain files cannot be agents.
		return (entries ?? [])
			.filter((entry) => (entry.isDirectory() || entry.isSymbolicLink()) && !entry.name.startsWith("."))
			.map((entry) => entry.name);
	}

	async #inspect(name: string): Promise<Outcome> {
		try {
			if (!isProfileName(name)) {
				throw refused(agentTexts.name);
			}
			const profile = await this.#load(name);
			return profile && { profile };
		} catch (reason) {
			if (!(reason instanceof ParleyError)) throw reason;
			return { problem: { name, message: reason.message } };
		}
	}

	async #load(name: string): Promise<Profile | undefined> {
		if (isMissing(join(this.#directory, name))) return name === builtIn.name ? builtIn : undefined;
		const root = await orMissing(realpath(this.#directory), shownDirectory);
		const place = root && (await resolveWithin(root, name, agentTexts.ownDirectory));
		const [config, instructions] = place
			? await Promise.all([
					findProfileFile(root, join(name, "config.toml"), "config.toml"),
					findProfileFile(root, join(name, "agent.md"), "agent.md"),
				])
			: [];
		if (!config && !instructions) {
			if (name === builtIn.name) return builtIn;
			if (place === undefined) return undefined;
			throw refused(agentTexts.empty);
		}
		const stamp = `${config?.stamp} ${instructions?.stamp}`;
		const known = this.#read.get(name);
		if (known?.stamp === stamp) return known.profile;
		const configured = config && this.#parse(await readText(config, maxConfigBytes));
		const profile: Profile = {
			name,
			title: name,
			sampling: {},
			...configured,
			...defined({ instructions: instructions && (await readText(instructions, maxInstructionBytes)) }),
		};
		this.#read.set(name, { stamp, profile });
		return profile;
	}

	#parse(text: string): Partial<Profile> {
		try {
			const config = readProfileConfig(text);
			this.#checkTools(config.tools ?? []);
			// `checkModel` knows only the models of the gateway's own provider.
			if (config.model !== undefined && !config.endpoint) this.#checkModel?.(config.model);
			return config;
		} catch (reason) {
			const { message, code } = ParleyError.from(reason);
			throw new ParleyError(`config.toml: ${message}`, { code, cause: reason });
		}
	}

	#checkTools(requested: readonly string[]): void {
		const tools = this.#tools;
		const unknown = tools && requested.find((name) => !tools.includes(name) && !isMcpToolName(name));
		if (tools === undefined || unknown === undefined) return;
		const advice = unknownNameTexts.allowed(findNearMiss(unknown, tools), tools);
		throw refused(agentTexts.noTool(unknown, advice));
	}
}

function isMissing(path: string): boolean {
	// The check is synchronous, because it runs at each use of an agent and an asynchronous check takes longer.
	try {
		return lstatSync(path, { throwIfNoEntry: false }) === undefined;
	} catch {
		// The code that reads the file reports the error.
		return false;
	}
}

function refused(message: string): ParleyError {
	return new ParleyError(message, { code: "invalid_argument" });
}

interface FileState {
	/** Real path of the file. */
	readonly path: string;
	/** Name of the file in messages. */
	readonly shown: string;
	/** Text that changes when the content may have changed. */
	readonly stamp: string;
}

/**
 * Returns the real path of `path` below `root`, or undefined if the file is missing. Throws if a link leads out of
 * `root`.
 */
async function resolveWithin(root: string, path: string, shown: string): Promise<string | undefined> {
	const real = await orMissing(realpath(join(root, path)), shown);
	if (real === undefined || isWithin(real, root)) return real;
	throw refusedFile(agentTexts.linkOutside(shown));
}

/**
 * Returns the state of the file at `path` below `root`, or undefined if the file is missing. Throws if a link leads out
 * of `root`.
 */
export async function findProfileFile(
	root: string,
	path: string,
	shown: string,
): Promise<FileState | undefined> {
	const real = await resolveWithin(root, path, shown);
	if (real === undefined) return undefined;
	const stats = await orMissing(stat(real, { bigint: true }), shown);
	if (stats === undefined) return undefined;
	const { ino, size, mtimeNs, ctimeNs } = stats;
	return { path: real, shown, stamp: [ino, size, mtimeNs, ctimeNs].join() };
}

/** Reads the text of a file. Throws for more than `maxBytes` bytes, or invalid UTF-8. */
export async function readText({ path, shown }: FileState, maxBytes: number): Promise<string> {
	await using file = await openRegular(path, shown);
	const bytes = await readAt(file, shown, { position: 0, length: maxBytes + 1 });
	if (bytes.length > maxBytes) throw refusedFile(agentTexts.tooLarge(shown, maxBytes / 1024));
	try {
		return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
	} catch (cause) {
		throw refusedFile(agentTexts.notText(shown), cause);
	}
}

/** Resolves with the result, or with undefined if the file is missing. `shown` names the file in errors. */
async function orMissing<T>(result: Promise<T>, shown: string): Promise<T | undefined> {
	try {
		return await result;
	} catch (reason) {
		if (isNotFound(reason)) return undefined;
		throw fileError(agentTexts.cannotRead(shown), reason);
	}
}

function refusedFile(message: string, cause?: unknown): ParleyError {
	return new ParleyError(message, { code: "invalid_argument", ...defined({ cause }) });
}
