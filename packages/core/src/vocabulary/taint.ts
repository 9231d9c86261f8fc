/**
 * What has come together in a session, in this order. U: text of others than the operator, which may hold instructions. P: private
 * data from beyond the roots. E: an effect outside, by which data can leave. Any two are of use and little danger;
 * with all three, what a stranger wrote can carry private data away. Nothing takes a flag from a session.
 */
export type Taint = "" | "U" | "P" | "E" | "UP" | "UE" | "PE" | "UPE";

const taints: Readonly<Partial<Record<ActionClass, Taint>>> = {
	// What the network is asked holds what leaves, and what it answers was written by somebody else.
	egress: "UE",
	"outside-read": "P",
	secret: "P",
	irreversible: "E",
	// A client may answer anything. It sees the session, so that a call tells it nothing more.
	client: "U",
	// Nothing keeps such a command from private data, or from the network.
	"exec-unsandboxed": "PE",
};

const names = { U: "text of others", P: "private data", E: "effects outside" } as const;

/** Why a call is asked about whatever was granted. */
export const taintReason = `with it, ${names.U}, ${names.P} and a way out come together in this session`;

/** What a call of these classes brings into its session. */
export function taintOf(classes: readonly ActionClass[]): Taint {
	return joinTaints(classes.map((name) => taints[name] ?? ""));
}

export function joinTaints(all: readonly Taint[]): Taint {
	const joined = all.join("");
	// True because these are the letters of the type in its order, each at most once.
	return (["U", "P", "E"] as const).filter((flag) => joined.includes(flag)).join("") as Taint;
}

/**
 * Whether a person must decide about a call: it makes the three complete, or they are and it is one more way out.
 * Without the latter, leave to read private data would be leave to send it.
 */
export function completesTaint(before: Taint, own: Taint): boolean {
	if (own === "" || joinTaints([before, own]) !== "UPE") return false;
	return before !== "UPE" || own.includes("E");
}

/** What a session holds, in words. */
export function taintWords(taint: Taint): string[] {
	return (["U", "P", "E"] as const).filter((flag) => taint.includes(flag)).map((flag) => names[flag]);
}

/** For who is asked: what the session holds so far. */
export function taintNotes(taint: Taint): string[] {
	const held = taintWords(taint);
	return held.length === 0 ? [] : [`so far in this session: ${held.join(", ")}`];
}

/** As a row holds it. Throws on what this program never wrote. */
export function readTaint(text: string): Taint {
	// Joining drops every other letter, so that only a value of the type is equal to its input.
	const taint = joinTaints([text as Taint]);
	if (taint !== text) throw new Error(`no taint of a session: ${JSON.stringify(text)}`);
	return taint;
}

/**
 * What the policy judges. `critical` classes (see policy.ts) are asked whatever was granted.
 * read, write: inside the roots. outside-read, outside-write: beyond them. secret: key files and the like.
 * control: what steers Parley or this machine. irreversible: publishing, force-pushing. person: asks somebody.
 * client: a tool that a client runs. memory-read, memory-write: notes of the person and the channel, and reading those for
 * everyone. memory-everyone: storing or deleting notes for everyone. schedule: creating or removing a schedule.
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
	| "memory-read"
	| "memory-write"
	| "memory-everyone"
	| "schedule";
