import { DiscordCommand, type InstalledCommand } from "./discord-command.ts";

/** One request that brings Discord nearer to what is wanted. */
export type SyncStep =
	| { readonly action: "create"; readonly command: DiscordCommand }
	| { readonly action: "change"; readonly command: DiscordCommand; readonly id: string }
	| { readonly action: "delete"; readonly name: string; readonly id: string };

/**
 * What is to be done so that Discord has the wanted commands. Another program's commands of the same application stay:
 * only what has a wanted name, or is in `ours` because it was installed by us, is touched.
 */
export function planSync(
	installed: readonly InstalledCommand[],
	wanted: readonly DiscordCommand[],
	ours: readonly string[],
): SyncStep[] {
	const wantedKeys = new Set(wanted.map(keyOf));
	const gone = installed
		.filter((command) => ours.includes(keyOf(command)) && !wantedKeys.has(keyOf(command)))
		.map(({ name, id }) => ({ action: "delete" as const, name, id }));
	const made = wanted.flatMap((command): SyncStep[] => {
		const found = installed.find((other) => keyOf(other) === keyOf(command));
		if (found === undefined) return [{ action: "create", command }];
		return fingerprintOf(found) === fingerprintOf(command)
			? []
			: [{ action: "change", command, id: found.id }];
	});
	// First, because there is room for a hundred.
	return [...gone, ...made];
}

/** What two commands cannot share: a name among those of the same kind. */
export function keyOf({ type, name }: DiscordCommand): string {
	return `${type} ${name}`;
}

/** The same for what means the same: the schema decides the order of the fields. */
function fingerprintOf(command: DiscordCommand): string {
	return JSON.stringify(DiscordCommand.parse(command));
}
