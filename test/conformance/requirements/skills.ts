import { ozzie } from "../requirement.ts";

const noSkills = {
	zot: { cannot: "zot has no skills: its document fixes the tools and events of a session" },
};

export const skillRequirements = {
	"skill.events": ozzie(
		"document, Skill Events",
		"The events of a skill and of its steps have the documented keys.",
		noSkills,
	),
	"skill.start": ozzie(
		"our own: Skills",
		"A message that begins with `/name` starts a skill with its arguments. A skill that people may not start is refused.",
		noSkills,
	),
	"skill.trust": ozzie(
		"our own: Skills",
		"Skills of a working directory start only after the operator has trusted them, and again after each change.",
		noSkills,
	),
	"skill.steps": ozzie(
		"our own: A skill with steps",
		"The steps of a skill run in the order of their needs, in parallel if possible, and again if their criteria are not met.",
		noSkills,
	),
};
