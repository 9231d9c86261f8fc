export const firingTexts = {
	ownerLeft: (owner: string): string => `${owner} has left the server or workspace, or was removed from it`,
	ownerCannotWrite: (owner: string): string => `${owner} can no longer write in the channel`,
	waits: (connector: string, owner: string): string =>
		`${connector} is not connected, or cannot confirm the permissions of ${owner}; the gateway asks again every minute`,
	waitsForConnector: "a schedule waits for its connector",
	notFired: "a schedule did not fire",
	notNow: "the schedule does not fire now",
	fired: "a schedule fired",
	notChecked: "schedules could not be checked",
	retried: "a schedule could not fire and is retried",
	rightsUnconfirmed: "the rights of an owner could not be confirmed",
	tooMany: (owner: string, max: number): string =>
		`${owner} already has ${max} schedules, the maximum. Remove a schedule first.`,
} as const;
