import { fstatSync } from "node:fs";
import { text } from "node:stream/consumers";
import type { Clock } from "@parley/base";
import type { Io } from "../command-line/io.ts";

/**
 * Maximum wait for the first byte of a pipe, in milliseconds. A program may start this command with a pipe to which it
 * never writes.
 */
export const firstByteMs = 3_000;

/**
 * Reads the text of a pipe, socket or file on stdin, without the line breaks at its end. Resolves with "" for a
 * terminal and for devices such as /dev/null. If nothing arrives within `firstByteMs`, closes stdin and resolves with
 * undefined.
 */
export async function readPipedInput({ stdin }: Io, clock: Clock): Promise<string | undefined> {
	// `process.stdin` always has a file descriptor, but the stream of a test has no descriptor.
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

function canCarryText(fd: number | undefined): boolean {
	if (fd === undefined) return true;
	const found = fstatSync(fd);
	return found.isFIFO() || found.isSocket() || found.isFile();
}
