import type { SystemCall } from "./caller.ts";
import { type ErrorName, families, type SystemCallName, socketTypes } from "./filter-rules.ts";

/** A group of system calls that the filter denies, each with arguments with which it does no harm if it is not denied. */
export interface DeniedCalls {
	readonly name: string;
	readonly error: ErrorName;
	readonly calls: readonly SystemCall[];
}

/** An address that no process has mapped. */
const BAD = 1;
/** A value that no kernel knows as a command or flag. */
const UNKNOWN = 0x7fff;
const ADDR_NO_RANDOMIZE = 0x4_0000;
const CLONE_NEWUSER = 0x1000_0000;
const SIGCHLD = 17;
/** `AF_PACKET` with `SOCK_RAW`, `AF_ALG` with `SOCK_SEQPACKET`, `AF_VSOCK` with `SOCK_STREAM`: include/linux/socket.h. */
const strange = [
	[17, 3, 0],
	[38, 5, 0],
	[40, 1, 0],
] as const;

/** System calls of the probes. Without the filter each of them fails with another error, or succeeds. */
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
	denied("perf-events", "EPERM", { perf_event_open: [BAD, 0, -1, -1, 0] }),
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
		swapon: [BAD, 0],
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

/** The probe of Unix sockets. The type of the second pair has the flag `SOCK_CLOEXEC`. */
export const deniedUnixSocket: DeniedCalls = {
	name: "unix-sockets",
	error: "EACCES",
	calls: [
		{ call: "socket", arguments: [families.unix, socketTypes.stream, 0] },
		{ call: "socketpair", arguments: [families.unix, socketTypes.datagram, 0, BAD] },
		{ call: "socketpair", arguments: [families.unix, socketTypes.datagram + 0o2000000, 0, BAD] },
		{ call: "socketpair", arguments: [families.unix, socketTypes.raw, 0, BAD] },
	],
};

function denied(
	name: string,
	error: ErrorName,
	calls: Readonly<Partial<Record<SystemCallName, readonly number[]>>>,
): DeniedCalls {
	// The keys of this record are names of system calls, as its type says.
	const names = Object.keys(calls) as SystemCallName[];
	return { name, error, calls: names.map((call) => ({ call, arguments: calls[call] ?? [] })) };
}
