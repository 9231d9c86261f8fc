import type { Guarding } from "./root-guard.ts";

/** For the model and for people, behind what the command wrote: what was taken back, and what nobody looked at. */
export function heldNote({ paths, settings, whole, unprotected }: Guarding, label: string): string {
	const notes = [
		...(paths.length > 0
			? [
					`held back: ${paths.map(quoted).join(", ")} came up and would decide what runs later; each was renamed to ` +
						`…held-back-${label}; write such files with write_file, which asks a person`,
				]
			: []),
		...settings.map(
			({ path, names }) =>
				`taken out: ${names.join(", ")} of ${quoted(path)} would decide what git runs later; set such settings with the ` +
				"tool git, which asks a person",
		),
		...(unprotected > 0
			? [
					`not protected: ${unprotected} more repositories or working trees than fit; their hooks and settings could be ` +
						"changed by this command",
				]
			: []),
		...(whole
			? []
			: [
					"not looked at: the roots hold more than is looked through for repositories; hooks and settings of those " +
						"further down could be changed by this command",
				]),
	];
	return notes.map((note) => `\n[${note}]\n`).join("");
}

function quoted(path: string): string {
	return JSON.stringify(path);
}
