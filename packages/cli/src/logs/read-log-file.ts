import { existsSync } from "node:fs";
import { type FileHandle, open, readFile, stat } from "node:fs/promises";
import { StringDecoder } from "node:string_decoder";
import { type Clock, delay } from "@parley/base";
import { logFilesIn } from "../gateway/log-file.ts";

const pollMs = 200;

/** Whether the data directory has a current log file. */
export function hasLogFile(data: string): boolean {
	return existsSync(logFilesIn(data).current);
}

/** Resolves with all lines of the log files of a data directory, oldest first. */
export async function readLogFile(data: string): Promise<string[]> {
	const { current, previous } = logFilesIn(data);
	const texts = await Promise.all([previous, current].map(readIfThere));
	return texts.flatMap((text) => text.split("\n")).filter((line) => line !== "");
}

interface Following {
	readonly clock: Clock;
	readonly signal: AbortSignal;
	onLine(line: string): void;
	/** Reports once that all existing lines of the files have been passed on. */
	onOlder?(): void;
}

/**
 * Passes on the lines of the log files, and further lines until the signal aborts. Reads a replaced file to
 * its end before opening the next file.
 */
export async function followLogFile(
	data: string,
	{ clock, signal, onLine, onOlder }: Following,
): Promise<void> {
	const { current, previous } = logFilesIn(data);
	// The current file is opened first. If it is replaced before the previous file is opened, both readers open
	// the same file.
	let reader = await FileReader.open(current);
	try {
		await passPrevious(previous, reader, onLine);
		await reader?.pass(onLine);
		onOlder?.();
		while (!signal.aborted) {
			await reader?.pass(onLine);
			if (await isReplaced(current, reader)) {
				// Reads lines that were written to the file before its rename.
				await reader?.pass(onLine);
				await reader?.close();
				reader = await FileReader.open(current);
			} else await delay(clock, pollMs, signal).catch(() => undefined);
		}
	} finally {
		await reader?.close();
	}
}

async function passPrevious(
	path: string,
	present: FileReader | undefined,
	onLine: (line: string) => void,
): Promise<void> {
	const reader = await FileReader.open(path);
	try {
		if (reader?.inode !== present?.inode) await reader?.pass(onLine);
	} finally {
		await reader?.close();
	}
}

async function isReplaced(path: string, reader: FileReader | undefined): Promise<boolean> {
	const found = await stat(path).catch(() => undefined);
	return found !== undefined && found.ino !== reader?.inode;
}

class FileReader {
	readonly inode: number;
	readonly #file: FileHandle;
	readonly #decoder = new StringDecoder("utf8");
	readonly #buffer = Buffer.alloc(65_536);
	#rest = "";

	private constructor(file: FileHandle, inode: number) {
		this.#file = file;
		this.inode = inode;
	}

	/** Opens the file for reading. Resolves with undefined if it does not exist. */
	static async open(path: string): Promise<FileReader | undefined> {
		const file = await open(path).catch(ifMissing);
		return file && new FileReader(file, (await file.stat()).ino);
	}

	/** Passes each complete, non-empty line that no earlier call has read to `onLine`. */
	async pass(onLine: (line: string) => void): Promise<void> {
		for (;;) {
			const { bytesRead } = await this.#file.read(this.#buffer);
			if (bytesRead === 0) return;
			const lines = (this.#rest + this.#decoder.write(this.#buffer.subarray(0, bytesRead))).split("\n");
			this.#rest = lines.pop() ?? "";
			for (const line of lines) if (line !== "") onLine(line);
		}
	}

	close(): Promise<void> {
		return this.#file.close();
	}
}

async function readIfThere(path: string): Promise<string> {
	return (await readFile(path, "utf8").catch(ifMissing)) ?? "";
}

function ifMissing(error: NodeJS.ErrnoException): undefined {
	if (error.code !== "ENOENT" && error.code !== "ENOTDIR") throw error;
	return undefined;
}
