export interface Command {
	readonly executable: string;
	readonly args: readonly string[];
	readonly cwd: string;
	/** Environment variables in addition to the variables of every command. A value may be a password. */
	readonly environment?: Readonly<Record<string, string>>;
	/** Milliseconds until the complete process group is terminated. */
	readonly timeoutMs: number;
	/**
	 * Maximum bytes of output. If the output is longer, the result has the beginning and the end of the output, with a
	 * marker between them.
	 */
	readonly maxOutputBytes: number;
	/** Maximum bytes of each file that the command writes. In bubblewrap, the maximum is never above 1 GiB. */
	readonly maxFileBytes?: number;
	/**
	 * Permissions of the command in the roots. Default: `work`.
	 * - read: it may only read.
	 * - work: it may change all files except control files, which can affect programs that run later (see `isControl`).
	 * - steer: it may also change control files, because a person approved it or only a known program runs.
	 */
	readonly power?: "read" | "work" | "steer";
	/** Id of the tool call, for the log of the command's connections. */
	readonly callId?: string;
	readonly signal: AbortSignal;
	/** Receives all output of the command in chunks while the command runs. Must not throw or block. */
	onOutput?(chunk: Uint8Array): void;
	/**
	 * Handlers for a program that reads requests from its input and writes responses to its output. If absent, the program
	 * has no input, and standard error is part of the output.
	 */
	readonly dialogue?: Dialogue;
}

/** Handlers for a program that reads requests and writes responses. The handlers must not throw or block. */
export interface Dialogue {
	/** Receives the program's input once, as soon as `input` can be written. The program can still fail to start. */
	started(input: ProgramInput): void;
	/** Receives standard error in chunks. */
	onErrors(chunk: Uint8Array): void;
}

export interface ProgramInput {
	/** Number of bytes that the gateway has buffered and not yet written. */
	readonly waiting: number;
	/** Resolves when the bytes are written. Rejects with `unavailable` if the program no longer reads. */
	write(bytes: Uint8Array): Promise<void>;
	/** Closes the input. Most programs then exit. */
	end(): void;
}

export interface CommandOutcome {
	/** Exit code, or null if a signal ended the command. */
	readonly code: number | null;
	readonly signal: NodeJS.Signals | null;
	/**
	 * Standard output and error in the order in which they were written. Does not contain standard error if the command
	 * has a `dialogue`.
	 */
	readonly output: string;
	readonly timedOut: boolean;
}

/**
 * Confinement of commands.
 * - off: none. Commands have the operator's permissions.
 * - bubblewrap: a bubblewrap sandbox.
 * - container: the gateway's container, which the operator has declared as the boundary.
 * - none: a required sandbox is missing, so no command runs.
 */
export type SandboxKind = "off" | "bubblewrap" | "container" | "none";

/** Runs the commands of one session. */
export interface Sandbox {
	readonly mode: SandboxKind;
	/** Whether commands of a chat can reach the gateway's files. If so, no chat user can approve a command. */
	readonly exposed?: boolean;
	/** Id of the confinement. An approval is valid only under the same profile. */
	readonly profile: string;
	/** Environment of every command. `Command.environment` adds variables. */
	readonly environment: Readonly<Record<string, string>>;
	/** Reason why no command runs, with the fix. Only with mode `none`. */
	readonly refusal?: string;
	/** Sandbox for commands that need the network. Undefined if the session may not use the network. */
	readonly network: Sandbox | undefined;
	/**
	 * This sandbox, with additional access to the hosts in the setting `egress.allow`. Absent if the sandbox does not offer
	 * this access.
	 */
	readonly egress?: Sandbox;
	/** Hosts that commands can reach with https. Each is a name, or `*.` and a name for all names below it. */
	readonly hosts?: readonly string[];
	run(command: Command): Promise<CommandOutcome>;
}

