import { existsSync } from "node:fs";
import { access, constants, mkdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { definedItems } from "@parley/base";
import { ifThere } from "../../filesystem/file-error.ts";
import type { MemoryLimit, Sandbox } from "../../vocabulary/sandbox.ts";
import { findProgram, SYSTEM_PATH } from "./environment.ts";

const GIB = 1024 ** 3;
const GIB_IN_KIB = 1024 ** 2;
const TIMEOUT_MS = 5_000;

/**
 * Limits of a cgroup for one command with its child processes: bytes of memory, without swap. `PROCESSES`: number of
 * processes and threads.
 */
const MEMORY_BYTES = 4 * GIB;
const PROCESSES = 256;

/** Way to limit the memory of a command. */
export interface Limiter {
	readonly kind: MemoryLimit;
	/**
	 * Returns the arguments that start a program with the limit. The caller appends the program and its arguments.
	 * `name` must be unique.
	 */
	apply(name: string): Limited;
}

interface Limited {
	readonly argv: readonly string[];
	/** Environment of the first program in `argv`. The limited program does not receive these variables. */
	readonly environment: Readonly<Record<string, string>>;
	/** Removes the limit. Call `end` after the command has ended. */
	end(): Promise<void>;
}

/** Limiter that sets no common limit for the processes of a command. `limitsOfProcess` limits each process. */
export const eachProcess: Limiter = {
	kind: "address-space",
	apply: () => ({ argv: [], environment: {}, end: async () => undefined }),
};

/**
 * Returns the limits for each process. The keys are the option letters of `ulimit`:
 * - `n`: open files
 * - `u`: processes of the user; the kernel does not apply the limit to root
 * - `f`: KiB of a file
 * - `t`: seconds of CPU
 * - `v`: KiB of address space
 * - `c`: KiB of a core dump
 */
export function limitsOfProcess(kind: MemoryLimit, processors: number = availableParallelism()) {
	return {
		n: 1_024,
		u: PROCESSES,
		f: GIB_IN_KIB,
		t: 600,
		v: addressSpaceGib(kind, processors) * GIB_IN_KIB,
		c: 0,
	};
}

/**
 * Returns the maximum address space of a process, in GiB. If a cgroup limits the memory, returns the highest value.
 * Programs reserve more addresses than they use:
 * - Java 17 needs 4 GiB to start.
 * - Node needs 0.75 GiB for each worker thread.
 * - Pools of workers have a worker for each processor.
 */
function addressSpaceGib(kind: MemoryLimit, processors: number): number {
	return kind === "address-space" ? Math.min(16, 4 + processors) : 16;
}

/** Script that prints the limits of the process's own cgroup, and an argument that must arrive unchanged. */
const TRIAL = `
at=/sys/fs/cgroup$(sed -n 's/^0:://p' /proc/self/cgroup)
cat "$at/memory.max" "$at/memory.swap.max" "$at/pids.max"
printf '%s' "$1"`;
// biome-ignore lint/suspicious/noTemplateCurlyInString: the text must stay as it is
const UNCHANGED = "a ${PATH} $$ %n";
const EXPECTED = `${MEMORY_BYTES}\n0\n${PROCESSES}\n${UNCHANGED}`;

/**
 * Returns the first limiter that works in a trial: the kernel shows its limits for a started process. Tries systemd,
 * and then a cgroup that is delegated to the gateway. Returns `eachProcess` if neither works.
 */
export async function findLimiter(unsandboxed: Sandbox): Promise<Limiter> {
	for (const candidate of [...(await systemdLimiters()), ...(await ownCgroupLimiters())]) {
		if (await limitWorks(candidate, unsandboxed)) return candidate;
	}
	return eachProcess;
}

async function limitWorks(limiter: Limiter, unsandboxed: Sandbox): Promise<boolean> {
	const { argv, environment, end } = limiter.apply(`parley-trial-${process.pid}`);
	const [executable = "", ...args] = [...argv, "/bin/sh", "-c", TRIAL, "sh", UNCHANGED];
	try {
		const { output } = await unsandboxed.run({
			executable,
			args,
			cwd: "/",
			environment,
			timeoutMs: TIMEOUT_MS,
			maxOutputBytes: 4_096,
			signal: new AbortController().signal,
		});
		return output === EXPECTED;
	} finally {
		await end();
	}
}

/**
 * Returns limiters that use systemd-run: with the system manager for root, and with the user manager for other users.
 * Returns an empty list if systemd-run or the manager is not available.
 */
async function systemdLimiters(): Promise<Limiter[]> {
	const uid = process.getuid?.() ?? 0;
	const runtime = process.env["XDG_RUNTIME_DIR"] || `/run/user/${uid}`;
	if (!existsSync(uid === 0 ? "/run/systemd/private" : join(runtime, "systemd/private"))) return [];
	const program = await findProgram("systemd-run", SYSTEM_PATH).catch(() => undefined);
	if (program === undefined) return [];
	const environment: Record<string, string> = uid === 0 ? {} : { XDG_RUNTIME_DIR: runtime };
	// The option exists from systemd 254 on. Without the option, these versions may expand `$` in arguments.
	return [["--expand-environment=no"], []].map((options) => ({
		kind: "systemd",
		apply: () => ({
			argv: scopeArguments({ program, uid, options }),
			environment,
			end: async () => undefined,
		}),
	}));
}

interface Scope {
	readonly program: string;
	readonly uid: number;
	readonly options: readonly string[];
}

/** Returns arguments that start a program in a scope with limits, and with an empty environment. */
export function scopeArguments({ program, uid, options }: Scope): string[] {
	return definedItems([
		program,
		uid === 0 ? undefined : "--user",
		"--scope",
		"--quiet",
		"--collect",
		...options,
		`--property=MemoryMax=${MEMORY_BYTES}`,
		"--property=MemorySwapMax=0",
		`--property=TasksMax=${PROCESSES}`,
		"--",
		"/usr/bin/env",
		"-i",
	]);
}

/** Script that creates the cgroup `$1` with its limits, moves into the cgroup, and executes the command. */
const ENTER = `
mkdir "$1" && cd "$1" && echo ${MEMORY_BYTES} >memory.max && echo 0 >memory.swap.max && echo ${PROCESSES} >pids.max &&
	echo 1 >memory.oom.group && echo 0 >cgroup.procs && cd / || { echo "parley: no cgroup $1" >&2; exit 1; }
shift
exec /usr/bin/env -i "$@"`;

async function ownCgroupLimiters(): Promise<Limiter[]> {
	const own = /^0::(\/.*)$/m.exec((await ifThere(readFile("/proc/self/cgroup", "utf8"))) ?? "")?.[1];
	const base =
		own === undefined ? undefined : await delegatedCgroup(join("/sys/fs/cgroup", own), process.pid);
	return base === undefined ? [] : [cgroupLimiter(base)];
}

/**
 * Returns a limiter that runs each command in its own cgroup below `base`. `base` is the directory of a cgroup that is
 * delegated to the gateway's user.
 */
export function cgroupLimiter(base: string): Limiter {
	return {
		kind: "cgroup",
		apply(name) {
			const directory = join(base, name);
			return {
				argv: ["/bin/sh", "-c", ENTER, "parley", directory],
				environment: {},
				// The removal fails until the kernel has ended the last process of the cgroup. An empty cgroup that remains
				// is harmless.
				end: () => rmdir(directory).catch(() => undefined),
			};
		},
	};
}

/**
 * Resolves with the directory of a cgroup in which the gateway may create limited cgroups. Resolves with undefined if
 * no cgroup allows this. Checks in this order:
 *
 * 1. The parent of the gateway's cgroup, if no process is directly in the parent (`DelegateSubgroup=` of systemd).
 * 2. The gateway's own cgroup, if no other process is in it. The gateway then moves into a child cgroup, because a
 *    cgroup with controllers for its children must not have processes: `Documentation/admin-guide/cgroup-v2.rst`
 */
export async function delegatedCgroup(own: string, pid: number): Promise<string | undefined> {
	if ((await mayDelegate(dirname(own))) && (await processesIn(dirname(own))).length === 0) {
		return (await enableControllers(dirname(own))) ? dirname(own) : undefined;
	}
	const alone = (await processesIn(own)).every((one) => one === String(pid));
	if (!alone || !(await mayDelegate(own))) return undefined;
	const leaf = join(own, "parley-gateway");
	await mkdir(leaf, { recursive: true });
	await writeFile(join(leaf, "cgroup.procs"), String(pid));
	if (await enableControllers(own)) return own;
	await writeFile(join(own, "cgroup.procs"), String(pid));
	return undefined;
}

async function mayDelegate(directory: string): Promise<boolean> {
	const places = [directory, join(directory, "cgroup.procs"), join(directory, "cgroup.subtree_control")];
	const isWritable = (path: string) =>
		access(path, constants.W_OK).then(
			() => true,
			() => false,
		);
	const controllers = (await ifThere(readFile(join(directory, "cgroup.controllers"), "utf8"))) ?? "";
	const hasBoth = ["memory", "pids"].every((name) => controllers.trim().split(" ").includes(name));
	return hasBoth && (await Promise.all(places.map(isWritable))).every(Boolean);
}

async function processesIn(directory: string): Promise<string[]> {
	const text = (await ifThere(readFile(join(directory, "cgroup.procs"), "utf8"))) ?? "";
	return text.split("\n").filter((line) => line !== "");
}

async function enableControllers(directory: string): Promise<boolean> {
	return await writeFile(join(directory, "cgroup.subtree_control"), "+memory +pids").then(
		() => true,
		// EBUSY: a process is in the cgroup. EOPNOTSUPP: the cgroup is in a threaded subtree. With any error, a limit is
		// impossible.
		() => false,
	);
}

/**
 * Returns a shell command that limits the size of written files. Bash uses units of 1 KiB, and other shells use units
 * of 512 bytes.
 */
export function limitFiles(bytes: number, isBash: boolean): string {
	return `ulimit -f ${Math.max(1, Math.floor(bytes / (isBash ? 1024 : 512)))}`;
}
