export const skillsHelp = {
	notes: `
A skill is instructions for a kind of work. Start one with /NAME in any message.
Parley reads skills from these files and directories, in this order of
precedence:
  skills/NAME.md, skills/NAME/SKILL.md   in the data directory: yours, always used
  .parley/skills                         in the working directory: need trust
  .claude/skills                         in the working directory: need trust
If two skills have the same name, the first is used and the other is reported.

Examples:
  parley skills
  parley skills show deploy
  parley skills trust ~/projects/shop
`,
	description: "list skills; trust those of a directory; exit code 1 if a file cannot be used",
	dir: "working directory (default: the current directory)",
	show: "show a skill with its text and the names of its files",
	name: "name of the skill",
	trust: "trust the current skills of a working directory; a changed skill requires trust again",
	trustedDirectory: "working directory that has .parley/skills or .claude/skills",
	untrust: "stop trusting the skills of a working directory",
} as const;

export const skillsMessages = {
	untrusted: ({ count }: { readonly count: number }) =>
		`${count} ${count === 1 ? "skill is" : "skills are"} no longer trusted`,
} as const;
