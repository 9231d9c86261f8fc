/** Findings of `parley discord doctor` about the bot's servers, with the purpose of each permission. */
export const serverTexts = {
	servers: ({ names, invite }: { readonly names: readonly string[]; readonly invite: string }) =>
		`the bot is in ${names.join(", ")}; to add it to another server, open ${invite}`,
	noServer: "the bot is not in any server",
	noServerFix: ({ invite }: { readonly invite: string }) =>
		`open ${invite} and choose a server that you manage`,
	permissions: ({ server }: { readonly server: string }) =>
		`the bot has all permissions that it needs in ${server}`,
	lacking: ({ server, permissions }: { readonly server: string; readonly permissions: string }) =>
		`the bot lacks permissions in ${server}: ${permissions}`,
	lackingFix: ({ invite }: { readonly invite: string }) => `give the bot these permissions with ${invite}`,
	lackingInChannels: ({
		server,
		channels,
		others,
	}: {
		readonly server: string;
		/** Channels with their missing permissions. */
		readonly channels: readonly string[];
		/** Number of further channels. */
		readonly others: number;
	}) =>
		`the bot lacks permissions in channels of ${server}: ${channels.join("; ")}${
			others === 0 ? "" : `; and ${others} more ${others === 1 ? "channel" : "channels"}`
		}`,
	lackingInChannelsFix: 'allow these permissions in the channels, under "Edit Channel", "Permissions"',
	purposes: {
		viewChannel: "to receive messages",
		sendMessages: "to answer",
		sendMessagesInThreads: "to answer in threads, and to report on tasks",
		createPublicThreads:
			"to open threads for tasks, schedules, copies of conversations, and answers to mentions",
		readMessageHistory:
			"to reply to messages, to check whether an unconfirmed post exists, and to read missed messages",
		attachFiles: "to post files and long answers",
	},
} as const;
