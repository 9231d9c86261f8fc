import type { Random } from "../random.ts";
import { type Surroundings, validFrames } from "./valid-frames.ts";

type Mutation = (bytes: Buffer, random: Random, other: Buffer) => Buffer;

const flip: Mutation = (bytes, random) => {
	const copy = Buffer.from(bytes);
	const at = random.below(copy.length);
	copy[at] = (copy[at] ?? 0) ^ (1 << random.below(8));
	return copy;
};

const insert: Mutation = (bytes, random) => {
	const at = random.below(bytes.length + 1);
	const noise = Buffer.from(Array.from({ length: random.between(1, 8) }, () => random.below(256)));
	return Buffer.concat([bytes.subarray(0, at), noise, bytes.subarray(at)]);
};

const remove: Mutation = (bytes, random) => {
	const at = random.below(bytes.length);
	return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + random.between(1, 8))]);
};

const truncate: Mutation = (bytes, random) => bytes.subarray(0, random.below(bytes.length));

const repeat: Mutation = (bytes, random) => {
	const at = random.below(bytes.length);
	const piece = bytes.subarray(at, at + random.between(1, 16));
	return Buffer.concat([
		bytes.subarray(0, at),
		...Array<Buffer>(random.between(2, 200)).fill(piece),
		bytes.subarray(at),
	]);
};

const splice: Mutation = (bytes, random, other) => {
	return Buffer.concat([
		bytes.subarray(0, random.below(bytes.length)),
		other.subarray(random.below(other.length)),
	]);
};

const mutations = [flip, insert, remove, truncate, repeat, splice];

/** Applies one to four random mutations to a valid input. */
export function damageBytes(random: Random, valid: readonly Buffer[]): Buffer {
	let bytes: Buffer = random.pick(valid);
	for (let rounds = random.between(1, 4); rounds > 0 && bytes.length > 0; rounds--) {
		bytes = random.pick(mutations)(bytes, random, random.pick(valid));
	}
	return bytes;
}

/** Returns a mutated frame as text. Invalid UTF-8 is replaced by U+FFFD. */
export function mutateBytes(random: Random, surroundings: Surroundings): string {
	const frames = validFrames(surroundings).map((frame) => Buffer.from(JSON.stringify(frame)));
	return damageBytes(random, frames).toString("utf8");
}
