export const commandOutputTexts = {
	description:
		"Returns the output of a command in the background since the last call, and its state. Use it to see whether a " +
		"server is ready, or whether a long build has ended; wait_ms waits for that. If there is much output, its " +
		"beginning and its end are returned. Not for commands that run_command has run to their end.",
	number: "The number that run_command returned when it started the command.",
	waitMs: "Milliseconds to wait for output or for the end, if there is no unread output.",
	label: (command: number): string => `read the output of command ${command}`,
	noNewOutput: "(no new output)",
	outputDeleted: "(its output is no longer stored)",
} as const;

export const stopCommandTexts = {
	description:
		"Stops a command in the background, with all that it has started. Use it as soon as the command is no longer " +
		"needed. Not for processes that other programs have started.",
	label: (command: number): string => `stop command ${command}`,
	running: "is running",
} as const;

export const runCommandTexts = {
	description:
		"Runs a command line in the working directory and returns its output and its exit code. Use it to build, to " +
		"test, and for work that no other tool does. Every call starts a new shell without input: directories and " +
		"variables are not kept, and programs get no input. Processes that the command leaves end with the call: use " +
		"background for a command that must continue. In a sandbox, " +
		"programs cannot listen at or connect to Unix sockets unless the operator allows it: use TCP on 127.0.0.1. If " +
		"the output is long, its beginning and its end are returned. Never write a password into the command line: " +
		"ask for it with ask_user and pass its handle in secrets. Not for reading, writing, listing or searching text " +
		"files and not for single git commands: the tools for these need fewer approvals and show people more.",
	command: "The command line, for the shell (bash if it is installed).",
	timeoutMs: "Milliseconds after which it is ended.",
	background:
		"Whether the command continues after the call and after this answer, for example a development server or a " +
		"long build. The call returns its number for command_output and stop_command. Only in the sandbox; " +
		"timeout_ms has no effect.",
	network:
		"Whether the command needs other machines. The sandbox has no network. With this option the command reaches " +
		"the hosts that the operator allows, by https through a proxy. If the operator allows none, it runs outside " +
		"of the sandbox, and every call requires approval.",
	secrets:
		'Passwords as environment variables: {"TOKEN": "secret:…"} with a handle of ask_user; the command uses $TOKEN.',
	variableName: "use a variable name of 1 to 100 letters, digits and _ that does not begin with a digit",
	variableControls: "this variable controls the shell or its programs: use another name",
	secretHandle: "must be a handle (secret:…) from ask_user",
	inBackground: "run in the background:",
	networkUnsandboxed: "it requests the network, and runs outside the sandbox of this session",
	passwordIn: (name: string, handle: string): string =>
		`the variable ${name} contains the password of the handle ${handle}`,
	changed: (parts: readonly string[]): string =>
		`changed since it was approved: ${parts.join(", ")}; the call did not run, so repeat it if you still need it`,
	secretWithNul: (variable: string): string =>
		`secrets.${variable}: the password contains a null character, which a variable cannot contain: ask for another password`,
	continues: (hours: number): string =>
		`it continues in the background until it is stopped, at most ${hours} hours`,
	backgroundNeedsSandbox:
		"background: commands in the background need the sandbox, and this command runs without a sandbox: run the command in the foreground",
	started: (command: number): string =>
		`started in the background as command ${command}: read its output with command_output, and end it with stop_command`,
	notRun: (reason: string): string => `not run: ${reason}`,
	noNetworkInSession: "network: commands of this session run in a sandbox without network; leave network out",
	noOutput: "(no output)",
	timedOut: (seconds: number): string => `timed out after ${seconds} s`,
	endedBy: (signal: string | null): string => `ended by ${signal}`,
	exitCode: (code: string | number): string => `exit code ${code}`,
	sandboxOff: "sandbox: off — commands have your permissions: files, network, this gateway",
	sandboxContainer:
		"sandbox: container — everything in the gateway's container, including this gateway, and the network",
	networkTo: (hosts: readonly string[]): string => `network only to ${hosts.join(", ")} by https`,
	noNetwork: "no network",
	sandbox: (mode: string, network: string): string =>
		`sandbox: ${mode} — ${network}, and only files in the roots`,
	cannotApprove: (reason: string): string => `the command cannot be approved: ${reason}`,
	notText: "it contains a null character or is not well-formed text: remove these characters",
	tooLong: (bytes: number, max: number): string =>
		`its text takes ${bytes} bytes, and at most ${max} can be shown: write the command to a file and run the file`,
} as const;

/** Notes and errors about files that a command could run or load. */
export const surroundingsTexts = {
	cannotRunIn: (directory: string): string => `cannot run a command in ${JSON.stringify(directory)}`,
	filesHere: (count: number): string => `${count} here, and files that the command names`,
	inRepository: (files: number): string => `${files} in the repository`,
	tooManyFiles: "all other files here (too many), ",
	unknownPaths: "paths known only when it runs, ",
	onlyIfUnchanged: (files: string, rest: string): string =>
		`runs only if its files stay unchanged (${files}). Not checked: ${rest}documents, logs, databases, caches, files elsewhere`,
	directory: "the working directory",
	program: "the program",
	programOnPath: "a program on the search path",
	unreadable: (path: string): string => `${path} cannot be read`,
} as const;
