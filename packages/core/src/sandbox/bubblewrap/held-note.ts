import type { Guarding, Guards } from "./root-guard.ts";

/** Maximum of names in one note. */
const MAX_NAMED = 10;

/** Note behind the output of a command, about what the gateway took back and what it did not look at. */
export function heldNote(
	guarding: Guarding,
	roots: readonly string[],
	{ told }: Pick<Guards, "told">,
): string {
	// Once for the same roots, because it can be true for each of their commands.
	const lasting = leftOut(guarding).filter((note) => !told.has(JSON.stringify([roots, note])));
	for (const note of lasting) told.add(JSON.stringify([roots, note]));
	return [...takenBack(guarding), ...lasting].map((note) => `\n[${note}]\n`).join("");
}

function takenBack({ paths, settings, failed, swapped }: Guarding): string[] {
	const settingsTaken = settings.map(({ path, names }) => `${namedOf(names)} of ${JSON.stringify(path)}`);
	return [
		...noteOf(
			paths.map(quoted),
			(all) =>
				`held back: ${all} came up and would decide what runs later; each was renamed to …held-back-…; ` +
				"write such files with write_file, which asks a person",
		),
		...noteOf(
			settingsTaken,
			(all) =>
				`taken out: ${all} would decide what git runs later; a copy of all is in …held-back-… beside; ` +
				"set such settings with the tool git, which asks a person",
		),
		...noteOf(failed, (all) => `could not be taken back: ${all}`),
		...noteOf(
			swapped.map(quoted),
			(all) =>
				`not looked into: ${all} came with a directory that took another's place, and decide what runs later`,
		),
	];
}

function leftOut({ unprotected, isBeyond, unread }: Guarding): string[] {
	const notProtected =
		`not protected: ${unprotected} more directories with repositories or skills than fit; this command and later ones ` +
		"could change their hooks, settings and skills";
	const notLookedAt =
		"not looked at: the roots hold more than the gateway searches for repositories and skills; this command and later " +
		"ones could change hooks, settings and skills further down";
	return [
		...(unprotected > 0 ? [notProtected] : []),
		...(isBeyond ? [notLookedAt] : []),
		...noteOf(
			unread.map(quoted),
			(all) => `not looked at: ${all} cannot be read, and may hold hooks and settings that this command made`,
		),
	];
}

function noteOf(items: readonly string[], text: (all: string) => string): string[] {
	return items.length > 0 ? [text(namedOf(items))] : [];
}

function namedOf(items: readonly string[]): string {
	const more = items.length - MAX_NAMED;
	return `${items.slice(0, MAX_NAMED).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function quoted(path: string): string {
	// The end of a longer path would not be read.
	return JSON.stringify(path.length > 300 ? `${path.slice(0, 300)}…` : path);
}
