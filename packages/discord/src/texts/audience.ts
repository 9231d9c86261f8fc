/**
 * Reasons why the people who can read or write in a channel may have changed. Each one completes a sentence after a colon,
 * without a period.
 */
export const audienceTexts = {
	channelPermissions: "the permissions of the channel changed",
	channelDeleted: "the channel was deleted",
	whileOffline: "permissions changed while I was offline",
	serverOwner: "the server has a new owner",
	removedFromServer: "I was removed from the server",
	rolePermissions: ({ role }: { readonly role: string }) => `the permissions of the role ${role} changed`,
	roleDeleted: "a role was deleted",
	unknown: "the previous permissions are unknown",
} as const;