/** Configured modes. `container` declares that the container around the gateway is the boundary. */
export const sandboxModes = ["required", "preferred", "off", "container"] as const;
export type SandboxMode = (typeof sandboxModes)[number];

/** Facts that determine the sandbox of a session. */
export interface SandboxRequest {
	/**
	 * Whether the session belongs to a channel of a chat platform, or a schedule started the run. If so, commands run only in
	 * bubblewrap or, with mode `container`, in the gateway's container.
	 */
	readonly chat: boolean;
	/** Real paths of the directories that commands may change. */
	readonly roots: readonly string[];
	/**
	 * Real paths of directories that commands may read although a hidden directory contains them, such as the operator's skills.
	 * Default: none.
	 */
	readonly readable?: readonly string[];
	/** Hosts that every command of this sandbox may reach. Default: none, and `Sandbox.egress` reaches the configured hosts. */
	readonly hosts?: readonly string[];
}

/**
 * Limit on the memory of a command.
 * - systemd: a cgroup that systemd creates for the command and its child processes.
 * - cgroup: a cgroup that the gateway creates for the command and its child processes.
 * - address-space: a limit on the address space of each process.
 */
export type MemoryLimit = "systemd" | "cgroup" | "address-space";

/** Properties of the sandbox that depend on this system or on the configuration. */
export interface SandboxFeatures {
	readonly memory: MemoryLimit;
	/**
	 * Session keyring of a command. Only `own` is a separate keyring. Otherwise, the command has the gateway's keyring, and
	 * every system call on keys fails. `denied`: keyctl(1) is installed, but the system does not let keyctl create a
	 * keyring.
	 */
	readonly keyring: "own" | "denied" | "not-installed";
	/** Whether in-memory file systems have a size limit. */
	readonly sizes: boolean;
	/** Whether commands may use Unix sockets. */
	readonly unixSockets: boolean;
}

/** State of the sandbox, for people and for `/api/health?verbose`. */
export interface SandboxState {
	/** Configured mode. */
	readonly mode: SandboxMode;
	/**
	 * State of the check of bubblewrap. Before the check: `wanted`, or `unused` in mode `off`. In mode `container`, always
	 * `unused`.
	 */
	readonly state: "wanted" | "checking" | "ready" | "unavailable" | "unused";
	/** Confinement of commands in the operator's sessions, and in chats. Absent while it is unknown. */
	readonly operator?: SandboxKind;
	readonly chat?: SandboxKind;
	/**
	 * Number of probes that could not escape from the sandbox. The check may have run in an earlier process. 0 if no check
	 * was successful.
	 */
	readonly probes: number;
	/** Present only if `state` is `ready`. */
	readonly features?: SandboxFeatures;
	/**
	 * Reason why the sandbox is unavailable. If commands can escape from the sandbox, includes the names of the successful
	 * probes.
	 */
	readonly reason?: string;
	/** Instruction for making the sandbox available on this system. */
	readonly fix?: string;
}

/** Chooses the sandbox of each session. */
export interface Sandboxes {
	/**
	 * Returns the sandbox of a session. If the choice depends on the check, starts the check unless it has started, and
	 * waits for the result of the check.
	 */
	of(request: SandboxRequest): Promise<Sandbox>;
	/** Starts the check unless it has started, and resolves with the result of the check. Never rejects. */
	check(): Promise<SandboxState>;
	readonly state: SandboxState;
	/**
	 * Secret text in the environment of every process of a command. A process can remove the text only by
	 * clearing its environment. Undefined until a command starts outside bubblewrap. A command inside
	 * bubblewrap has its own network, so it cannot connect to the gateway.
	 */
	readonly marker: string | undefined;
	/** Number of commands that were started outside bubblewrap. */
	readonly started: number;
	/**
	 * Returns the process ids of commands that run, or recently ran, outside bubblewrap. Each process id is also the id of the
	 * command's session and process group.
	 */
	processes(): readonly number[];
}
