import {
	type DeniedCalls,
	deniedCalls,
	deniedUnixSocket,
	systemCallData,
	systemCallProgram,
} from "./system-calls/denied-calls.ts";
import { errno, knownArchitecture } from "./system-calls/filter.ts";

/** Facts about the host. A probe detects a leak if it finds one of these facts in the sandbox. */
export interface ProbeFacts {
	/** Directory beside the root. The directory contains a file `canary`. */
	readonly beside: string;
	/** An existing hidden directory, or `beside` if no hidden directory exists. */
	readonly data: string;
	readonly system: string;
	readonly devices: string;
	/** Port of a listener on loopback, or 0 if no listener exists. */
	readonly port: number;
	/** Name of a listener at an abstract socket, or an unused name. */
	readonly socket: string;
	/** Id of a process outside the sandbox. `started`: start time of the process, from `/proc/PID/stat`. */
	readonly pid: number;
	readonly started: string;
	/** Namespaces outside the sandbox, as the targets of their links in /proc. */
	readonly namespaces: readonly string[];
	readonly variables: readonly string[];
}

export interface Probe {
	readonly name: string;
	/** Shell line that runs in the root, with the facts as variables. The line succeeds if the escape succeeds. */
	readonly attempt: string;
	/** Lowest minor version of bubblewrap (0.x) that prevents the escape. Default: 0. */
	readonly since?: number;
	/** Whether the escape is possible if the operator allows Unix sockets for commands. */
	readonly unixSockets?: boolean;
}

/** Name of a socket file in the root. A listener outside the sandbox has the socket. */
export const ROOT_SOCKET = "agent.sock";

/**
 * Returns shell text for one field of a `stat` file in /proc. Fields are counted after the program name, because the
 * name may contain any character.
 */
const stat = (path: string, field: number): string => `$(sed 's/.*) //' ${path} | cut -d' ' -f${field})`;

/** Attempts to escape from a sandbox. Each attempt runs in its own subshell. */
export const probes: readonly Probe[] = [
	{ name: "read-beside", attempt: 'cat "$beside/canary"' },
	{ name: "write-beside", attempt: '[ -d "$beside" ] && echo x >"$beside/written"' },
	{ name: "link-out", attempt: 'ln -sfn "$beside" out; cat out/canary' },
	{ name: "gateway-data", attempt: 'ls -A "$data" | grep -q .' },
	{ name: "accounts", attempt: "[ -e /etc/shadow ] || [ -e /etc/ssh ] || [ -e /etc/sudoers ]" },
	{ name: "system-write", attempt: 'echo x >"$system/parley-probe" && rm "$system/parley-probe"' },
	{ name: "git-hook", attempt: "echo x >.git/hooks/pre-commit" },
	{ name: "git-config", attempt: "echo x >>.git/config" },
	{ name: "git-swap", attempt: "mv .git elsewhere && mv elsewhere .git" },
	{ name: "connect", attempt: 'exec 9<>"/dev/tcp/127.0.0.1/$port"' },
	{ name: "listeners", attempt: 'grep -qi ":$(printf %04X "$port") " /proc/net/tcp /proc/net/tcp6' },
	{ name: "abstract-socket", attempt: 'grep -q "@$socket" /proc/net/unix' },
	// A command that sees the socket of a process outside the sandbox could connect to the socket.
	{ name: "socket-in-root", attempt: `[ -S ${ROOT_SOCKET} ]` },
	{ name: "interfaces", attempt: "sed 1,2d /proc/net/dev | grep -qv '^ *lo:'" },
	{ name: "process", attempt: `[ "${stat('"/proc/$pid/stat"', 20)}" = "$started" ]` },
	{ name: "signal", attempt: '[ "$pid" -gt 1000 ] && kill -0 "$pid"' },
	{
		name: "namespaces",
		attempt:
			'for ns in pid net ipc mnt uts user; do readlink "/proc/self/ns/$ns"; done | grep -qxF "$namespaces"',
	},
	{
		name: "environment",
		attempt:
			"cat /proc/[0-9]*/environ | tr '\\0' '\\n' | sed -n 's/=.*//p' | grep -vxF \"$variables\" | grep -q .",
	},
	{
		name: "descriptors",
		// biome-ignore lint/suspicious/noTemplateCurlyInString: the shell reads it
		attempt: 'for fd in "/proc/$$/fd"/*; do [ "${fd##*/}" -gt 2 ] && exit 0; done; exit 1',
	},
	{
		name: "capabilities",
		attempt:
			"grep -qE '^(Cap(Prm|Eff|Bnd|Amb):[[:space:]]*0*[1-9a-f]|NoNewPrivs:[[:space:]]*0)' /proc/self/status",
	},
	{ name: "mount", attempt: "mkdir -p mnt && mount -t tmpfs none mnt && umount mnt" },
	{ name: "user-namespace", attempt: "unshare --user --map-root-user true", since: 8 },
	{
		name: "devices",
		attempt:
			// biome-ignore lint/suspicious/noTemplateCurlyInString: the shell reads it
			'for device in "$devices"/*; do case "${device##*/}" in console|core|fd|full|null|ptmx|pts|random|shm|std*|tty|' +
			"urandom|zero) ;; *) exit 0 ;; esac; done; exit 1",
	},
	{
		name: "kernel-switches",
		attempt:
			"for file in /proc/sys/kernel/core_pattern /proc/sys/vm/drop_caches /proc/sysrq-trigger /sys/power/state; do " +
			'[ -w "$file" ] && exit 0; done; exit 1',
	},
	{ name: "terminal-session", attempt: `[ "${stat("/proc/self/stat", 4)}" = 0 ] || : </dev/tty` },
	{ name: "service-sockets", attempt: "ls -A /run /var/run | grep -vE '^(/|current-system$|$)' | grep -q ." },
	{ name: "limits", attempt: '[ "$(ulimit -n)" -gt 1024 ] || [ "$(ulimit -f)" = unlimited ]' },
	{ name: "address-space", attempt: '[ "$(ulimit -v)" = unlimited ]' },
	{
		name: "process-limit",
		attempt: 'limit=$(ulimit -u 2>/dev/null || ulimit -p); [ "$limit" = unlimited ] || [ "$limit" -gt 256 ]',
	},
	{ name: "device-files", attempt: ': >"$devices/parley-probe" && rm "$devices/parley-probe"' },
	{
		// In-memory file systems. The sixth field has the mount flags, the last field the file system options.
		name: "memory-files",
		attempt: "grep -E '^([^ ]+ ){5}rw.* - tmpfs ' /proc/self/mountinfo | grep -qvE '[ ,]size='",
		since: 7,
	},
	{ name: "key-list", attempt: "grep -q . /proc/keys" },
	{ name: "filter", attempt: "grep -qE '^Seccomp:[[:space:]]*0' /proc/self/status" },
	...deniedCalls.map(probeOf),
	// If Unix sockets are denied, no command can connect to a socket, even if a process outside the sandbox creates the
	// socket in a root.
	{ ...probeOf(deniedUnixSocket), unixSockets: true },
];

