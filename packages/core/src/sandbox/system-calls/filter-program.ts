import {
	type Architecture,
	type Condition,
	errno,
	HIGHEST_CALL,
	type Rule,
	systemCalls,
} from "./filter-rules.ts";

/** One instruction of classic BPF: code, jump if true, jump if false, operand. `struct sock_filter` of linux/filter.h. */
type Instruction = readonly [code: number, isTrue: number, isFalse: number, operand: number];

/**
 * `BPF_LD|BPF_W|BPF_ABS`, `BPF_ALU|BPF_AND|BPF_K`, `BPF_JMP|BPF_JEQ|BPF_K`, `…JGT…`, `…JSET…`, `BPF_RET|BPF_K` of
 * linux/bpf_common.h.
 */
const LOAD = 0x20;
const AND = 0x54;
const IF_EQUAL = 0x15;
const IF_GREATER = 0x25;
const IF_ANY_BIT = 0x45;
const RETURN = 0x06;

/** Offsets in `struct seccomp_data` and results: linux/seccomp.h. Both architectures store the low half first. */
const NUMBER_AT = 0;
const ARCHITECTURE_AT = 4;
const ARGUMENTS_AT = 16;
const ALLOW = 0x7fff_0000;
const FAIL = 0x0005_0000;
const KILL_PROCESS = 0x8000_0000;
/** `AUDIT_ARCH_X86_64` and `AUDIT_ARCH_AARCH64`: linux/audit.h. */
const architectures: Readonly<Record<Architecture, number>> = { x64: 0xc000_003e, arm64: 0xc000_00b7 };

/**
 * The seccomp program of these rules, as bubblewrap reads it from `--seccomp`. A system call of another architecture
 * ends the process, because its numbers have other meanings. The first rule that applies decides.
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

/** The architecture of this process, or undefined if the filter does not know its system calls. */
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

/** Continues with the next instruction if the condition is true, and leaves out `skipped` instructions if it is false. */
function testsOf(condition: Condition, skipped: number): Instruction[] {
	const load: Instruction = [LOAD, 0, 0, ARGUMENTS_AT + 8 * condition.argument];
	if ("anyBit" in condition) return [load, [IF_ANY_BIT, 0, skipped, condition.anyBit]];
	const values = "oneOf" in condition ? condition.oneOf : condition.noneOf;
	return [
		load,
		...(condition.mask === undefined ? [] : [[AND, 0, 0, condition.mask] as const]),
		...values.map((value, index): Instruction => {
			const left = values.length - 1 - index;
			if ("noneOf" in condition) return [IF_EQUAL, left + skipped, 0, value];
			return [IF_EQUAL, left, left === 0 ? skipped : 0, value];
		}),
	];
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
