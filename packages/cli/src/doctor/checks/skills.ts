import { visibleLine } from "../../text/visible.ts";
import { type Check, ok, warn } from "../finding.ts";
import type { System } from "../system.ts";

/** Problems and changes that are shown; `parley skills` shows all. */
const mostShown = 3;
const recentMs = 7 * 24 * 60 * 60 * 1_000;

/** Whether the skill files of the data directory can be used, and whether a command without a sandbox may have changed them. */
export const skills: Check = {
	id: "skills",
	async look(system) {
		const { skills: found, problems } = await system.skills();
		if (problems.length > 0) {
			const words = problems.length === 1 ? "a skill file" : `${problems.length} skill files`;
			const shown = listed(problems.map(({ path, message }) => `${path}: ${message}`));
			return warn(`${words} cannot be used: ${shown}`, "correct these files; the next use reads them again");
		}
		const all = found.length === 0 ? "none in the data directory" : `${found.length} in the data directory`;
		return (await recentChanges(system)) ?? ok(all);
	},
};

/** A warning about skills whose content is new, if commands of the gateway could have written it. */
async function recentChanges({
	health,
	listedSkills,
	now,
}: System): Promise<ReturnType<typeof warn> | undefined> {
	const { mode, operator } = health?.sandbox ?? {};
	if (mode !== "off" && operator !== "off") return undefined;
	const recent = (await listedSkills()).filter(
		({ changed_at: at }) => at !== undefined && now() - Date.parse(at) < recentMs,
	);
	if (recent.length === 0) return undefined;
	const words = recent.length === 1 ? "a skill" : `${recent.length} skills`;
	const shown = listed(recent.map(({ path, changed_at: at = "" }) => `${visibleLine(path)} (${at})`));
	return warn(
		`commands run without a sandbox, and ${words} of the data directory changed in the last 7 days: ${shown}`,
		"review them with parley skills show NAME: an approved command could have written them",
	);
}

function listed(items: readonly string[]): string {
	const more = items.length > mostShown ? [`and ${items.length - mostShown} more`] : [];
	return [...items.slice(0, mostShown), ...more].join("; ");
}
