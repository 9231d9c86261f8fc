/** Texts of chat commands that belong to no other topic. */
export const commandTexts = {
	// `command`: Markdown.
	unknown: ({ command, help }: { readonly command: string; readonly help: string }): string =>
		`Unknown command ${command}. \`${help}\` lists all commands.`,

	help: {
		description: "List all commands",
		intro:
			"Write to me in a direct message, mention me in a channel, or write in one of my threads. To stop me, write `stop` or react with ❌ to your message. To repeat the answer, react with 🔁. You can also mention me and type a command, for example `!session list`.",
		/**
		 * Descriptions of command groups, by the first word of the commands. A list with one line for each command
		 * would not fit into one Discord post.
		 */
		groups: new Map([
			["task", "Work in the background"],
			["session", "Conversations of this channel"],
			["trust", "Let tools run in this channel without approval"],
			["schedule", "Send requests to the agent at set times"],
		]) as ReadonlyMap<string, string>,
	},

	/** Explanations if a name matches no object or several objects. `list`: command that lists the objects. */
	named: {
		none: ({
			thing,
			hasTitle,
			typed,
			list,
		}: {
			readonly thing: string;
			readonly hasTitle: boolean;
			readonly typed: string;
			readonly list: string;
		}): string =>
			`there is no ${thing} “${typed}” here: use ${hasTitle ? "a title or a number" : "a number"} from ${list}`,
		several: ({
			thing,
			typed,
			list,
		}: {
			readonly thing: string;
			readonly typed: string;
			readonly list: string;
		}): string => `more than one ${thing} matches “${typed}”: use a number from ${list}`,
	},

	typed: {
		chooseOne: ({ commands }: { readonly commands: string }): string =>
			`Choose one of these commands: ${commands}`,
		// The value is not shown, because the text is also used as Slack's mrkdwn.
		wrong: ({
			name,
			isMissing,
			description,
			usage,
		}: {
			readonly name: string;
			readonly isMissing: boolean;
			readonly description: string;
			readonly usage: string;
		}): string =>
			`\`${name}\` ${isMissing ? "is missing" : "has an invalid value"}. ${description}. Usage: ${usage}`,
		withoutOptions: ({ usage }: { readonly usage: string }): string =>
			`This command has no options. Usage: ${usage}`,
		unread: ({ usage }: { readonly usage: string }): string =>
			`Your command contains words that belong to no option. Usage: ${usage}`,
	},

	ask: {
		description: "Ask the agent in this channel's conversation",
		text: "Your request",
		sent: "Sent. The answer follows here.",
		sentWithout: ({ files }: { readonly files: string }): string =>
			`Sent, but without these files:\n\n${files}`,
		notSent: ({ files }: { readonly files: string }): string =>
			`Not sent, because I could not read these files:\n\n${files}`,
	},

	stop: {
		description: "Stop the current answer in this channel's conversation",
		stopped: "Stopped.",
		idle: "I am not working on anything here.",
	},

	skill: {
		description: "Use a skill, or list the skills",
		name: "Name of the skill; leave it out to list the skills",
		arguments: "Input for the skill",
		started: "Started. The answer follows here.",
		startedWithout: ({ files }: { readonly files: string }): string =>
			`Started, but without these files:\n\n${files}`,
		none: "There are no skills here.",
		more: ({ count }: { readonly count: number }): string => `and ${count} more`,
	},

	model: {
		description: "Show or choose the model of this channel's conversation",
		name: "A model, or a tier such as fast, standard or max",
		chosen: ({ model }: { readonly model: string }): string =>
			`Model chosen: \`${model}\`. It applies from the next message.`,
		current: " · current",
		list: ({
			model,
			command,
			models,
		}: {
			readonly model: string;
			readonly command: string;
			readonly models: string;
		}): string =>
			`Current model: \`${model}\`. Use \`${command}\` with a name to choose another model:\n\n${models}`,
	},

	usage: {
		description: "Show the usage and the budgets of this channel's conversation",
		none: "This channel has no conversation yet, so there is no usage.",
		tokens: ({ input, output }: { readonly input: string; readonly output: string }): string =>
			`${input} tokens in, ${output} out`,
		total: ({ used, calls }: { readonly used: string; readonly calls: string }): string =>
			`This conversation: ${used}, ${calls} model ${calls === "1" ? "call" : "calls"}.`,
		budgets: ({ budgets }: { readonly budgets: string }): string => `Budgets:\n\n${budgets}`,
		budget: ({
			scope,
			spent,
			limit,
			period,
		}: {
			readonly scope: string;
			readonly spent: string;
			readonly limit: string;
			readonly period: string;
		}): string =>
			`- ${scope === "session" ? "this conversation" : "the gateway"}: ${spent} of ${limit} a ${period}`,
	},
};
