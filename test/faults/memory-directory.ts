import { existsSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Parent directory. Memory makes writes fast, and other tests verify that the journal survives a crash. */
const place = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

/** Creates a directory, in memory if the machine has `/dev/shm`. */
export function memoryDirectory(): Promise<string> {
	return mkdtemp(join(place, "parley-test-"));
}
