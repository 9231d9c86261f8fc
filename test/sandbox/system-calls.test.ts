import { spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
	deniedCalls,
	deniedUnixSocket,
	errno,
	filterProgram,
	filterRules,
	hasBubblewrap,
	knownArchitecture,
	noUnixSockets,
	refusedWithoutFilter,
	systemCallData,
	systemCallProgram,
} from "@parley/core/testing";
import { afterAll, expect, test } from "vitest";

const [bubblewrap] = ["bwrap"] as const;
const architecture = knownArchitecture();
const isRoot = process.getuid?.() === 0;
const directory = mkdtempSync(join(tmpdir(), "parley-calls-"));
afterAll(() => rmSync(directory, { recursive: true }));

type Call = (typeof deniedCalls)[number]["calls"][number];

function writeCall(call: Call): string {
	const program = join(directory, "call");
	rmSync(program, { force: true });
	const words = [systemCallProgram(requireArchitecture()), systemCallData(call, requireArchitecture())];
	writeFileSync(program, Buffer.concat(words), { mode: 0o700 });
	return program;
}

function requireArchitecture(): NonNullable<typeof architecture> {
	if (architecture === undefined) throw new Error(`no system calls of ${process.arch} are known`);
	return architecture;
}

function errorOf(call: Call, rules: typeof filterRules): number | null {
	const program = writeCall(call);
	const filter = join(directory, "filter");
	writeFileSync(filter, filterProgram(rules, requireArchitecture()));
	const descriptor = openSync(filter, "r");
	const options = ["--dev-bind", "/", "/", ...(isRoot ? ["--cap-add", "ALL"] : []), "--seccomp", "3"];
	const stdio = ["ignore" as const, "ignore" as const, "inherit" as const, descriptor];
	// Runs the program as a child of a shell, because a process may not trace a parent that has more capabilities.
	const shell = ["/bin/sh", "-c", '"$1"; exit $?', "sh", program];
	const { status } = spawnSync(bubblewrap, [...options, ...shell], { stdio });
	closeSync(descriptor);
	return status;
}

function unfilteredErrorOf(call: Call): number | null {
	const program = writeCall(call);
	if (!isRoot) return spawnSync(program).status;
	return spawnSync(bubblewrap, ["--dev-bind", "/", "/", "--cap-drop", "ALL", program]).status;
}

const rules = [...noUnixSockets, ...filterRules];
const groups = [...deniedCalls, deniedUnixSocket];
const cases = groups.flatMap(({ error, calls }) => calls.map((call) => ({ ...call, error })));
/** Errors of missing features. A missing system call fails with ENOSYS, a missing address family with EAFNOSUPPORT. */
const unsupported = new Set<number | null>([errno.ENOSYS, errno.EAFNOSUPPORT]);

const testFilter = test.skipIf(!hasBubblewrap || architecture === undefined);

testFilter.each(cases)("the filter denies $call($arguments) with $error", ({ error, ...call }) => {
	expect(errorOf(call, rules)).toBe(errno[error]);
	// For root, the kernel refuses no call because of missing capabilities.
	if (isRoot) expectDifferent(spawnSync(writeCall(call)).status, error);
});

const proving = cases.filter(({ call }) => typeof call === "number" || !refusedWithoutFilter.has(call));

testFilter.each(proving)(
	"without the filter and without capabilities, $call($arguments) does not fail with $error",
	({ error, ...call }) => {
		expectDifferent(unfilteredErrorOf(call), error);
	},
);

function expectDifferent(error: number | null, filtered: keyof typeof errno): void {
	expect(error).not.toBeNull();
	if (!unsupported.has(error)) expect(error).not.toBe(errno[filtered]);
}

test("in each group except those of the host's administration, a call proves that the filter is loaded", () => {
	const proved = new Set<unknown>(proving.map(({ call }) => call));
	const unproved = groups.filter(({ calls }) => !calls.some(({ call }) => proved.has(call)));
	expect(unproved.map(({ name }) => name)).toEqual(["bpf", "userfaultfd", "kexec", "modules"]);
});

test("the tests try the call of every rule", () => {
	const tried = new Set<unknown>(cases.map(({ call }) => call));
	expect(rules.map(({ call }) => call).filter((call) => !tried.has(call))).toEqual([]);
});

const [UNIX, INET, INET6, NETLINK, STREAM, RAW] = [1, 2, 10, 16, 1, 3];
const [DATAGRAM, PACKETS, CLOSE_ON_EXEC] = [2, 5, 0o2000000];
const [TRACEME, QUERY, FORK, CLONE_FS] = [0, 0xffff_ffff, 17, 0x200];

testFilter.each<Call & { readonly with?: typeof filterRules }>([
	{ call: "socket", arguments: [INET, STREAM, 0] },
	{ call: "socket", arguments: [INET6, STREAM, 0] },
	{ call: "socket", arguments: [NETLINK, RAW, 0] },
	{ call: "socket", arguments: [UNIX, STREAM, 0], with: filterRules },
	{ call: "ptrace", arguments: [TRACEME] },
	{ call: "personality", arguments: [QUERY] },
	{ call: "personality", arguments: [0] },
	{ call: "clone", arguments: [FORK, 0, 0, 0, 0] },
	{ call: "unshare", arguments: [CLONE_FS] },
])("the filter allows $call($arguments)", ({ with: allowing = rules, ...call }) => {
	expect(errorOf(call, allowing)).toBe(0);
});

testFilter("the filter allows connected pairs of Unix sockets, and no pairs of other families", () => {
	const pair = (family: number, type = STREAM): Call => ({
		call: "socketpair",
		arguments: [family, type, 0, 1],
	});
	// The kernel creates the socket pair, then cannot write its descriptors to the invalid address.
	const EFAULT = 14;
	expect(errorOf(pair(UNIX), rules)).toBe(EFAULT);
	expect(errorOf(pair(UNIX, PACKETS), rules)).toBe(EFAULT);
	expect(errorOf(pair(UNIX, STREAM + CLOSE_ON_EXEC), rules)).toBe(EFAULT);
	expect(errorOf(pair(UNIX, DATAGRAM), rules)).toBe(errno.EACCES);
	expect(errorOf(pair(UNIX, DATAGRAM), filterRules)).toBe(EFAULT);
	expect(errorOf(pair(30), rules)).toBe(errno.EAFNOSUPPORT);
});
