/** One command to run to its end. */
export interface Command {
	readonly executable: string;
	readonly args: readonly string[];
	readonly cwd: string;
	/** Variables that it gets beside the few that every command gets; what stands there may be a password. */
	readonly environment?: Readonly<Record<string, string>>;
	/** Milliseconds of wall time before the whole process group is killed. */
	readonly timeoutMs: number;
	/** Bytes of output that are kept (head and tail); above it a marker says how much was left out. */
	readonly maxOutputBytes: number;
	/** Bytes of the largest file that it may write; a sandbox allows 1 GiB at most. */
	readonly maxFileBytes?: number;
	/**
	 * What a sandbox lets it do with the roots. `read`: nothing but that. `work`: change all but what steers later
	 * commands, which is what holds unless told. `steer`: that, too, because a person has agreed or nothing but a known
	 * program of ours runs.
	 */
	readonly power?: "read" | "work" | "steer";
	/** The call that it belongs to, for what is told of its connections. */
	readonly callId?: string;
	readonly signal: AbortSignal;
	/** Gets the output of the command itself while it comes, all of it, cut anywhere; must not throw and must not block. */
	onOutput?(chunk: Uint8Array): void;
}

export interface CommandOutcome {
	/** The exit code, or null when a signal ended it. */
	readonly code: number | null;
	readonly signal: NodeJS.Signals | null;
	/** Standard output and error as they came, with the marker where some was left out. */
	readonly output: string;
	readonly timedOut: boolean;
}

/**
 * What confines commands. `off`: nothing, they have the operator's own power. `container`: only what the gateway itself
 * runs in, as the operator has declared. `none`: a sandbox is required and there is none, so that nothing runs.
 */
export type SandboxKind = "off" | "bubblewrap" | "container" | "none";

/** Where the commands of one session run. */
export interface Sandbox {
	readonly mode: SandboxKind;
	/** Whether the gateway's own files are in the reach of commands of a chat: nobody there can approve one. */
	readonly exposed?: boolean;
	/** Stands for all that holds for commands: one that was approved under another profile is not what was approved. */
	readonly profile: string;
	/** What every command finds in its environment, beside what one is given. */
	readonly environment: Readonly<Record<string, string>>;
	/** Why nothing runs, and what would help; only of `none`. */
	readonly refusal?: string;
	/** For commands that have to reach other machines, where the session may have any. */
	readonly network: Sandbox | undefined;
	/** As confined as this one, with a way to the hosts that the operator has named; only where there are any. */
	readonly egress?: Sandbox;
	/** Where commands reach these hosts alone, by https: a name, or `*.` and a name for all below it. */
	readonly hosts?: readonly string[];
	run(command: Command): Promise<CommandOutcome>;
}

/** What the operator can ask for. `container` declares that the container around the gateway is the boundary. */
export const sandboxModes = ["required", "preferred", "off", "container"] as const;
export type SandboxMode = (typeof sandboxModes)[number];

/** What the choice of a sandbox rests on. */
export interface SandboxWish {
	/** Whether the session belongs to a channel of a chat platform: nothing runs unconfined there. */
	readonly chat: boolean;
	/** Real paths of what commands may change. */
	readonly roots: readonly string[];
}

/**
 * The limit on the memory of a command. `systemd` and `cgroup`: a cgroup for the command with all that it starts, made by
 * systemd or by the gateway. `address-space`: the addresses of each of its processes.
 */
export type MemoryLimit = "systemd" | "cgroup" | "address-space";

/** Properties of the sandbox that depend on this system or on the configuration. */
export interface SandboxFeatures {
	readonly memory: MemoryLimit;
	/** Whether a command has a session keyring of its own. Without one it has the gateway's, and every call about keys fails. */
	readonly keyring: boolean;
	/** Whether directories in memory have a limit of their size. */
	readonly sizes: boolean;
	/** Whether commands may use Unix sockets. */
	readonly unixSockets: boolean;
}

/** How the sandbox is found to be, for people and for `/api/health?verbose`. */
export interface SandboxState {
	/** As the operator configured it. */
	readonly mode: SandboxMode;
	/**
	 * Of bubblewrap: whether it holds what it promises; `wanted` until somebody begins to look, `unused` where the mode
	 * has no need of it.
	 */
	readonly state: "wanted" | "checking" | "ready" | "unavailable" | "unused";
	/** What confines commands of the operator's own sessions, and of chat. Absent as long as that is not known. */
	readonly operator?: SandboxKind;
	readonly chat?: SandboxKind;
	/** How many ways out were tried. */
	readonly probes: number;
	/** Only of a sandbox that is ready. */
	readonly features?: SandboxFeatures;
	/** Why it is unavailable; where a way out was found, that probe's name. */
	readonly reason?: string;
	/** What would make it available on this system. */
	readonly fix?: string;
}

/** Chooses the sandbox of each session. */
export interface Sandboxes {
	/** Waits for the check, if that is still under way. */
	of(wish: SandboxWish): Promise<Sandbox>;
	/** Begins the check unless it has begun; resolves with what it found. Never rejects. */
	check(): Promise<SandboxState>;
	readonly state: SandboxState;
	/**
	 * Secret text in the environment of every process of a command, unless that process cleared its environment.
	 * Undefined as long as no command has run outside of bubblewrap: a command inside has a network of its own, so it
	 * cannot connect to the gateway.
	 */
	readonly marker: string | undefined;
	/** The number of commands that were started outside of bubblewrap so far. */
	readonly started: number;
	/** Process ids (also session and group ids) of the commands that run outside of bubblewrap now, or ran lately. */
	processes(): readonly number[];
}
