import {
	type Architecture,
	type ErrorName,
	type SystemCallName,
	socketFamilies,
	socketTypes,
	systemCalls,
} from "./filter.ts";

/**
 * A group of system calls that the filter denies. The arguments are chosen so that a call is harmless even if the
 * filter does not deny it.
 */
export interface DeniedCalls {
	readonly name: string;
	readonly error: ErrorName;
	readonly calls: readonly SystemCall[];
}

/** An address that no process has mapped. */
const BAD = 1;
/** Value that the kernel knows neither as a command nor as a flag. */
const UNKNOWN = 0x7fff;
/**
 * A flag for `swapon` that include/linux/swap.h does not define. The kernel checks the flags of `swapon` before the
 * capabilities of the caller.
 */
const UNKNOWN_SWAP_FLAG = 0x10_0000;
const ADDR_NO_RANDOMIZE = 0x4_0000;
const CLONE_NEWUSER = 0x1000_0000;
const SIGCHLD = 17;
/**
 * Arguments of `socket` (family, type, protocol) for `AF_PACKET` with `SOCK_RAW`, `AF_ALG` with `SOCK_SEQPACKET`, and
 * `AF_VSOCK` with `SOCK_STREAM`. Values: include/linux/socket.h and include/linux/net.h.
 */
const strange = [
	[17, 3, 0],
	[38, 5, 0],
	[40, 1, 0],
] as const;

/**
 * Calls that the kernel can refuse with `EPERM` before it reads their arguments, if the caller has no capabilities. For
 * these calls, a probe proves that a command cannot use the call, but not that the filter denies the call. Kernels
 * before 5.11 refuse `userfaultfd` in this way, and kernels can refuse `bpf` if unprivileged use of `bpf` is off.
 * Without the filter, all other calls in `deniedCalls` and `deniedUnixSocket` succeed or fail with another error. They
 * prove that the filter is loaded, because the filter is one program with all rules.
 */
export const refusedWithoutFilter: ReadonlySet<SystemCallName> = new Set([
	"bpf",
	"userfaultfd",
	"pivot_root",
	"swapoff",
	"move_mount",
	"fsopen",
	"fsmount",
	"fspick",
	"kexec_load",
	"kexec_file_load",
	"reboot",
	"init_module",
	"finit_module",
	"delete_module",
]);

/** System calls that the probes make. Each call must fail with the filter's error; see `refusedWithoutFilter`. */
export const deniedCalls: readonly DeniedCalls[] = [
	denied("keyring-calls", "EPERM", { keyctl: [UNKNOWN], add_key: [BAD], request_key: [BAD] }),
	{
		name: "socket-families",
		error: "EAFNOSUPPORT",
		calls: strange.map((values) => ({ call: "socket", arguments: values })),
	},
	denied("io-uring", "ENOSYS", {
		io_uring_setup: [0, BAD],
		io_uring_enter: [-1, 0, 0, UNKNOWN],
		io_uring_register: [-1, UNKNOWN],
	}),
	denied("bpf", "EPERM", { bpf: [UNKNOWN, BAD, 8] }),
	denied("userfaultfd", "EPERM", { userfaultfd: [UNKNOWN] }),
	denied("perf-events", "EPERM", { perf_event_open: [BAD, 0, -1, -1, UNKNOWN] }),
	{
		name: "trace-others",
		error: "EPERM",
		calls: [
			{ call: "ptrace", arguments: [16, 0] },
			{ call: "ptrace", arguments: [0x4206, 0] },
			{ call: "pidfd_getfd", arguments: [-1, -1, 0] },
		],
	},
	denied("process-memory", "ENOSYS", {
		process_vm_readv: [0, 0, 0, 0, 0, UNKNOWN],
		process_vm_writev: [0, 0, 0, 0, 0, UNKNOWN],
	}),
	denied("mount-calls", "EPERM", {
		mount: [0, BAD, 0, 0, 0],
		umount2: [BAD, UNKNOWN],
		pivot_root: [BAD, BAD],
		swapon: [BAD, UNKNOWN_SWAP_FLAG],
		swapoff: [BAD],
		open_tree: [-1, BAD, UNKNOWN],
		open_tree_attr: [-1, BAD, UNKNOWN],
		move_mount: [-1, BAD, -1, BAD, -1],
		fsopen: [BAD, 0],
		fsconfig: [-1, 0, 0, 0, 0],
		fsmount: [-1, 0, 0],
		fspick: [-1, BAD, 0],
		mount_setattr: [-1, BAD, UNKNOWN, 0, 0],
	}),
	denied("personality", "EPERM", { personality: [ADDR_NO_RANDOMIZE] }),
	denied("kexec", "EPERM", {
		kexec_load: [0, 0, 0, UNKNOWN],
		kexec_file_load: [-1, -1, 0, 0, UNKNOWN],
		reboot: [0, 0, 0, 0],
	}),
	denied("modules", "EPERM", {
		init_module: [BAD, 0, BAD],
		finit_module: [-1, BAD, 0],
		delete_module: [BAD, 0],
	}),
	denied("namespace-calls", "EPERM", {
		setns: [-1, 0],
		unshare: [CLONE_NEWUSER],
		clone: [CLONE_NEWUSER + SIGCHLD, 0, 0, 0, 0],
	}),
	denied("clone3", "ENOSYS", { clone3: [0, 0] }),
];

