import { definedItems } from "@parley/base";

/** One instruction of classic BPF: code, jump if true, jump if false, operand. See `struct sock_filter` in linux/filter.h. */
type Instruction = readonly [code: number, isTrue: number, isFalse: number, operand: number];

/**
 * Operation codes of linux/bpf_common.h: `BPF_LD|BPF_W|BPF_ABS`, `BPF_ALU|BPF_AND|BPF_K`, `BPF_JMP|BPF_JEQ|BPF_K`, `…JGT…`,
 * `…JSET…`, `BPF_RET|BPF_K`.
 */
const LOAD = 0x20;
const AND = 0x54;
const IF_EQUAL = 0x15;
const IF_GREATER = 0x25;
const IF_ANY_BIT = 0x45;
const RETURN = 0x06;

/** Offsets in `struct seccomp_data`, and results of a filter: linux/seccomp.h. Both architectures are little-endian. */
const NUMBER_AT = 0;
const ARCHITECTURE_AT = 4;
const ARGUMENTS_AT = 16;
const ALLOW = 0x7fff_0000;
const FAIL = 0x0005_0000;
const KILL_PROCESS = 0x8000_0000;
/** `AUDIT_ARCH_X86_64` and `AUDIT_ARCH_AARCH64`: linux/audit.h. */
const architectures: Readonly<Record<Architecture, number>> = { x64: 0xc000_003e, arm64: 0xc000_00b7 };

/**
 * Returns the seccomp program for `rules`, in the form that bubblewrap reads with `--seccomp`. A system call of another
 * architecture ends the process, because call numbers have other meanings there. The first matching rule decides.
 */
export function filterProgram(rules: readonly Rule[], architecture: Architecture): Uint8Array {
	return encode([
		[LOAD, 0, 0, ARCHITECTURE_AT],
		[IF_EQUAL, 1, 0, architectures[architecture]],
		[RETURN, 0, 0, KILL_PROCESS],
		[LOAD, 0, 0, NUMBER_AT],
		[IF_GREATER, 0, 1, HIGHEST_CALL],
		[RETURN, 0, 0, FAIL + errno.ENOSYS],
		...rules.flatMap((rule) => instructionsOf(rule, architecture)),
		[RETURN, 0, 0, ALLOW],
	]);
}

/**
 * Returns the architecture with the name `name`. Returns undefined if the filter does not support the architecture.
 * Default: the architecture of the current process.
 */
export function knownArchitecture(name: string = process.arch): Architecture | undefined {
	return name === "x64" || name === "arm64" ? name : undefined;
}

function instructionsOf({ call, error, condition, and }: Rule, architecture: Architecture): Instruction[] {
	const last = and ? testsOf(and, 1) : [];
	const tested = [...(condition ? testsOf(condition, last.length + 1) : []), ...last];
	return [
		[LOAD, 0, 0, NUMBER_AT],
		[IF_EQUAL, 0, tested.length + 1, systemCalls[call][architecture]],
		...tested,
		[RETURN, 0, 0, FAIL + errno[error]],
	];
}

/**
 * Returns instructions that test the condition. If the condition is false, the instructions skip the `skipped`
 * instructions after them.
 */
function testsOf(condition: Condition, skipped: number): Instruction[] {
	const load: Instruction = [LOAD, 0, 0, ARGUMENTS_AT + 8 * condition.argument];
	if ("anyBit" in condition) return [load, [IF_ANY_BIT, 0, skipped, condition.anyBit]];
	const values = "oneOf" in condition ? condition.oneOf : condition.noneOf;
	return definedItems([
		load,
		condition.mask === undefined ? undefined : ([AND, 0, 0, condition.mask] as const),
		...values.map((value, index): Instruction => {
			const left = values.length - 1 - index;
			if ("noneOf" in condition) return [IF_EQUAL, left + skipped, 0, value];
			return [IF_EQUAL, left, left === 0 ? skipped : 0, value];
		}),
	]);
}

