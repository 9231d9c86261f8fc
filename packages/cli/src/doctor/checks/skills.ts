import { type Check, ok, warn } from "../finding.ts";

/** Problems that are shown; `parley skills` shows all. */
const mostShown = 3;

/** Whether the skill files of the data directory can be used. */
export const skills: Check = {
	id: "skills",
	async look({ skills: read }) {
		const { skills: found, problems } = await read();
		if (problems.length === 0) {
			return ok(found.length === 0 ? "none in the data directory" : `${found.length} in the data directory`);
		}
		const shown = problems.slice(0, mostShown).map(({ path, message }) => `${path}: ${message}`);
		const more = problems.length > mostShown ? [`and ${problems.length - mostShown} more`] : [];
		return warn(
			`${problems.length === 1 ? "a skill file" : `${problems.length} skill files`} cannot be used: ${[...shown, ...more].join("; ")}`,
			"correct these files; the next use reads them again",
		);
	},
};
