import { type Clock, defined, type Ids, type Logger, ParleyError } from "@parley/base";
import { isWithin } from "../filesystem/paths.ts";
import type {
	Sandbox,
	Sandboxes,
	SandboxFeatures,
	SandboxKind,
	SandboxMode,
	SandboxRequest,
	SandboxState,
} from "../vocabulary/sandbox.ts";
import { type Bubblewrap, createBubblewrap, type SandboxProfile, sampleOf } from "./bubblewrap/bubblewrap.ts";
import { hasSizes } from "./bubblewrap/confinement.ts";
import {
	findBubblewrap,
	findKeyctl,
	type KeyctlProgram,
	NoSandbox,
	permitAdvice,
} from "./bubblewrap/find-bubblewrap.ts";
import { serviceDirectories } from "./bubblewrap/inside.ts";
import { SandboxNotSetUp } from "./bubblewrap/pinned-places.ts";
import { describeSystem } from "./bubblewrap/system-layout.ts";
import { findLimiter } from "./commands/command-limits.ts";
import { CommandRuns } from "./commands/command-runs.ts";
import {
	allowedEnvironment,
	DEFAULT_PATH,
	type Environment,
	findProgram,
	SYSTEM_PATH,
} from "./commands/environment.ts";
import { createUnsandboxed } from "./commands/unsandboxed.ts";
import type { Egress } from "./egress/egress.ts";
import { keyOf, type ProbeListeners, StoredVerdict, testSandbox, thisSystem } from "./self-test.ts";
import { knownArchitecture } from "./system-calls/filter.ts";
import { sandboxTexts } from "./texts.ts";

export interface SandboxesOptions {
	readonly mode: SandboxMode;
	readonly environment: Environment;
	readonly clock: Clock;
	readonly ids: Ids;
	readonly log: Logger;
	/** Real paths of hidden directories. In a hidden directory, commands see only roots and readable directories. */
	readonly hidden: readonly string[];
	/** Files of the operator, such as the policy. No sandboxed command may change them. */
	readonly steering?: readonly string[];
	/** Whether commands may use Unix sockets, including sockets that other processes create in a root. */
	readonly unixSockets?: boolean;
	/** Access to the configured hosts and to the hosts of a request. If absent, sandboxed commands reach no hosts. */
	readonly egress?: Egress;
	/** Directories to search for bubblewrap and keyctl(1), in the format of PATH. Default: the system's directories. */
	readonly path?: string;
	/** Opens listeners that the probes try to reach, one at the socket `file`. If absent, there are no listeners. */
	readonly listen?: (file: string) => Promise<ProbeListeners>;
	/** File for results of the probes (see `StoredVerdict`). If absent, each gateway process runs the probes. */
	readonly verdict?: StoredVerdictOptions;
}

export interface StoredVerdictOptions {
	/** Absolute path of the file. Tools must not be able to change the file. */
	readonly file: string;
	/** Version of the gateway. */
	readonly build: string;
}

/** Milliseconds after a failed start of a sandbox during which a further failed start causes no new check. */
const RECHECK_MS = 10 * 60_000;

interface Check {
	readonly bubblewrap?: Bubblewrap;
	readonly features?: SandboxFeatures;
	readonly gitSettings: string;
	readonly probes: number;
	readonly reason?: string;
	readonly fix?: string;
	/** Whether a sandbox failed to start earlier. If so, mode `preferred` also refuses commands while bubblewrap is unusable. */
	readonly isLost?: boolean;
}