function encode(instructions: readonly Instruction[]): Uint8Array {
	const bytes = new DataView(new ArrayBuffer(instructions.length * 8));
	for (const [index, [code, isTrue, isFalse, operand]] of instructions.entries()) {
		bytes.setUint16(index * 8, code, true);
		bytes.setUint8(index * 8 + 2, isTrue);
		bytes.setUint8(index * 8 + 3, isFalse);
		bytes.setUint32(index * 8 + 4, operand, true);
	}
	return new Uint8Array(bytes.buffer);
}

/** Architectures that the filter supports, with Node's names. */
export type Architecture = "x64" | "arm64";

type Numbers = Readonly<Record<Architecture, number>>;

/** Linux error numbers with which denied calls fail: `include/uapi/asm-generic/errno.h`. */
export const errno = { EPERM: 1, EACCES: 13, ENOSYS: 38, EAFNOSUPPORT: 97 } as const;
export type ErrorName = keyof typeof errno;

/**
 * A condition on one argument. Tests only the low 32 bits, because the kernel reads only the low 32 bits of the tested
 * arguments. `mask`: bits to compare. Default: all 32 bits.
 */
type Condition =
	| { readonly argument: number; readonly mask?: number; readonly oneOf: readonly number[] }
	| { readonly argument: number; readonly mask?: number; readonly noneOf: readonly number[] }
	| { readonly argument: number; readonly anyBit: number };

/** A system call that fails with `error` if both conditions are true. An absent condition is true. */
export interface Rule {
	readonly call: SystemCallName;
	readonly error: ErrorName;
	readonly condition?: Condition;
	readonly and?: Condition;
}

/** Socket families of `include/linux/socket.h`. */
export const socketFamilies = { unix: 1, inet: 2, inet6: 10, netlink: 16 } as const;
/** Socket types: `enum sock_type` of `include/linux/net.h`, and `SOCK_TYPE_MASK`. The other bits of the type are flags. */
export const socketTypes = { stream: 1, datagram: 2, raw: 3, sequencedPacket: 5 } as const;
const SOCKET_TYPE_MASK = 0xf;
/** Requests of ptrace(2) in `include/uapi/linux/ptrace.h`. */
const ATTACH = 16;
const SEIZE = 0x4206;
/** `CLONE_NEWNS`, `NEWCGROUP`, `NEWUTS`, `NEWIPC`, `NEWUSER`, `NEWPID`, `NEWNET`: `include/uapi/linux/sched.h` */
const NEW_NAMESPACES = 0x7e02_0000;
/** `CLONE_NEWTIME`. Valid only for unshare(2), because clone(2) uses the same bit for the exit signal of the child. */
const NEW_TIME_NAMESPACE = 0x80;
/** Argument of personality(2) that returns the current personality and changes nothing. */
const QUERY_PERSONALITY = 0xffff_ffff;

/** System call numbers of Linux 6.17: `arch/x86/entry/syscalls/syscall_64.tbl` and `scripts/syscall.tbl`. */
export const systemCalls = {
	socket: { x64: 41, arm64: 198 },
	socketpair: { x64: 53, arm64: 199 },
	clone: { x64: 56, arm64: 220 },
	ptrace: { x64: 101, arm64: 117 },
	personality: { x64: 135, arm64: 92 },
	pivot_root: { x64: 155, arm64: 41 },
	mount: { x64: 165, arm64: 40 },
	umount2: { x64: 166, arm64: 39 },
	swapon: { x64: 167, arm64: 224 },
	swapoff: { x64: 168, arm64: 225 },
	reboot: { x64: 169, arm64: 142 },
	init_module: { x64: 175, arm64: 105 },
	delete_module: { x64: 176, arm64: 106 },
	kexec_load: { x64: 246, arm64: 104 },
	add_key: { x64: 248, arm64: 217 },
	request_key: { x64: 249, arm64: 218 },
	keyctl: { x64: 250, arm64: 219 },
	unshare: { x64: 272, arm64: 97 },
	perf_event_open: { x64: 298, arm64: 241 },
	setns: { x64: 308, arm64: 268 },
	process_vm_readv: { x64: 310, arm64: 270 },
	process_vm_writev: { x64: 311, arm64: 271 },
	finit_module: { x64: 313, arm64: 273 },
	kexec_file_load: { x64: 320, arm64: 294 },
	bpf: { x64: 321, arm64: 280 },
	userfaultfd: { x64: 323, arm64: 282 },
	io_uring_setup: { x64: 425, arm64: 425 },
	io_uring_enter: { x64: 426, arm64: 426 },
	io_uring_register: { x64: 427, arm64: 427 },
	open_tree: { x64: 428, arm64: 428 },
	move_mount: { x64: 429, arm64: 429 },
	fsopen: { x64: 430, arm64: 430 },
	fsconfig: { x64: 431, arm64: 431 },
	fsmount: { x64: 432, arm64: 432 },
	fspick: { x64: 433, arm64: 433 },
	clone3: { x64: 435, arm64: 435 },
	pidfd_getfd: { x64: 438, arm64: 438 },
	mount_setattr: { x64: 442, arm64: 442 },
	open_tree_attr: { x64: 467, arm64: 467 },
} as const satisfies Readonly<Record<string, Numbers>>;
export type SystemCallName = keyof typeof systemCalls;

