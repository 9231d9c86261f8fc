import { plural } from "../text/amounts.ts";

/** Results of `parley backup` and `parley restore`. */
export const backupTexts = {
	restoredTo: ({ data }: { readonly data: string }) =>
		`to ${data}; start the gateway with \`parley start --data ${data}\``,
	restored: ({ facts }: { readonly facts: string }) => `restored ${facts}`,
	previousData: ({ directory }: { readonly directory: string }) => `the previous data is in ${directory}`,
	valid: ({ file, facts }: { readonly file: string; readonly facts: string }) =>
		`${file} can be restored: ${facts}`,
	facts: ({
		files,
		size,
		version,
		createdAt,
	}: {
		readonly files: number;
		readonly size: string;
		readonly version: string;
		readonly createdAt: string;
	}) => `${plural(files, "file")} (${size}), saved by Parley ${version} at ${createdAt}`,
	savedSessions: ({ sessions, data }: { readonly sessions: number; readonly data: string }) =>
		`saved ${plural(sessions, "session")} of ${data}`,
	savedFile: ({
		file,
		size,
		files,
	}: {
		readonly file: string;
		readonly size: string;
		readonly files: number;
	}) => `in ${file} (${size}, ${plural(files, "file")})`,
	missingFiles: ({ files }: { readonly files: number }) =>
		`${plural(files, "stored file")} ${files === 1 ? "was" : "were"} deleted during the backup, and ${files === 1 ? "is" : "are"} not in the backup`,
	howToStore: "The backup contains keys and tokens. Store it where only you can read it.",
} as const;