/** Creates the sandboxes for the operator's mode. A chat session requires bubblewrap, except in mode `container`. */
export function createSandboxes(options: SandboxesOptions): Sandboxes {
	const { mode, clock, log } = options;
	const runs = new CommandRuns(options);
	const unsandboxed = createUnsandboxed({ ...options, runs });
	const container = containerOf(unsandboxed);
	// Commands in the `exposed` sandbox run as the gateway's user and can read the gateway's files.
	const exposed = containerOf(unsandboxed, true);
	let found: Check | undefined;
	let checking: Promise<Check> | undefined;
	let isLost = false;
	let lastFailure = Number.NEGATIVE_INFINITY;

	function check(): Promise<Check> {
		checking ??= find(options, { runs, isLost, failedToStart }).then((result) => {
			found = { ...result, isLost };
			logMode(options, found);
			return found;
		});
		return checking;
	}

	/**
	 * Makes the next command wait for all probes. Does nothing if another start failed in the last 10 minutes. Without
	 * this limit, a command that removes a directory of its own sandbox could make all sessions wait repeatedly.
	 */
	async function failedToStart(): Promise<void> {
		const now = clock.monotonic();
		if (now - lastFailure < RECHECK_MS) return;
		lastFailure = now;
		log.warn(sandboxTexts.failedToStart);
		isLost = true;
		found = undefined;
		checking = undefined;
		await forgetVerdict(options);
	}

	function confined(request: SandboxRequest, known: Check): Sandbox {
		const { chat, roots, readable } = request;
		const reason = refusalReason(known, roots, options.hidden);
		if (reason === undefined && known.bubblewrap) {
			const gitSettings = chat ? chatGitSettings : known.gitSettings;
			const network = chat ? undefined : unsandboxed;
			const profile = { roots, readable, gitSettings, hidesSecrets: chat, network };
			return withHosts(known.bubblewrap, profile, { egress: options.egress, hosts: request.hosts });
		}
		return chat || isRequired(mode, known) ? refusing(reason ?? sandboxTexts.none) : unsandboxed;
	}

	return {
		async of(request) {
			if (mode === "container") return request.chat ? exposed : container;
			if (mode === "off" && !request.chat) return unsandboxed;
			return confined(request, await check());
		},
		async check() {
			return stateOf(mode, await check());
		},
		get state() {
			return stateOf(mode, found, checking !== undefined);
		},
		get marker() {
			return runs.marker;
		},
		get started() {
			return runs.started;
		},
		processes: () => runs.processes(),
	};
}

/**
 * Returns a sandbox with access to `hosts`. Without `hosts`, the sandbox reaches no host, but its field `egress` is a
 * sandbox that reaches the configured hosts. If the parameter `egress` is undefined, no host can be reached.
 */
function withHosts(
	bubblewrap: Bubblewrap,
	profile: SandboxProfile,
	{
		egress: access,
		hosts = [],
	}: { readonly egress?: Egress | undefined; readonly hosts?: SandboxRequest["hosts"] },
): Sandbox {
	if (!access) return createBubblewrap(bubblewrap, profile);
	if (hosts.length > 0) return createBubblewrap(bubblewrap, { ...profile, access: access.to(hosts) });
	if (access.hosts.length === 0) return createBubblewrap(bubblewrap, profile);
	return createBubblewrap(bubblewrap, {
		...profile,
		egress: createBubblewrap(bubblewrap, { ...profile, access }),
	});
}

/** Whether commands require a sandbox. Also true if bubblewrap is unusable after a failed start. */
function isRequired(mode: SandboxMode, { bubblewrap, isLost = false }: Check): boolean {
	return mode === "required" || (isLost && bubblewrap === undefined);
}

/** Returns a sandbox for mode `container`. Its commands share files and network with the gateway. */
function containerOf(unsandboxed: Sandbox, exposed = false): Sandbox {
	const container: Sandbox = {
		mode: "container",
		...defined({ exposed: exposed || undefined }),
		profile: "container",
		environment: unsandboxed.environment,
		get network() {
			return container;
		},
		run: (command) => unsandboxed.run(command),
	};
	return container;
}

function refusing(refusal: string): Sandbox {
	return {
		mode: "none",
		profile: "none",
		environment: {},
		refusal,
		network: undefined,
		run: () => Promise.reject(new ParleyError(refusal, { code: "failed_precondition" })),
	};
}

interface Finding {
	readonly runs: CommandRuns;
	/** Handles the failed start of a sandbox: see `failedToStart` of `Bubblewrap`. */
	failedToStart(): Promise<void>;
	readonly isLost: boolean;
}

