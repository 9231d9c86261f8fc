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
