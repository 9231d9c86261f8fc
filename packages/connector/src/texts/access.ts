/** Markdown texts about the access of people: requests, roles and refusals. */
export const accessTexts = {
	channel: "this channel",
	// This text is in a direct message, or below the message of the person. `channel` is Markdown.
	noAccessIn: ({ command, channel }: { readonly command: string; readonly channel: string }): string =>
		`You do not have access yet in ${channel}. To request access, use \`${command}\` in the channel, or mention me there with \`!pair\`.`,
	noAccess: ({ command }: { readonly command: string }): string =>
		`You do not have access yet. To request access, use \`${command}\`, or mention me with \`!pair\`.`,

	pair: {
		description: "Request access, or use a code from the operator",
		code: "The operator's code, if you have one",
		requested: ({
			code,
			expires,
			command,
		}: {
			readonly code: string;
			readonly expires: string;
			readonly command: string;
		}): string =>
			`Your code is \`${code}\`. Ask the operator to run \`parley people approve ${code}\`. The code expires ${expires}. If the operator gave you a code, use \`${command} CODE\` instead.`,
		known: ({ role, help }: { readonly role: string; readonly help: string }): string =>
			`You already have access. Your role is ${role}. See \`${help}\`.`,
		welcome: ({ role, help }: { readonly role: string; readonly help: string }): string =>
			`Welcome! Your role here is ${role}. Write to me, or see \`${help}\`.`,
	},

	whoami: {
		description: "Show your role and your permissions here",
		role: ({ person, role }: { readonly person: string; readonly role: string }): string =>
			`You are ${person}. Your role is **${role}**.`,
		noRights: "You have no permissions here yet.",
		rights: ({ rights }: { readonly rights: string }): string => `You can: ${rights}.`,
		/** Rights that the command `whoami` names, by the gateway's name of the action. */
		right: new Map([
			["session.write", "write to me"],
			["session.open", "start conversations"],
			["session.configure", "choose the model"],
			["prompt.answer", "answer questions"],
			["prompt.deny", "deny tool calls"],
			["prompt.approve", "approve tool calls"],
			["task.submit", "start tasks"],
			["schedule.create", "create schedules"],
			["memory.write", "save notes"],
			["grant.request", "request trust for this channel"],
			["grant.confirm", "confirm trust for this channel"],
		]) as ReadonlyMap<string, string>,
		channel: ({
			always,
			shared,
			agent,
		}: {
			readonly always: boolean;
			readonly shared: boolean;
			readonly agent: string | undefined;
		}): string => {
			const when = always
				? "every message, except messages to other people"
				: "messages that mention me, replies to me, and messages in my threads";
			const sharing = shared
				? "All members share one conversation"
				: "Each member has a separate conversation";
			return `In this channel, I answer ${when}. ${sharing}.${agent === undefined ? "" : ` Agent: \`${agent}\`.`}`;
		},
	},
};