async function find(options: SandboxesOptions, { runs, isLost, failedToStart }: Finding): Promise<Check> {
	const { hidden, steering = [], unixSockets = false, clock, ids, log } = options;
	const environment = allowedEnvironment(options.environment);
	try {
		if (process.platform !== "linux") throw new NoSandbox(sandboxTexts.onlyLinux, {});
		const architecture = knownArchitecture();
		if (architecture === undefined) throw new NoSandbox(sandboxTexts.noFilter(process.arch), {});
		// The setup programs are not chosen by a model, so they are not counted as commands.
		const own = createUnsandboxed(options);
		const binary = await findBubblewrap(own, options.path);
		const layout = await describeSystem({
			path: environment["PATH"] ?? DEFAULT_PATH,
			home: environment["HOME"],
		});
		const guards = { clock, ids, log, remaining: new Set<string>(), shownNotes: new Set<string>() };
		const limiter = await findLimiter(own);
		const keyctl = await findKeyctl(own, options.path);
		const stat = await findProgram("stat", SYSTEM_PATH).catch((cause: unknown) => {
			throw new NoSandbox(sandboxTexts.noStat, { fix: sandboxTexts.installCoreutils, cause });
		});
		const means = { architecture, unixSockets, limiter, keyctl: keyctl.program, stat };
		const facts = { ...binary, layout, environment, hidden, steering, runs, guards, ...means };
		const bubblewrap: Bubblewrap = { ...facts, failedToStart };
		const gitSettings = await sharedGitSettings(own, "/");
		const probes = await probeOrReuse(
			options,
			{ ...facts, failedToStart: async () => undefined },
			{ gitSettings, isLost },
		);
		return { bubblewrap, features: featuresOf(bubblewrap, keyctl), gitSettings, probes };
	} catch (cause) {
		options.log.debug(sandboxTexts.unusable, { error: cause });
		return { gitSettings: "", probes: 0, ...reasonOf(cause) };
	}
}

/**
 * Resolves with the stored result of the probes, if it is valid. Otherwise runs `testSandbox` and stores its result.
 */
async function probeOrReuse(
	options: SandboxesOptions,
	bubblewrap: Bubblewrap,
	{ gitSettings, isLost }: { readonly gitSettings: string; readonly isLost: boolean },
): Promise<number> {
	const { hidden, listen, verdict, log } = options;
	const { version, environment } = bubblewrap;
	const sandboxOf = (roots: readonly string[]): Sandbox =>
		createBubblewrap(bubblewrap, { roots, gitSettings, network: undefined });
	const keyFor = async ({ build }: StoredVerdictOptions): Promise<string> => {
		const sample = await sampleOf(bubblewrap, { roots: [], gitSettings, network: undefined });
		const system = await thisSystem();
		return await keyOf({ ...bubblewrap, build, profile: sandboxOf([]).profile, sample, system });
	};
	const storedVerdict = verdict && new StoredVerdict(verdict.file);
	// If the key cannot be computed, a stored result is neither used nor written.
	const key = verdict && (await keyFor(verdict).catch(() => undefined));
	const known = storedVerdict && key !== undefined && !isLost ? await storedVerdict.find(key) : undefined;
	if (known !== undefined) return known;
	const result = await testSandbox({
		minor: version[0] > 0 ? Number.POSITIVE_INFINITY : version[1],
		hidden,
		...defined({ listen }),
		unixSockets: bubblewrap.unixSockets,
		variables: Object.keys(environment),
		sandboxOf: (root) => sandboxOf([root]),
	});
	if (storedVerdict && key !== undefined)
		await storedVerdict.add(key, result).catch((error: unknown) => {
			log.warn(sandboxTexts.resultNotStored, { error });
		});
	return result;
}

async function forgetVerdict({ verdict, log }: SandboxesOptions): Promise<void> {
	if (!verdict) return;
	await new StoredVerdict(verdict.file).clear().catch((error: unknown) => {
		log.error(sandboxTexts.resultNotRemoved, { file: verdict.file, error });
	});
}

function featuresOf(bubblewrap: Bubblewrap, { state: keyring }: KeyctlProgram): SandboxFeatures {
	const { limiter, unixSockets } = bubblewrap;
	return { memory: limiter.kind, keyring, sizes: hasSizes(bubblewrap.version), unixSockets };
}

/** Returns the reason for a failed check, with advice for the operator. A probe that escaped has no advice. */
function reasonOf(cause: unknown): { readonly reason: string; readonly fix?: string } {
	if (cause instanceof SandboxNotSetUp) return { reason: cause.reason, fix: permitAdvice() };
	const fix = cause instanceof NoSandbox ? cause.fix : undefined;
	return { reason: ParleyError.from(cause).message, ...defined({ fix }) };
}

