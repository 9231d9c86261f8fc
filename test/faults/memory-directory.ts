import { existsSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A directory in memory if possible, where writes are fast. Other tests check that the journal survives a crash. */
const place = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

export function memoryDirectory(): Promise<string> {
	return mkdtemp(join(place, "parley-test-"));
}
