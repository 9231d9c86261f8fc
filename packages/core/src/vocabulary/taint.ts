import { taintTexts } from "./texts.ts";
/**
 * Flags of a session, in this order. Flags are never removed from a session.
 * - U: untrusted text, which may contain instructions.
 * - P: private data, such as secrets and files outside the roots.
 * - E: an external effect, through which data can leave.
 *
 * With all three flags, an attacker's text can send private data away.
 */
export type Taint = "" | "U" | "P" | "E" | "UP" | "UE" | "PE" | "UPE";

const taints: Readonly<Partial<Record<ActionClass, Taint>>> = {
	// A network request sends data out, and its response is untrusted text.
	egress: "UE",
	"outside-read": "P",
	secret: "P",
	irreversible: "E",
	// A client can return any text. The client already sees the session, so the call reveals no new data to it.
	client: "U",
	// A server can return any text.
	mcp: "U",
	// An unconfined command can read private data and use the network.
	"exec-unsandboxed": "PE",
};

const names = { U: taintTexts.untrusted, P: taintTexts.privateData, E: taintTexts.externalEffects } as const;

/** Reason for the approval request if `completesTaint` is true for the tool call. */
export const taintReason = taintTexts.combines(names.U, names.P);

/** Returns the flags that a tool call of these classes adds to its session. */
export function taintOf(classes: readonly ActionClass[]): Taint {
	return joinTaints(classes.map((name) => taints[name] ?? ""));
}

export function joinTaints(all: readonly Taint[]): Taint {
	const joined = all.join("");
	// The cast is safe because the filter preserves the order of the flags and returns each flag at most once.
	return (["U", "P", "E"] as const).filter((flag) => joined.includes(flag)).join("") as Taint;
}

/**
 * Whether a person must decide about a tool call. True if the call completes the three flags, or if the flags are
 * complete and the call can send data out. Without this decision, the permission to read private data would include the
 * permission to send the data.
 */
export function completesTaint(before: Taint, own: Taint): boolean {
	if (own === "" || joinTaints([before, own]) !== "UPE") return false;
	return before !== "UPE" || own.includes("E");
}

/** Returns a readable description of each flag. */
export function taintWords(taint: Taint): string[] {
	return (["U", "P", "E"] as const).filter((flag) => taint.includes(flag)).map((flag) => names[flag]);
}

/** Returns notes for an approver about the flags of the session. */
export function taintNotes(taint: Taint): string[] {
	const flags = taintWords(taint);
	return flags.length === 0 ? [] : [taintTexts.soFar(flags)];
}

/** Parses the stored form of a taint. Throws for a text that Parley never writes. */
export function readTaint(text: string): Taint {
	// `joinTaints` removes unknown letters and sorts the flags, so only a valid value equals its input.
	const taint = joinTaints([text as Taint]);
	if (taint !== text)
		throw new Error(`cannot read the stored taint ${JSON.stringify(text)}: restore a backup`);
	return taint;
}

/**
 * Classes of actions that the policy judges.
 * - `read`, `write`: reading or writing files inside the roots.
 * - `outside-read`, `outside-write`: reading or writing files outside the roots.
 * - `exec-sandboxed`, `exec-unsandboxed`: running a command inside or outside a sandbox.
 * - `egress`: access to the network.
 * - `secret`: access to secrets, such as private keys or typed passwords.
 * - `control`: changing files or settings that affect later programs or agents, or leaving the session's sandbox.
 * - `irreversible`: for example publishing or force-pushing.
 * - `person`: a question to a person.
 * - `client`: a tool that a client runs.
 * - `mcp`: a tool of an MCP server.
 * - `mcp-changed`: an MCP tool whose description or schema has changed since its last approved call.
 * - `memory-read`: reading notes.
 * - `memory-write`: storing or deleting notes with the scope `user` or `channel`.
 * - `memory-everyone`: storing or deleting notes with the scope `everyone`.
 * - `schedule`: creating or removing a schedule.
 */
export type ActionClass =
	| "read"
	| "write"
	| "exec-sandboxed"
	| "exec-unsandboxed"
	| "egress"
	| "outside-read"
	| "outside-write"
	| "secret"
	| "control"
	| "irreversible"
	| "person"
	| "client"
	| "mcp"
	| "mcp-changed"
	| "memory-read"
	| "memory-write"
	| "memory-everyone"
	| "schedule";