function refusalReason(
	{ reason, fix }: Check,
	roots: readonly string[],
	hidden: readonly string[],
): string | undefined {
	if (reason !== undefined) {
		const help = fix === undefined ? sandboxTexts.operatorCheck : sandboxTexts.operatorFix(fix);
		return sandboxTexts.required(reason, help);
	}
	const isWide = (root: string): boolean =>
		isWithin("/usr", root) ||
		hidden.includes(root) ||
		serviceDirectories.some((place) => isWithin(root, place));
	const wide = roots.find(isWide);
	if (wide === undefined) return undefined;
	return sandboxTexts.rootTooWide(wide);
}

function stateOf(mode: SandboxMode, result: Check | undefined, hasStarted = true): SandboxState {
	if (mode === "container") return { mode, state: "unused", operator: mode, chat: mode, probes: 0 };
	const known = mode === "off" ? { operator: mode } : {};
	if (!result && hasStarted) return { mode, state: "checking", ...known, probes: 0 };
	if (!result) return { mode, state: mode === "off" ? "unused" : "wanted", ...known, probes: 0 };
	const isFound = result.bubblewrap !== undefined;
	const without: SandboxKind = isRequired(mode, result) ? "none" : "off";
	return {
		mode,
		state: isFound ? "ready" : "unavailable",
		operator: isFound ? "bubblewrap" : without,
		...known,
		chat: isFound ? "bubblewrap" : "none",
		probes: result.probes,
		...defined({ features: result.features, reason: result.reason, fix: result.fix }),
	};
}

function logMode({ log, mode }: SandboxesOptions, result: Check): void {
	const { probes, reason, fix } = result;
	if (reason === undefined) log.info(sandboxTexts.ready, { probes });
	else log.warn(sandboxTexts.noneForCommands, { mode, reason, ...defined({ fix }) });
}

/**
 * Git settings of the operator for commands outside chats. Only `filter.lfs` names programs. None contains a
 * credential.
 */
const shared = [
	"user\\.name",
	"user\\.email",
	"init\\.defaultbranch",
	"core\\.autocrlf",
	"core\\.eol",
	"pull\\.rebase",
	"merge\\.conflictstyle",
	"diff\\.algorithm",
	"filter\\.lfs\\.(clean|smudge|process|required)",
];
const TIMEOUT_MS = 2_000;

/**
 * Resolves with the operator's `shared` settings as text of a configuration file, or with an empty text if git reports
 * none. Never rejects.
 */
async function sharedGitSettings(unsandboxed: Sandbox, cwd: string): Promise<string> {
	const command = {
		executable: "git",
		args: ["config", "--global", "--null", "--get-regexp", `^(${shared.join("|")})$`],
		cwd,
		timeoutMs: TIMEOUT_MS,
		maxOutputBytes: 64 * 1024,
		signal: new AbortController().signal,
	};
	// If git cannot run, no settings are shared.
	const outcome = await unsandboxed.run(command).catch(() => undefined);
	if (outcome?.code !== 0) return "";
	// `OutputWindow` replaces NUL with U+FFFD.
	const entries = outcome.output.split("\u{fffd}").filter((entry) => entry.includes("\n"));
	return entries.map((entry) => settingOf(entry)).join("");
}

/** Git author and committer in sessions of a chat platform, because chat users must not commit as the operator. */
const chatGitSettings = settingOf("user.name\nParley") + settingOf("user.email\nparley@localhost");

function settingOf(entry: string): string {
	const name = entry.slice(0, entry.indexOf("\n"));
	const value = entry.slice(entry.indexOf("\n") + 1);
	const [section = "", ...rest] = name.split(".");
	const key = rest.pop() ?? "";
	const inner = rest.length > 0 ? ` "${rest.join(".")}"` : "";
	return `[${section}${inner}]\n\t${key} = ${quoted(value)}\n`;
}

/** Quotes a value of a git configuration file: https://git-scm.com/docs/git-config#_syntax */
function quoted(value: string): string {
	const escaped = value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
	return `"${escaped}"`;
}
