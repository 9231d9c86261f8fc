export const configHelp = {
	notes: `
Settings are in parley.config.json in the data directory. Flags and environment
variables such as PARLEY_MODEL have precedence over this file. API keys and
tokens are not settings: they come from environment variables, or from
\`parley setup\`, which stores them.

Examples:
  parley config set model fast
  parley config set budgets.day 5
  parley config set root ~/projects/shop ~/projects/site
  parley config get budgets.day
  parley config unset budgets.day
`,
	description: "show and change settings",
	get: "show the value and the source of a setting, or of all settings that are set",
	key: "name of a setting, such as model or budgets.day",
	all: "also show settings with their default values",
	set: "change a setting in the configuration file; its comments and other lines stay",
	value: "value; repeat it for a list; use JSON for a group of settings",
	unset: "remove a setting from the configuration file, so that its default applies",
	edit: "edit the configuration file in your editor ($VISUAL or $EDITOR); an invalid file is not stored",
} as const;

export const configMessages = {
	head: ["SETTING", "VALUE", "SOURCE"],
	notSet: "not set",
	none: "No settings are set. `parley config get --all` lists all settings.",
	set: ({
		key,
		value,
		path,
	}: {
		readonly key: string;
		readonly value: string;
		readonly path: string;
	}): string => `${key}: ${value} (in ${path})`,
	unset: ({ key, path }: { readonly key: string; readonly path: string }): string =>
		`removed ${key} from ${path}`,
	notInFile: ({ key, path }: { readonly key: string; readonly path: string }): string =>
		`${key} is not set in ${path}`,
	stored: ({ path }: { readonly path: string }): string => `stored ${path}`,
	unchanged: ({ path }: { readonly path: string }): string => `${path} was not changed`,
	restart: "The running gateway uses the change after a restart: `parley stop`, then `parley start`.",
	nextStart: "The change applies when the gateway starts.",
	overridden: ({ key, variable }: { readonly key: string; readonly variable: string }): string =>
		`${variable} has precedence over ${key} in this environment: unset the variable to use the file`,
	problem: ({ problem }: { readonly problem: string }): string =>
		`a gateway cannot start in this environment: ${problem}`,
	invalid: ({ message }: { readonly message: string }): string => `The file is not stored: ${message}`,
	again: "Edit again? [Y/n] ",
	needsTerminal:
		"parley config edit needs a terminal\nto change a setting in a script: parley config set KEY VALUE",
	editorFailed: ({ editor, code }: { readonly editor: string; readonly code: number }): string =>
		`the editor ${JSON.stringify(editor)} ended with exit code ${code}, so nothing was changed: try again, or set VISUAL to another editor`,
} as const;
