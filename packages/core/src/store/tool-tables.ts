import type { CommandEndReason } from "../vocabulary/commands/background-command.ts";
import type { Stamped } from "./stamped.ts";

/** Table of background commands (see vocabulary/commands/background-command.ts). */
interface BackgroundCommandsTable extends Stamped {
	session_id: string;
	/** Number of the command within the session, from 1. */
	n: number;
	run_id: string;
	call_id: string;
	/** Command line without secrets. */
	command: string;
	started_at: number;
	/** End time. Null while the command runs. */
	ended_at: number | null;
	reason: CommandEndReason | null;
	code: number | null;
	/** 1 if a run of the session has received the end of the command. */
	informed: number;
}

/**
 * Table of MCP tools with approved calls. `hash` is the hash of the tool's description at the last approved call (see
 * agent/mcp/approved-tools.ts).
 */
interface McpToolsTable extends Stamped {
	name: string;
	directory: string;
	hash: string;
	at: number;
}

/**
 * Table of files that turns have written. Each row belongs to one turn and one file, and contains the content before
 * the turn (see vocabulary/file-change.ts).
 */
interface FileChangesTable extends Stamped {
	session_id: string;
	/** Id of the run that started the turn. Sub-agents of the run record their changes under the same id. */
	run_id: string;
	/** Number of the file in the turn, from 1. */
	n: number;
	/** Absolute real path of the file. */
	path: string;
	before_hash: string;
	before_mode: number | null;
	before_size: number;
	/** The earlier content, compressed and encrypted. Null if the file did not exist, or if the content is not stored. */
	content: string | null;
	/** Number of characters in `content`. The sum for a session is limited (see `changeLimits`). */
	stored: number;
	after_hash: string;
	/**
	 * Hash of the content before the last write, if the end of that write is unknown: the write is in progress, or the
	 * gateway stopped. Null if the end is known.
	 */
	writing_from: string | null;
	/** 1 if the file was changed by something other than the turn between two writes of the turn. */
	interleaved: number;
	/** Run that undid the turn. Null if the turn is not undone. */
	undone_by: string | null;
}

/** Tables about the calls of tools. */
export interface ToolTables {
	background_commands: BackgroundCommandsTable;
	mcp_tools: McpToolsTable;
	file_changes: FileChangesTable;
}