/**
 * Highest number of a system call in Linux 6.17. A call with a higher number or with an x32 number fails with `ENOSYS`.
 */
export const HIGHEST_CALL = 469;

/**
 * System calls that fail inside the sandbox. The error is `ENOSYS` if programs have a fallback for older kernels. For
 * example, clone3(2) passes its flags in memory, which no filter can read. If clone3(2) fails with `ENOSYS`, the C
 * library uses clone(2).
 */
export const filterRules: readonly Rule[] = [
	...always("EPERM", ["keyctl", "add_key", "request_key"]),
	...always("ENOSYS", ["io_uring_setup", "io_uring_enter", "io_uring_register"]),
	...always("EPERM", ["bpf", "userfaultfd", "perf_event_open"]),
	// Debuggers still work: the program that a debugger starts calls PTRACE_TRACEME, which is allowed.
	{ call: "ptrace", error: "EPERM", condition: { argument: 0, oneOf: [ATTACH, SEIZE] } },
	...always("ENOSYS", ["process_vm_readv", "process_vm_writev"]),
	...always("EPERM", ["pidfd_getfd"]),
	...always("EPERM", ["mount", "umount2", "pivot_root", "swapon", "swapoff"]),
	...always("EPERM", ["open_tree", "open_tree_attr", "move_mount", "mount_setattr"]),
	...always("EPERM", ["fsopen", "fsconfig", "fsmount", "fspick"]),
	{ call: "personality", error: "EPERM", condition: { argument: 0, noneOf: [0, QUERY_PERSONALITY] } },
	...always("EPERM", ["kexec_load", "kexec_file_load", "reboot"]),
	...always("EPERM", ["init_module", "finit_module", "delete_module"]),
	...always("EPERM", ["setns"]),
	{ call: "clone", error: "EPERM", condition: { argument: 0, anyBit: NEW_NAMESPACES } },
	{
		call: "unshare",
		error: "EPERM",
		condition: { argument: 0, anyBit: NEW_NAMESPACES + NEW_TIME_NAMESPACE },
	},
	...always("ENOSYS", ["clone3"]),
	...(["socket", "socketpair"] as const).map((call) => {
		return {
			call,
			error: "EAFNOSUPPORT",
			condition: { argument: 0, noneOf: Object.values(socketFamilies) },
		} as const;
	}),
];

/**
 * Rules that prevent commands from reaching socket files. Stream and sequenced-packet pairs are allowed, because the
 * kernel refuses to connect a connected pair again (`EISCONN`). Datagram pairs are denied, because a datagram socket of
 * a pair can send to any socket file and connect again. For `SOCK_RAW`, the kernel also creates a datagram socket:
 * `unix_create` in net/unix/af_unix.c.
 */
export const noUnixSockets: readonly Rule[] = [
	{ call: "socket", error: "EACCES", condition: { argument: 0, oneOf: [socketFamilies.unix] } },
	{
		call: "socketpair",
		error: "EACCES",
		condition: { argument: 0, oneOf: [socketFamilies.unix] },
		and: {
			argument: 1,
			mask: SOCKET_TYPE_MASK,
			noneOf: [socketTypes.stream, socketTypes.sequencedPacket],
		},
	},
];

function always(error: ErrorName, calls: readonly SystemCallName[]): Rule[] {
	return calls.map((call) => ({ call, error }));
}
