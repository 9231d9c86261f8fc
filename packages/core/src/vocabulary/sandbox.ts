export interface Command {
	readonly executable: string;
	readonly args: readonly string[];
	readonly cwd: string;
	/** Variables in addition to those of every command. A value may be a password. */
	readonly environment?: Readonly<Record<string, string>>;
	/** Milliseconds of wall time before the complete process group is killed. */
	readonly timeoutMs: number;
	/** Maximum bytes of output. From longer output the head and the tail are returned, with a marker between them. */
	readonly maxOutputBytes: number;
	/** Maximum of bytes of a file that it writes. A sandbox allows 1 GiB at most. */
	readonly maxFileBytes?: number;
	/**
	 * Rights of the command in the roots. `read`: read only. `work`, the default: change all files except those that decide
	 * what runs later. `steer`: change these too, because a person approved it or only a known program runs.
	 */
	readonly power?: "read" | "work" | "steer";
	/** Id of its tool call, for the log of its connections. */
	readonly callId?: string;
	readonly signal: AbortSignal;
	/** Receives all output of the command in chunks, while it runs. Must not throw and must not block. */
	onOutput?(chunk: Uint8Array): void;
	/** Input and errors of a program that answers on its output. Without it, the program has no input, and its errors are output. */
	readonly dialogue?: Dialogue;
}

/** The other side of a program that reads requests and writes answers. Must not throw and must not block. */
export interface Dialogue {
	/** Called once, when the process exists. The program may begin to read later. */
	started(input: ProgramInput): void;
	/** Receives standard error in chunks. */
	onErrors(chunk: Uint8Array): void;
}

export interface ProgramInput {
	/** Bytes that wait for the program to read them. */
	readonly waiting: number;
	/** Resolves when the bytes are written. Rejects with `unavailable` if the program reads no longer. */
	write(bytes: Uint8Array): Promise<void>;
	/** Ends the input, after which most programs end. */
	end(): void;
}

export interface CommandOutcome {
	/** The exit code, or null when a signal ended it. */
	readonly code: number | null;
	readonly signal: NodeJS.Signals | null;
	/** Standard output and error in the order in which they were written. */
	readonly output: string;
	readonly timedOut: boolean;
}

/**
 * Confinement of commands. `off`: none, they have the operator's permissions. `container`: the container of the gateway, as
 * the operator declared. `none`: a sandbox is required and missing, so no command runs.
 */
export type SandboxKind = "off" | "bubblewrap" | "container" | "none";

/** Runs the commands of one session. */
export interface Sandbox {
	readonly mode: SandboxKind;
	/** Whether commands of a chat can reach the gateway's files. No person of a chat can approve such a command. */
	readonly exposed?: boolean;
	/** Name of the confinement of commands. An approval is valid for one profile. */
	readonly profile: string;
	/** Environment of every command, without the variables of `Command`. */
	readonly environment: Readonly<Record<string, string>>;
	/** Reason why no command runs, and the fix. Only with `none`. */
	readonly refusal?: string;
	/** Sandbox for commands that need the network, if the session may have one. */
	readonly network: Sandbox | undefined;
	/** The same sandbox with access to the hosts in `egress.allow`, if there are any. */
	readonly egress?: Sandbox;
	/** Hosts that commands can reach by https: a name, or `*.` and a name for all names below it. */
	readonly hosts?: readonly string[];
	run(command: Command): Promise<CommandOutcome>;
}

/** Modes of the configuration. `container` declares that the container around the gateway is the boundary. */
export const sandboxModes = ["required", "preferred", "off", "container"] as const;
export type SandboxMode = (typeof sandboxModes)[number];

/** Facts that decide which sandbox a session gets. */
export interface SandboxRequest {
	/** Whether the session belongs to a channel of a chat platform. No command runs unconfined there. */
	readonly chat: boolean;
	/** Real paths of the directories that commands may change. */
	readonly roots: readonly string[];
	/** Real paths of hidden directories that commands may read, such as the operator's skills. Default: none. */
	readonly readable?: readonly string[];
	/** Hosts that every command of this sandbox may reach, instead of those of the configuration. Default: none. */
	readonly hosts?: readonly string[];
}

/**
 * The limit on the memory of a command. `systemd` and `cgroup`: a cgroup for the command with all that it starts, made by
 * systemd or by the gateway. `address-space`: the addresses of each of its processes.
 */
export type MemoryLimit = "systemd" | "cgroup" | "address-space";

/** Properties of the sandbox that depend on this system or on the configuration. */
export interface SandboxFeatures {
	readonly memory: MemoryLimit;
	/**
	 * Session keyring of a command. Without an own keyring it has the gateway's, and every call about keys fails. `denied`:
	 * keyctl(1) is installed, but this system does not let it create a keyring.
	 */
	readonly keyring: "own" | "denied" | "not-installed";
	/** Whether directories in memory have a size limit. */
	readonly sizes: boolean;
	/** Whether commands may use Unix sockets. */
	readonly unixSockets: boolean;
}

/** State of the sandbox, for people and for `/api/health?verbose`. */
export interface SandboxState {
	/** As the operator configured it. */
	readonly mode: SandboxMode;
	/**
	 * Result of the check of bubblewrap: `wanted` until the check begins, `unused` if the mode does not need it.
	 */
	readonly state: "wanted" | "checking" | "ready" | "unavailable" | "unused";
	/** Confinement of commands in the operator's sessions, and in chats. Absent until it is known. */
	readonly operator?: SandboxKind;
	readonly chat?: SandboxKind;
	/** Number of escapes that were tried. */
	readonly probes: number;
	/** Only if `state` is `ready`. */
	readonly features?: SandboxFeatures;
	/** Reason why it is unavailable. For an escape that succeeded, the name of its probe. */
	readonly reason?: string;
	/** Instruction that makes it available on this system. */
	readonly fix?: string;
}

/** Chooses the sandbox of each session. */
export interface Sandboxes {
	/** Waits for the end of a check that runs. */
	of(request: SandboxRequest): Promise<Sandbox>;
	/** Starts the check unless it has started, and resolves with its result. Never rejects. */
	check(): Promise<SandboxState>;
	readonly state: SandboxState;
	/**
	 * Secret text in the environment of every process of a command, unless that process cleared its environment.
	 * Undefined as long as no command has run outside of bubblewrap. A command inside has its own network, so it cannot
	 * connect to the gateway.
	 */
	readonly marker: string | undefined;
	/** Number of commands that were started outside of bubblewrap. */
	readonly started: number;
	/** Process ids (also session and group ids) of the commands that run outside of bubblewrap now, or ran lately. */
	processes(): readonly number[];
}
