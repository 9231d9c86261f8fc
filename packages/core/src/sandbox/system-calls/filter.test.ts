import { expect, test } from "vitest";
import {
	errno,
	filterProgram,
	filterRules,
	HIGHEST_CALL,
	knownArchitecture,
	noUnixSockets,
	systemCalls,
} from "./filter.ts";

const rules = [...noUnixSockets, ...filterRules];
const [ALLOW, KILL, FAIL] = [0x7fff_0000, 0x8000_0000, 0x5_0000];
const codes = { x64: 0xc000_003e, arm64: 0xc000_00b7, i386: 0x4000_0003 };

function isTrue(code: number, accumulator: number, operand: number): boolean {
	if (code === 0x15) return accumulator === operand;
	if (code !== 0x25 && code !== 0x45) throw new Error(`no jump has the code ${code}`);
	return code === 0x25 ? accumulator > operand : (accumulator & operand) !== 0;
}

/**
 * Returns the result of a classic BPF program for a system call, as the kernel computes it from `struct seccomp_data`.
 */
function decide(program: Uint8Array, call: number, architecture: number, ...values: bigint[]): number {
	const data = new DataView(new ArrayBuffer(64));
	data.setUint32(0, call, true);
	data.setUint32(4, architecture, true);
	for (const [index, value] of values.entries()) data.setBigUint64(16 + 8 * index, value, true);
	const view = new DataView(program.buffer, program.byteOffset, program.byteLength);
	let accumulator = 0;
	for (let at = 0; at < program.length; at += 8) {
		const operand = view.getUint32(at + 4, true);
		const code = view.getUint16(at, true);
		if (code === 0x06) return operand;
		if (code === 0x20) accumulator = data.getUint32(operand, true);
		else if (code === 0x54) accumulator = (accumulator & operand) >>> 0;
		else at += 8 * view.getUint8(at + (isTrue(code, accumulator, operand) ? 2 : 3));
	}
	throw new Error("the program has no end");
}

test.each(["x64", "arm64"] as const)("on %s each rule affects only its own call", (architecture) => {
	const program = filterProgram(rules, architecture);
	const numbers = new Map<number, string>(
		Object.entries(systemCalls).map(([name, known]) => [known[architecture], name]),
	);
	for (let call = 0; call <= HIGHEST_CALL; call += 1) {
		// The argument is denied as a socket family, a personality or flags. The argument is allowed as a request of
		// ptrace(2).
		const decision = decide(program, call, codes[architecture], 0x7e02_0010n);
		const name = numbers.get(call);
		if (name === undefined || name === "ptrace") expect(decision, `${call}`).toBe(ALLOW);
		else expect(decision & 0xffff_0000, name).toBe(FAIL);
	}
});

test("a call of another architecture ends the process, and an unknown call does not exist", () => {
	const program = filterProgram(rules, "x64");
	expect(decide(program, 39, codes.i386)).toBe(KILL);
	expect(decide(program, 39, codes.arm64)).toBe(KILL);
	expect(decide(program, HIGHEST_CALL + 1, codes.x64)).toBe(FAIL + errno.ENOSYS);
	// The same system call with its x32 number.
	expect(decide(program, 0x4000_0000 + 39, codes.x64)).toBe(FAIL + errno.ENOSYS);
	expect(decide(program, 39, codes.x64)).toBe(ALLOW);
});

test("the high half of an argument, which the kernel ignores, has no effect", () => {
	const program = filterProgram(rules, "x64");
	const socket = (family: bigint): number => decide(program, systemCalls.socket.x64, codes.x64, family);
	expect(socket(2n)).toBe(ALLOW);
	expect(socket(0x1_0000_0002n)).toBe(ALLOW);
	expect(socket(0x1_0000_0028n)).toBe(FAIL + errno.EAFNOSUPPORT);
	expect(socket(0x1_0000_0001n)).toBe(FAIL + errno.EACCES);
});

test.each(["x64", "arm64"] as const)("on %s pairs of Unix sockets are streams or packets", (architecture) => {
	const program = filterProgram(rules, architecture);
	const pair = (family: bigint, type: bigint, all = program): number =>
		decide(all, systemCalls.socketpair[architecture], codes[architecture], family, type);
	const [flags, high] = [0o2004000n, 0xffff_ffff_0000_0000n];
	for (let type = 0n; type < 16n; type += 1n) {
		const decision = type === 1n || type === 5n ? ALLOW : FAIL + errno.EACCES;
		for (const extra of [0n, flags, high, high + flags, 0x10n, 0xffff_fff0n]) {
			expect(pair(1n, type + extra), `${type} ${extra}`).toBe(decision);
			expect(pair(high + 1n, type + extra), `${type} ${extra}`).toBe(decision);
		}
		expect(pair(2n, type)).toBe(ALLOW);
		expect(pair(40n, type)).toBe(FAIL + errno.EAFNOSUPPORT);
		expect(pair(1n, type, filterProgram(filterRules, architecture))).toBe(ALLOW);
	}
});

test("call numbers of other architectures are not guessed", () => {
	expect(["x64", "arm64", "ia32", "riscv64", "ppc64"].map(knownArchitecture)).toEqual([
		...["x64", "arm64", undefined, undefined, undefined],
	]);
});
