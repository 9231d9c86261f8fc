import { constants } from "node:fs";
import { access, readdir, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { defined, ParleyError } from "@parley/base";
import { fileError, isNotFound } from "../../filesystem/file-error.ts";
import { isWithin } from "../../filesystem/paths.ts";
import { completeLines, visible } from "../../text/visible.ts";
import type { CommandOutcome, Sandbox } from "../../vocabulary/sandbox.ts";
import type { ToolContext } from "../../vocabulary/tool.ts";
import { repositoryTexts } from "./texts.ts";

const TIMEOUT_MS = 10_000;
const MAX_OUTPUT_BYTES = 512 * 1024;

export interface Repository {
	/** Real path of the working tree. */
	readonly top: string;
	/**
	 * Git directory of the working tree, and the common git directory of all linked working trees. Contains one path if
	 * both are the same directory.
	 */
	readonly directories: readonly string[];
	/** Hooks that would run, and repository settings that name programs. */
	readonly programs: readonly string[];
	/** The settings and hooks of the repository: files that name programs or are programs. */
	readonly steering: readonly string[];
	/** Repository settings that name programs or other locations, and that affect calls that use the network. */
	readonly reaching: readonly string[];
	/** Names of filters in all settings. */
	readonly filters: readonly string[];
}

const WHERE = ["--show-toplevel", "--git-dir", "--git-common-dir", "--git-path", "hooks"];
/** Settings that name programs which git may start when a call changes a repository. */
const PROGRAM = new RegExp(
	[
		String.raw`^(?:filter\..+\.(?:clean|smudge|process)|merge\..+\.driver|diff\.external|diff\..+\.(?:command|textconv)`,
		String.raw`gpg\.(?:.+\.)?(?:program|defaultkeycommand)|trailer\..+\.(?:command|cmd)`,
		String.raw`branch\..+\.mergeoptions|pull\.(?:twohead|octopus))$`,
	].join("|"),
	"is",
);
const REACHING =
	/^(?:core\.(?:sshcommand|gitproxy|askpass|fsmonitor)|credential\.(?:.+\.)?helper|remote\..+\.(?:vcs|uploadpack|receivepack)|url\..+\.(?:insteadof|pushinsteadof)|include(?:if)?\..*|ssh\.variant|http\.(?:.+\.)?(?:proxy|sslverify|extraheader|cookiefile))$/is;
const FILTER = /^filter\.(.+)\.(?:clean|smudge|process)$/s;

/**
 * Finds the repository of a real directory. Throws `not_found` if there is no repository, and
 * `permission_denied` if a part of the repository is outside the roots. Also throws if settings or hooks
 * cannot be read.
 */
export async function findRepository(directory: string, context: ToolContext): Promise<Repository> {
	const where = await runGit(["rev-parse", "--path-format=absolute", ...WHERE], directory, context);
	const [top, own, shared, hooks, ...others] = completeLines(where).lines;
	if (where.code !== 0 || hooks === undefined || others.length > 0) {
		throw noRepository(directory, where.code === 0 ? repositoryTexts.unreadableName : where.output);
	}
	const [realTop, ...directories] = await Promise.all(
		[top, own, shared].map((path) => realWithin(path, context)),
	);
	const names = await settingNames(directory, context);
	const active = await activeHooks(hooks);
	return {
		top: realTop ?? "",
		directories: [...new Set(directories)],
		programs: [
			...active.map((name) => `hook ${name}`),
			...new Set(names.filter(({ own: isOwn, name }) => isOwn && PROGRAM.test(name)).map(({ name }) => name)),
		],
		steering: [
			...directories.map((path) => join(path, "config")),
			...active.map((name) => join(hooks, name)),
		],
		reaching: [
			...new Set(
				names.filter(({ own: isOwn, name }) => isOwn && REACHING.test(name)).map(({ name }) => name),
			),
		],
		filters: [...new Set(names.flatMap(({ name }) => FILTER.exec(name)?.[1] ?? []))],
	};
}

interface GitContext {
	readonly sandbox: Sandbox;
	readonly signal: AbortSignal;
	readonly roots: readonly string[];
}

/** Runs git to read facts about a repository. Changes nothing. */
export function runGit(
	args: readonly string[],
	directory: string,
	{ sandbox, signal, roots }: GitContext,
): Promise<CommandOutcome> {
	return sandbox.run({
		executable: "git",
		// Does not set `core.hooksPath`, because the facts include its configured value.
		args: [...carefulOptions("run", []), "-c", "safe.bareRepository=explicit", ...args],
		cwd: directory,
		power: "read",
		environment: carefulEnvironment("read", roots),
		timeoutMs: TIMEOUT_MS,
		maxOutputBytes: MAX_OUTPUT_BYTES,
		signal,
	});
}

function noRepository(directory: string, reason: string): ParleyError {
	const [line = ""] = reason.split("\n");
	return new ParleyError(repositoryTexts.none(directory, visible(line.trim()).slice(0, 300)), {
		code: "not_found",
	});
}

async function realWithin(path: string | undefined, { roots }: ToolContext): Promise<string> {
	try {
		const real = await realpath(path ?? "");
		if (roots.some((root) => isWithin(real, root))) return real;
	} catch (cause) {
		throw fileError(repositoryTexts.unreachable, cause);
	}
	throw new ParleyError(repositoryTexts.partOutside(path), { code: "permission_denied" });
}

interface Setting {
	readonly name: string;
	/** Whether the setting is in the repository, not in the configuration of the user or the system. */
	readonly own: boolean;
}

/**
 * Returns each setting that applies to the repository, without its value. Throws if the settings are unreadable or a
 * filter cannot be disabled.
 */
async function settingNames(directory: string, context: ToolContext): Promise<Setting[]> {
	const outcome = await runGit(["config", "--list", "--show-scope", "--name-only"], directory, context);
	const { lines, cut } = completeLines(outcome);
	if (outcome.code !== 0 || cut) {
		// An unknown setting cannot be disabled.
		throw new ParleyError(repositoryTexts.settingsUnreadable, { code: "failed_precondition" });
	}
	const settings = lines.map((line) => {
		const [scope = "", ...name] = line.split("\t");
		return { name: name.join("\t"), own: !/^(?:system|global|command)$/.test(scope) };
	});
	// In `-c NAME=VALUE`, the name ends at the first `=`.
	const unsafeFilter = settings.find(({ name }) => FILTER.test(name) && name.includes("="));
	if (unsafeFilter === undefined) return settings;
	throw new ParleyError(repositoryTexts.settingStays(unsafeFilter.name), {
		code: "failed_precondition",
	});
}

async function activeHooks(directory: string): Promise<string[]> {
	let names: string[];
	try {
		names = await readdir(directory);
	} catch (reason) {
		if (isNotFound(reason)) return [];
		throw fileError(repositoryTexts.hooksUnreadable, reason);
	}
	const hooks = await Promise.all(
		names
			.filter((name) => !name.endsWith(".sample"))
			.map(async (name) => ({ name, runs: await mayRun(join(directory, name)) })),
	);
	return hooks.filter(({ runs }) => runs).map(({ name }) => name);
}

async function mayRun(path: string): Promise<boolean> {
	try {
		await access(path, constants.X_OK);
		return true;
	} catch {
		// Git ignores hooks without execute permission.
		return false;
	}
}

/**
 * Settings of all calls except `run`. They prevent git from starting most programs that repository settings name:
 * https://git-scm.com/docs/git-config
 */
const QUIET = settings({
	"core.fsmonitor": "false",
	"core.hooksPath": "/dev/null",
	"safe.bareRepository": "explicit",
	"submodule.recurse": "false",
	"gc.auto": "0",
	"maintenance.auto": "false",
	"color.ui": "false",
	"column.ui": "never",
});
/** Git settings for calls that only read. The program `false` fails without side effects. */
const READ_ONLY = settings({
	"log.showSignature": "false",
	"gpg.program": "false",
	"gpg.openpgp.program": "false",
	"gpg.x509.program": "false",
	"gpg.ssh.program": "false",
	"status.submoduleSummary": "false",
	"diff.submodule": "short",
	"diff.suppressBlankEmpty": "false",
});
/** Settings that disable background work. The end of the call would interrupt such work, and lock files would remain. */
const UNATTENDED = settings({ "gc.auto": "0", "maintenance.auto": "false" });

/**
 * Restrictions of a call.
 *
 * - `read`: no program of the repository or its settings runs, nothing is written, and no other machine is
 *   reached.
 * - `change`: like `read`, but git may write and filters may run.
 * - `run`: ordinary git without a terminal.
 * - `outside`: git outside the sandbox, without hooks.
 */
export type Care = "read" | "change" | "run" | "outside";

/**
 * Returns the options of `git` that precede the subcommand. If `care` is `read`, disables the filters with the names in
 * `filters`.
 */
export function carefulOptions(care: Care, filters: readonly string[]): string[] {
	if (care === "run") return ["--no-pager", ...UNATTENDED];
	if (care === "change" || care === "outside") return ["--no-pager", ...QUIET];
	const off = filters.flatMap((name) =>
		settings({
			[`filter.${name}.clean`]: "",
			[`filter.${name}.smudge`]: "",
			[`filter.${name}.process`]: "",
			[`filter.${name}.required`]: "false",
		}),
	);
	return ["--no-pager", ...QUIET, ...READ_ONLY, ...off];
}

/** Returns the environment variables that restrict git: https://git-scm.com/docs/git#_environment_variables */
export function carefulEnvironment(care: Care, roots: readonly string[]): Record<string, string> {
	const isLocal = care === "read" || care === "change";
	const outside = care === "outside" ? "https:http:ssh:git:file" : undefined;
	return {
		GIT_TERMINAL_PROMPT: "0",
		// Accepts every proposed text unchanged.
		GIT_EDITOR: ":",
		GIT_SEQUENCE_EDITOR: ":",
		// A repository that begins above the roots does not belong to the session.
		GIT_CEILING_DIRECTORIES: roots.map((root) => dirname(root)).join(":"),
		...defined({
			GIT_OPTIONAL_LOCKS: care === "read" ? "0" : undefined,
			GIT_ALLOW_PROTOCOL: isLocal ? "" : outside,
			GIT_NO_LAZY_FETCH: isLocal ? "1" : undefined,
		}),
	};
}

function settings(values: Readonly<Record<string, string>>): string[] {
	return Object.entries(values).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}
