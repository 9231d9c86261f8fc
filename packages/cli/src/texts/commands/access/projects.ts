export const projectsHelp = {
	notes: `
Run \`parley\` in a directory to open a chat there. The first time, Parley asks
whether agents may work in the directory, and stores your answer. An answer also
applies to all subdirectories. A running gateway uses the answer for the next
session.

Examples:
  cd ~/projects/shop && parley
  parley projects allow ~/projects
  parley projects forget ~/projects/shop
`,
	description: "list the directories in which agents may work; allow, deny and forget them",
	list: "list the directories; the same as `parley projects`",
	allow: "allow agents to work in a directory and those below it",
	deny: "refuse a directory, so that `parley` does not ask again",
	forget: "forget the answer for a directory, so that `parley` asks again",
	directory: "directory (default: the current one)",
	yes: "do not ask for confirmation, not even for your home directory",
} as const;

export const projectsMessages = {
	head: ["DIRECTORY", "AGENTS", "SINCE"],
	none: "No directory is allowed or denied yet. Run `parley` in the directory of a project.",
	allowed: "allowed",
	denied: "denied",
	allow: ({ directory }: { readonly directory: string }): string => `allowed ${directory}`,
	deny: ({ directory }: { readonly directory: string }): string => `denied ${directory}`,
	forget: ({ directory }: { readonly directory: string }): string => `forgot ${directory}`,
	same: ({ directory }: { readonly directory: string }): string => `no change for ${directory}`,
	missing: ({ directory }: { readonly directory: string }): string =>
		`${JSON.stringify(directory)} is not a directory, or is not accessible: use the path of a directory`,
} as const;
