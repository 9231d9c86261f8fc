import { createHash } from "node:crypto";
import { existsSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import { defined, definedItems } from "@parley/base";
import { isWithin } from "../../filesystem/paths.ts";
import type { Command, CommandOutcome, MemoryLimit, Sandbox } from "../../vocabulary/sandbox.ts";
import { eachProcess, type Limiter, limitFiles, limitsOfProcess } from "../commands/command-limits.ts";
import type { CommandRuns, EndedRun, Prepared } from "../commands/command-runs.ts";
import { DEFAULT_PATH, findProgram } from "../commands/environment.ts";
import { MARK_NAME } from "../commands/process-group.ts";
import type { CommandProxy, Egress } from "../egress/egress.ts";
import type { GitRunner } from "../repositories/protect-git.ts";
import {
	type Architecture,
	filterProgram,
	filterRules,
	noUnixSockets,
	type Rule,
} from "../system-calls/filter.ts";
import { confinementOf, hasSizes, type Version, withoutSize } from "./confinement.ts";
import { accounts, boundPlaces, buildInside, FIRST_FILE, gitFile, isUnbound, openPlaces } from "./inside.ts";
import { PinnedPlaces, retryIfReplaced, throwReason } from "./pinned-places.ts";
import { type CommandPaths, cover, hostSockets, secretsAtHome, secretsInRoots } from "./protected-paths.ts";
import { type Guarding, type Guards, guardNote, RootGuard } from "./root-guard.ts";
import type { SystemLayout } from "./system-layout.ts";
import { rootTexts } from "./texts.ts";

/** Bubblewrap on this system, with the settings that apply to all sandboxed commands. */
export interface Bubblewrap {
	/** Absolute path of the program. */
	readonly program: string;
	readonly version: Version;
	readonly layout: SystemLayout;
	/**
	 * Environment variables that every command receives from the gateway. Contains only variables with allowed names.
	 */
	readonly environment: Readonly<Record<string, string>>;
	readonly hidden: readonly string[];
	/** Files of the operator, such as the policy. No command may change them. */
	readonly steering: readonly string[];
	readonly runs: CommandRuns;
	readonly guards: Guards;
	/** Handles the failed start of a sandbox. The failed command waits until the returned promise resolves. */
	failedToStart(): Promise<void>;
	readonly architecture: Architecture;
	/** Whether the operator allows commands to use Unix sockets. */
	readonly unixSockets: boolean;
	readonly limiter: Limiter;
	/** Path of keyctl(1), which creates a session keyring for a command. */
	readonly keyctl: string | undefined;
	/**
	 * Absolute path of stat(1). A sandbox runs stat(1) to compare bound files with the files that the gateway opened.
	 */
	readonly stat: string;
}

export interface SandboxProfile {
	readonly roots: readonly string[];
	/** Directories that commands may read although a hidden directory contains them. */
	readonly readable?: readonly string[] | undefined;
	/** Text of `.gitconfig` in the home directory. */
	readonly gitSettings: string;
	/** Whether secret files in the roots appear empty. True in chat sessions. */
	readonly hidesSecrets?: boolean;
	readonly network: Sandbox | undefined;
	/** The same sandbox with network access to some hosts. */
	readonly egress?: Sandbox;
	readonly access?: Egress;
}

/**
 * Score adjustment of commands. If memory is short, the kernel prefers to kill processes with a high score.
 * https://man7.org/linux/man-pages/man5/proc_pid_oom_score_adj.5.html
 */
const OOM_SCORE = 500;

/** Environment in which git reads only the settings file in its arguments. */
const noRepository = { GIT_DIR: "/dev/null", GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" };
const GIT_TIMEOUT_MS = 2_000;
const GIT_OUTPUT_BYTES = 512 * 1024;

const BASH = "/bin/bash";
/** Text that the shell prints before the command begins. Warnings may precede the text. */
const STARTED = "the sandbox is built: ";

/**
 * Returns a shell script that sets the limits of a process, runs `check` and then executes the arguments of the script.
 */
function preludeOf(
	{ maxFileBytes = Number.POSITIVE_INFINITY }: Command,
	{ kind, isBash, check }: { readonly kind: MemoryLimit; readonly isBash: boolean; readonly check: string },
): string {
	const { f, u, ...others } = limitsOfProcess(kind);
	return [
		// A limit that cannot be set is already lower, so errors of `ulimit` are ignored.
		...Object.entries(others).map(([name, value]) => `ulimit -${name} ${value} 2>/dev/null`),
		// The option for the maximum number of processes depends on the shell.
		`ulimit -${isBash ? "u" : "p"} ${u} 2>/dev/null`,
		`${limitFiles(Math.min(f * 1024, maxFileBytes), isBash)} 2>/dev/null`,
		`echo ${OOM_SCORE} 2>/dev/null >/proc/self/oom_score_adj`,
		check,
		// This is the last step before the command, so its output proves that the sandbox was built.
		`printf '%s' '${STARTED}'`,
		'exec "$@"',
	].join("; ");
}

/**
 * Creates a sandbox. Commands in it see the roots, the readable directories, the working directory and the system's
 * programs. Commands reach no network except the hosts of `access`. All processes of a command end with the command.
 */
export function createBubblewrap(bubblewrap: Bubblewrap, profile: SandboxProfile): Sandbox {
	const { roots, readable = [], network, egress, access, hidesSecrets = false } = profile;
	const hosts = access && { hosts: access.hosts };
	const rules = rulesFor(bubblewrap);
	const { limiter, keyctl } = bubblewrap;
	const fixed = {
		limits: limitsOfProcess(limiter.kind),
		limiter: limiter.kind,
		rules,
		keyring: keyctl !== undefined,
		confinement: confinementOf(bubblewrap.version),
		...facts(bubblewrap),
		roots,
		...defined({ readable: readable.length > 0 ? readable : undefined }),
		hidesSecrets,
		...hosts,
	};
	const hash = createHash("sha256").update(JSON.stringify(fixed)).digest("hex").slice(0, 16);

	async function start(command: Command): Promise<CommandOutcome> {
		const { power = "work", cwd } = command;
		const places: CommandPaths = { roots, cwd, home: homeOf(bubblewrap) };
		const { hidden, guards, runs } = bubblewrap;
		await using pins = await pinnedPlaces(bubblewrap, places);
		const guard = power === "work" ? await RootGuard.before({ ...places, hidden }, guards) : undefined;
		await using passages = new AsyncDisposableStack();
		let proxy: CommandProxy | undefined;
		let guarding: Guarding | undefined;
		let covers: readonly string[] = [];
		let ended: EndedRun;
		try {
			ended = await runs.run(command, async (mark) => {
				proxy = access && passages.use(access.open(command.callId ?? mark));
				const limited = limiter.apply(mark);
				passages.defer(limited.end);
				covers = await covered(bubblewrap, profile, places);
				return prepare(bubblewrap, profile, { command, mark, places, covers, pins, guard, proxy, limited });
			});
		} finally {
			const { signal } = command;
			const git = gitInside(bubblewrap, profile, signal);
			guarding = await guard?.after({ git, pins, isLate: () => signal.aborted });
		}
		const { hasStarted, ...outcome } = ended;
		if (hasStarted === false)
			await throwReason({ command, outcome, covers, failedToStart: () => bubblewrap.failedToStart() });
		const notes = `${proxy?.note() ?? ""}${guarding ? guardNote(guarding, roots, guards) : ""}`;
		return { ...outcome, output: `${outcome.output}${notes}` };
	}

	const { environment } = bubblewrap;
	const about = { profile: `bubblewrap ${hash}`, environment, network, ...defined({ egress }), ...hosts };
	return { mode: "bubblewrap", ...about, run: (command) => retryIfReplaced(() => start(command)) };
}

/**
 * Returns a function that runs a script in a sandbox. The function resolves with undefined if the script cannot start.
 */
function gitInside(bubblewrap: Bubblewrap, profile: SandboxProfile, signal: AbortSignal): GitRunner["git"] {
	const { roots } = profile;
	return async (script, args, power) => {
		const [cwd = "/"] = roots;
		const command: Command = {
			executable: "/bin/sh",
			args: ["-c", script, "sh", ...args],
			cwd,
			power,
			signal,
			environment: noRepository,
			timeoutMs: GIT_TIMEOUT_MS,
			maxOutputBytes: GIT_OUTPUT_BYTES,
		};
		const places: CommandPaths = { roots, cwd, home: homeOf(bubblewrap) };
		try {
			await using pins = await pinnedPlaces(bubblewrap, places);
			const covers = await covered(bubblewrap, profile, places);
			return await bubblewrap.runs.run(command, (mark) => {
				const limited = eachProcess.apply(mark);
				return prepare(bubblewrap, profile, { command, mark, places, covers, pins, limited });
			});
		} catch {
			// The caller renames a file if its settings cannot be read.
			return undefined;
		}
	};
}

interface StartContext {
	readonly command: Command;
	readonly mark: string;
	readonly places: CommandPaths;
	/** Paths that appear empty in the sandbox. */
	readonly covers: readonly string[];
	readonly pins: PinnedPlaces;
	/** Guard of the roots. Present if the command may change the roots, except control files (see `isControl`). */
	readonly guard?: RootGuard | undefined;
	readonly proxy?: CommandProxy | undefined;
	readonly limited: ReturnType<Limiter["apply"]>;
}

/**
 * Returns the arguments, environment, mounts, prelude and filter of a sample command as one text. The text changes when
 * the code that builds the sandbox changes.
 */
export async function sampleOf(bubblewrap: Bubblewrap, profile: SandboxProfile): Promise<string> {
	const mark = "sample";
	const command: Command = {
		executable: "/bin/sh",
		args: [],
		cwd: "/usr",
		environment: {},
		power: "read",
		timeoutMs: 0,
		maxOutputBytes: 0,
		signal: new AbortController().signal,
	};
	const places: CommandPaths = { roots: profile.roots, cwd: command.cwd, home: homeOf(bubblewrap) };
	const limited = bubblewrap.limiter.apply(mark);
	const covers = await covered(bubblewrap, profile, places);
	await using pins = await pinnedPlaces(bubblewrap, places);
	const {
		argv,
		environment,
		texts = [],
	} = await prepare(bubblewrap, profile, { command, mark, places, covers, pins, limited });
	return JSON.stringify([argv, environment, texts.map((text) => Buffer.from(text).toString("hex"))]);
}

/**
 * Opens the roots, and the working directory if a directory of `openPlaces` contains it. Throws as `PinnedPlaces.pin`
 * does.
 */
async function pinnedPlaces({ layout }: Bubblewrap, { roots, cwd }: CommandPaths): Promise<PinnedPlaces> {
	await using undo = new AsyncDisposableStack();
	const pins = undo.use(new PinnedPlaces());
	for (const root of roots) await pins.pin(root, "root");
	if (isAmong(cwd, openPlaces({ roots, cwd, layout }))) await pins.pin(cwd, rootTexts.workingDirectory);
	undo.move();
	return pins;
}

/**
 * Opens the program directories in the layout. Returns the layout without directories that are missing, or that were
 * replaced by a link.
 */
async function pinnedTools(layout: SystemLayout, pins: PinnedPlaces): Promise<SystemLayout> {
	const pinned = await Promise.all(layout.tools.map(({ source }) => pins.tryPin(source)));
	return { ...layout, tools: layout.tools.filter((_, index) => pinned[index]) };
}

async function prepare(
	bubblewrap: Bubblewrap,
	profile: SandboxProfile,
	{ command, mark, places, covers, pins, guard, proxy, limited }: StartContext,
): Promise<Prepared> {
	const { roots, readable = [], gitSettings } = profile;
	const { environment, hidden } = bubblewrap;
	const layout = await pinnedTools(bubblewrap.layout, pins);
	const { power = "work", cwd } = command;
	const program = await findProgram(command.executable, environment["PATH"] ?? DEFAULT_PATH);
	const open = openPlaces({ roots, cwd, layout });
	const steering = steeringIn(roots, bubblewrap);
	// If the home directory is missing, or its path contains a link, the home directory is not protected against
	// renaming.
	const home = places.home !== undefined && (await pins.tryPin(places.home)) ? places.home : undefined;
	const { mounts: all, texts } = buildInside({
		layout,
		roots,
		readable,
		hidden,
		cwd,
		program,
		home: places.home,
		writable: power !== "read",
		fixed: fixedIn(roots, [...hidden, ...steering], home),
		protections: [
			...((await guard?.mounts()) ?? []),
			...steering.map((path) => ["--ro-bind", path, path]),
			...(await cover(covers)),
			...(proxy?.mounts ?? []),
		],
		files: [...accounts(places.home), ...gitFile(places.home, gitSettings)],
	});
	const tools = layout.tools.map(({ source }) => source);
	const mounts = await pins.bind(all, (path) => isAmong(path, open) || tools.includes(path));
	const general = { ...environment, TMPDIR: "/tmp", ...proxy?.environment };
	const variables = { ...general, ...command.environment, [MARK_NAME]: mark };
	const options = [
		...confinementOf(bubblewrap.version),
		...Object.entries(variables).map(([name, value]) => ["--setenv", name, value]),
		...(hasSizes(bubblewrap.version) ? mounts : mounts.map(withoutSize)),
		["--seccomp", String(FIRST_FILE + texts.length)],
		["--chdir", cwd],
	];
	const filter = filterProgram(rulesFor(bubblewrap), bubblewrap.architecture);
	const { limiter, keyctl, stat } = bubblewrap;
	const keyring = keyctl === undefined ? [] : [keyctl, "session", "-"];
	const isBash = existsSync(BASH);
	const check = await pins.check(stat, cwd);
	const prelude = preludeOf(command, { kind: limiter.kind, isBash, check: check.line });
	const shell = [isBash ? BASH : "/bin/sh", "-c", prelude, "parley", ...check.words];
	// The descriptor of Node's IPC channel follows the descriptors of the arguments, the files and the filter.
	const words = [...(proxy?.argv(FIRST_FILE + texts.length + 1) ?? []), program, ...command.args];
	return {
		// The options may contain passwords, and every user of the machine can read the arguments of a process. Bubblewrap
		// therefore reads its options from a descriptor.
		argv: [...limited.argv, ...keyring, bubblewrap.program, "--args", "3", "--", ...shell, ...words],
		cwd: "/",
		environment: limited.environment,
		texts: [options.flat().join("\0"), ...texts, filter],
		...defined({ onHandle: proxy?.serve }),
		contained: true,
		startMark: STARTED,
	};
}

/**
 * Returns the paths to cover: secrets, and the sockets of processes outside the sandbox. Omits unbound paths, and paths
 * that a hidden directory already hides.
 */
async function covered(
	{ hidden, layout }: Bubblewrap,
	{ roots, hidesSecrets }: SandboxProfile,
	places: CommandPaths,
): Promise<string[]> {
	const found = await Promise.all([
		secretsAtHome(places),
		hidesSecrets ? secretsInRoots(roots) : [],
		hostSockets(boundPlaces({ layout, roots, cwd: places.cwd })),
	]);
	const shown = roots.filter((root) => hidden.some((place) => isWithin(root, place)));
	return found.flat().filter((path) => !isUnbound(path) && (!isAmong(path, hidden) || isAmong(path, shown)));
}

function facts({ version, layout, environment, hidden, steering }: Bubblewrap): object {
	return { version, layout, environment, hidden, steering };
}

/**
 * Returns the real paths of the steering files in the roots, because nothing can be mounted on a link. Omits hidden
 * files.
 */
function steeringIn(roots: readonly string[], { steering, hidden }: Bubblewrap): string[] {
	const real = steering.filter((path) => existsSync(path)).map((path) => realpathSync(path));
	return real.filter((path) => isAmong(path, roots) && !isAmong(path, hidden));
}

/**
 * Returns the parent directories of `paths`, and the home directory with its parents, as far as they are inside a root.
 * Commands must not rename these directories, because `paths` must stay in place.
 */
function fixedIn(roots: readonly string[], paths: readonly string[], home: string | undefined): string[] {
	const found = new Set<string>();
	const starts = definedItems([...paths.map((path) => dirname(path)), home]);
	for (const start of starts) {
		for (let path = start; isAmong(path, roots) && path !== dirname(path); path = dirname(path))
			found.add(path);
	}
	return [...found].filter((path) => !roots.includes(path));
}

function isAmong(path: string, places: readonly string[]): boolean {
	return places.some((place) => isWithin(path, place));
}

function homeOf({ environment }: Bubblewrap): string | undefined {
	const home = environment["HOME"];
	return home?.startsWith("/") && !/^\/(?:(?:usr|proc|dev|etc|bin|lib|sbin)(?:\/.*)?)?$/.test(home)
		? home
		: undefined;
}

function rulesFor({ unixSockets }: Bubblewrap): readonly Rule[] {
	return unixSockets ? filterRules : [...noUnixSockets, ...filterRules];
}
