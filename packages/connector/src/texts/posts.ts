/** Texts for operators about posts that need a decision: reasons of the posts, and errors of decisions. */
export const postTexts = {
	// Reasons for the state of a post.
	noReason: "no reason was given",
	stale: "the post is more than 24 hours old: decide whether to send it",
	/**
	 * Start of the text `closed`. The start must not change, because it identifies stored posts that wait for
	 * closed rooms.
	 */
	closedStart: "waits until its thread or channel is open again: ",
	closed: ({ error }: { readonly error: string }): string => `${postTexts.closedStart}${error}`,
	interrupted: "the connector stopped during the request",
	unchecked: ({ error }: { readonly error: string }): string =>
		`the connector cannot check whether the post was sent: ${error}; look for the post in its channel, then send or drop it`,
	failed: ({ attempts, reason }: { readonly attempts: number; readonly reason: string }): string =>
		`not posted after ${attempts} attempts: ${reason}`,

	// Errors of decisions about posts.
	unknown: ({ id }: { readonly id: string }): string =>
		`unknown post ${id}: use an id that \`parley discord posts\` or \`parley slack posts\` lists`,
	notDecidable: ({
		id,
		send,
		state,
	}: {
		readonly id: string;
		readonly send: boolean;
		readonly state: string;
	}) =>
		`cannot ${send ? "send" : "drop"} post ${id} in the state "${state}": ` +
		(send ? "send only held posts, and failed answers that were not dropped" : "drop only held posts"),
	replaced: ({ id }: { readonly id: string }): string =>
		`cannot send post ${id}: a newer post has replaced it`,
	decided: ({ id, send, by }: { readonly id: string; readonly send: boolean; readonly by: string }): string =>
		`cannot ${send ? "drop" : "send"} post ${id}: ${by} has already decided ${send ? "to send it" : "to drop it"}`,
	oldConnector: ({ platform }: { readonly platform: string }): string =>
		`the database of the ${platform} connector is from an earlier version of Parley: restart the connector, then try again`,
};