/** Calls for the probe of Unix sockets. The second `socketpair` call has a type with the flag `SOCK_CLOEXEC`. */
export const deniedUnixSocket: DeniedCalls = {
	name: "unix-sockets",
	error: "EACCES",
	calls: [
		{ call: "socket", arguments: [socketFamilies.unix, socketTypes.stream, 0] },
		{ call: "socketpair", arguments: [socketFamilies.unix, socketTypes.datagram, 0, BAD] },
		{ call: "socketpair", arguments: [socketFamilies.unix, socketTypes.datagram + 0o2000000, 0, BAD] },
		{ call: "socketpair", arguments: [socketFamilies.unix, socketTypes.raw, 0, BAD] },
	],
};

function denied(
	name: string,
	error: ErrorName,
	calls: Readonly<Partial<Record<SystemCallName, readonly number[]>>>,
): DeniedCalls {
	// The cast is safe because the type of the record allows only names of system calls as keys.
	const names = Object.keys(calls) as SystemCallName[];
	return { name, error, calls: names.map((call) => ({ call, arguments: calls[call] ?? [] })) };
}

/**
 * A system call with up to six arguments. `call` is the name of the call, or the number if `systemCalls` does not
 * contain the name.
 */
interface SystemCall {
	readonly call: SystemCallName | number;
	readonly arguments: readonly number[];
}

/**
 * Machine code that makes a system call and exits with the error number of the call, or with 0. The code loads the
 * number of the call and six arguments from the data after the code. Because of the machine code, the probes need no
 * interpreter.
 */
const code: Readonly<Record<Architecture, string>> = {
	/*
	 * lea rbx,[rip+data]; mov rax,[rbx]; mov rdi,[rbx+8]; mov rsi,[rbx+16]; mov rdx,[rbx+24]; mov r10,[rbx+32];
	 * mov r8,[rbx+40]; mov r9,[rbx+48]; syscall; xor edi,edi; neg eax; cmovns edi,eax; mov eax,231; syscall; data:
	 */
	x64: "488d1d2b000000 488b03 488b7b08 488b7310 488b5318 4c8b5320 4c8b4328 4c8b4b30 0f05 31ff f7d8 0f49f8 b8e7000000 0f05",
	/*
	 * adr x9,data; ldp x8,x0,[x9]; ldp x1,x2,[x9,16]; ldp x3,x4,[x9,32]; ldr x5,[x9,48]; svc 0; cmp w0,0;
	 * cneg w0,w0,lt; csel w0,w0,wzr,lt; mov x8,94; svc 0; data:
	 */
	arm64: "69010010 280140a9 210941a9 231142a9 251940f9 010000d4 1f000071 00a4805a 00b09f1a c80b80d2 010000d4",
};

/** Values of the ELF format: elf(5). */
const HEADER_BYTES = 64;
const SEGMENT_BYTES = 56;
const LOADED_AT = 0x40_0000n;
const machines: Readonly<Record<Architecture, number>> = { x64: 62, arm64: 183 };
const EXECUTABLE = 2;
const LOADABLE = 1;
const READ_AND_EXECUTE = 5;

const DATA_BYTES = 56;

/**
 * Returns a static Linux program (ELF). The program makes one system call and exits with the error number of the call,
 * or with 0. The caller must append the result of `systemCallData`, which defines the call.
 */
export function systemCallProgram(architecture: Architecture): Uint8Array {
	const instructions = Buffer.from(code[architecture].replaceAll(" ", ""), "hex");
	return Buffer.concat([headersOf(instructions.length + DATA_BYTES, architecture), instructions]);
}

/** Returns the data of a system call. Append the data to the result of `systemCallProgram`. */
export function systemCallData(
	{ call, arguments: values }: SystemCall,
	architecture: Architecture,
): Uint8Array {
	const number = typeof call === "number" ? call : systemCalls[call][architecture];
	const data = Buffer.alloc(DATA_BYTES);
	for (const [index, value] of [number, ...values].entries()) data.writeBigInt64LE(BigInt(value), index * 8);
	return data;
}

function headersOf(bodyBytes: number, architecture: Architecture): Buffer {
	const start = HEADER_BYTES + SEGMENT_BYTES;
	const headers = Buffer.alloc(start);
	// 64-bit, little-endian, version 1.
	headers.write("\x7fELF\x02\x01\x01", "latin1");
	headers.writeUInt16LE(EXECUTABLE, 16);
	headers.writeUInt16LE(machines[architecture], 18);
	headers.writeUInt32LE(1, 20);
	headers.writeBigUInt64LE(LOADED_AT + BigInt(start), 24);
	headers.writeBigUInt64LE(BigInt(HEADER_BYTES), 32);
	headers.writeUInt16LE(HEADER_BYTES, 52);
	headers.writeUInt16LE(SEGMENT_BYTES, 54);
	headers.writeUInt16LE(1, 56);
	headers.writeUInt32LE(LOADABLE, HEADER_BYTES);
	headers.writeUInt32LE(READ_AND_EXECUTE, HEADER_BYTES + 4);
	headers.writeBigUInt64LE(LOADED_AT, HEADER_BYTES + 16);
	headers.writeBigUInt64LE(LOADED_AT, HEADER_BYTES + 24);
	headers.writeBigUInt64LE(BigInt(start + bodyBytes), HEADER_BYTES + 32);
	headers.writeBigUInt64LE(BigInt(start + bodyBytes), HEADER_BYTES + 40);
	headers.writeBigUInt64LE(0x1000n, HEADER_BYTES + 48);
	return headers;
}
