import { plural } from "../text/amounts.ts";

/** Results of `parley audit --verify`, and the table of the audit log. */
export const auditTexts = {
	messagesIntact: ({ summary }: { readonly summary: string }) => `the messages are intact: ${summary}`,
	messagesAltered: ({ faults }: { readonly faults: number }) =>
		`the messages are not intact: ${plural(faults, "row")} of sessions ${faults === 1 ? "was" : "were"} altered or removed`,
	moreFaults: ({ rest }: { readonly rest: number }) => `and ${rest} more`,
	compareMessages: "compare the messages with an earlier backup",
	unverified: ({ checked, unverified }: { readonly checked: string; readonly unverified: number }) =>
		`${checked}; not verified: ${plural(unverified, "row")} of an earlier version, without a hash`,
	logIntact: ({ rows }: { readonly rows: number }) => `the audit log is intact: ${plural(rows, "row")}`,
	// `sessions` is the number of checked sessions, and `all` the number of all sessions.
	checked: ({
		rows,
		sessions,
		all,
	}: {
		readonly rows: number;
		readonly sessions: number;
		readonly all: number;
	}) =>
		`${plural(rows, "row")} of ${sessions}${sessions === all ? "" : ` of ${all}`} ${all === 1 ? "session" : "sessions"}`,
	anchor: ({ seq, hash }: { readonly seq: number; readonly hash: string }) => `anchor: ${seq}:${hash}`,
	damagedRow: ({ seq, reason }: { readonly seq: number; readonly reason: string }) => `row ${seq}: ${reason}`,
	noDamagedRow: "no single row is damaged",
	logAltered: "the audit log is not intact: rows were changed or removed",
	validRows: ({ rows }: { readonly rows: number }) =>
		`valid before it: ${plural(rows, "row")}; compare the log with a backup and with the anchors in the log of the gateway`,
	columns: ["SEQ", "TIME", "PRINCIPAL", "VIA", "ACTION", "DECISION", "OBJECT", "DETAILS"],
	progress: ({ checked, all }: { readonly checked: number; readonly all: number }) =>
		`checked the messages of ${checked} of ${all} sessions`,
	noDatabase: ({ file }: { readonly file: string }) =>
		`the database ${file} does not exist or is not accessible: set --data to the data directory of a gateway`,
	noLog: ({ directory }: { readonly directory: string }) =>
		`the database in ${directory} has no audit log: start a gateway of this version there with \`parley start --data ${directory}\`, or correct --data`,
} as const;
