import { fstatSync } from "node:fs";
import { text } from "node:stream/consumers";
import type { Clock } from "@parley/base";
import type { Io } from "../command-line/io.ts";

/** Time for the first byte of a pipe. A program may start this command with a pipe that it never writes to. */
export const firstByteMs = 3_000;

/**
 * Text that another program or a file gives on stdin: all of it, without the line ends at its end. Returns "" at a terminal
 * and for devices such as /dev/null, and undefined for a pipe that stays silent for `firstByteMs`. Such a pipe is closed.
 */
export async function readPipedInput({ stdin }: Io, clock: Clock): Promise<string | undefined> {
	// `process.stdin` has a file descriptor in every form. A stream of a test has no descriptor.
	const fd = "fd" in stdin && typeof stdin.fd === "number" ? stdin.fd : undefined;
	if (stdin.isTTY || !canCarryText(fd)) return "";
	const began = Promise.withResolvers<boolean>();
	const onBegin = (): void => began.resolve(true);
	const events = ["readable", "end", "error"];
	for (const event of events) stdin.once(event, onBegin);
	const timer = clock.after(firstByteMs, () => began.resolve(false));
	const hasBegun = await began.promise;
	timer.cancel();
	for (const event of events) stdin.off(event, onBegin);
	if (hasBegun) return (await text(stdin)).replace(/(?:\r?\n)+$/, "");
	// An open pipe would keep the process alive.
	stdin.destroy();
	return undefined;
}

/** Whether the file descriptor is a pipe, a socket or a file. */
function canCarryText(fd: number | undefined): boolean {
	if (fd === undefined) return true;
	const found = fstatSync(fd);
	return found.isFIFO() || found.isSocket() || found.isFile();
}