/** Returns a probe for denied calls. The escape succeeds unless every call fails with the filter's error. */
function probeOf({ name, error, calls }: DeniedCalls): Probe {
	const architecture = knownArchitecture();
	if (architecture === undefined) return { name, attempt: "exit $untried" };
	const attempts = calls.map((one) => {
		return `{ call '${octal(systemCallData(one, architecture))}'; [ $? -ne ${errno[error]} ]; }`;
	});
	return { name, attempt: attempts.join(" || ") };
}

/**
 * Returns the definition of a shell function that makes a system call and returns its error number, or 0. The function
 * executes a program in the sandbox's /tmp, because execution is allowed there even if the host's /tmp forbids it.
 */
function callFunction(): string {
	const architecture = knownArchitecture();
	if (architecture === undefined) return "";
	return `caller=/tmp/parley-call.$$
: >"$caller" && chmod 700 "$caller"
call() {
	{ printf '${octal(systemCallProgram(architecture))}'; printf "$1"; } >"$caller" || exit $untried
	"$caller"
	set -- $?
	[ "$1" -lt 126 ] || exit $untried
	return "$1"
}`;
}

/** Returns bytes as octal escapes for the format of printf(1). */
function octal(bytes: Uint8Array): string {
	return Array.from(bytes, (byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");
}

/** Exit code of a probe if the probe cannot run on this system. */
const UNTRIED = 99;

/**
 * Returns a script that prints `escaped NAME` or `held NAME` for each probe. If a probe's system call could not be
 * made, the script prints no line for the probe. In a shell without /dev/tcp, the script always prints `held connect`.
 */
export function probeScript(tried: readonly Probe[], facts: ProbeFacts): string {
	const values = Object.entries(facts).map(([name, value]) => `${name}=${quoted([value].flat().join("\n"))}`);
	const attempts = tried.map(({ name, attempt }) => {
		return `( ${attempt} ) >/dev/null 2>&1; told ${name} $?`;
	});
	return [
		...values,
		`untried=${UNTRIED}`,
		callFunction(),
		'told() { case $2 in 0) echo "escaped $1" ;; "$untried") ;; *) echo "held $1" ;; esac; }',
		...attempts,
		'rm -f "$caller"',
	].join("\n");
}

function quoted(text: string): string {
	return `'${text.replaceAll("'", "'\\''")}'`;
}
