import { ozzie } from "../requirement.ts";

const noSkills = { cannot: "zot has no skills: its document fixes the tools and events of a session" };

export const skillRequirements = {
	"skill.events": ozzie(
		"document, Skill Events",
		"The events of a skill and of its steps have the documented keys.",
		noSkills,
	),
	"skill.steps": ozzie(
		"our own: A skill with steps",
		"The steps of a skill run in the order of their needs, in parallel if they can, and again if their criteria are not met.",
		noSkills,
	),
};
