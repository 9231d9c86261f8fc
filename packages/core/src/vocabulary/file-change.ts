interface FileFingerprint {
	/** SHA-256 of the content in hexadecimal, or `absent`. */
	readonly fingerprint: string;
	readonly size: number;
	/** Permission bits to preserve. Undefined if the file is missing. */
	readonly mode: number | undefined;
}

/** State of a file at one moment. */
export interface FileState extends FileFingerprint {
	/** Undefined if the file is missing or larger than 256 KiB. */
	readonly content: Buffer | undefined;
}

/** Fingerprint of a file that does not exist. */
export const absent = "absent";

/** A write to a file by a file tool. */
export interface FileWrite {
	/** Absolute real path. */
	readonly path: string;
	/** The file before this write. */
	readonly before: FileState;
	/** Fingerprint of the new content. */
	readonly after: string;
}

/**
 * Records the writes by a tool call, so that the operator can undo the writes of a turn. Ignores writes by
 * background tasks.
 */
export interface ChangeRecorder {
	/** Records a write that is about to happen. The record is durable before the promise resolves. */
	begin(write: FileWrite): Promise<void>;
	/** Records the end of a write. */
	end(write: FileWrite, outcome: "written" | "failed"): Promise<void>;
}

/** Change of a file by a turn: its state before the turn's first write and after the last write. */
export interface FileChange {
	/** Absolute real path. */
	readonly path: string;
	readonly before: FileFingerprint;
	/**
	 * Fingerprint of the file after the turn's last write. If that write may have failed, also the fingerprint before that
	 * write.
	 */
	readonly after: readonly string[];
	/** Whether the file was changed outside the turn between two writes of the turn. */
	readonly isInterleaved: boolean;
	/**
	 * Content before the turn. Undefined if the file did not exist, or the content is not stored or cannot be
	 * decrypted.
	 */
	readonly content: Buffer | undefined;
	/** Whether the earlier content is stored. */
	readonly isStored: boolean;
}

export interface TurnChanges {
	readonly runId: string;
	readonly message: string;
	/** In the order of their first writes. */
	readonly files: readonly FileChange[];
	/**
	 * Whether the turn or its sub-agents ran commands, or tools of other programs. The changes of such commands and tools
	 * are not recorded.
	 */
	readonly ranCommands: boolean;
}

/** Operations for a run that undoes a turn. */
export interface UndoAccess {
	/** Id of the run whose changes are undone. */
	readonly turn: string;
	read(): Promise<TurnChanges>;
	/** Lets a test stop the gateway after each restored file. */
	restored(): Promise<void>;
	/** Records that the changes are undone. A later undo then applies to an earlier turn. */
	done(): Promise<void>;
}

/**
 * Turn to undo. If `partly` is true, files that cannot be restored stay unchanged. If `partly` is false, a file that
 * cannot be restored prevents the undo.
 */
export interface UndoScope {
	/** Id of the turn's run. */
	readonly turn: string;
	readonly partly: boolean;
}
