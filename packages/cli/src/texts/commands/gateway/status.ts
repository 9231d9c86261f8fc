interface Count {
	readonly count: number;
}

export const statusHelp = {
	description: "show the running gateway of this machine; exit code 1 if no gateway is running",
} as const;

export const statusMessages = {
	noGateway: ({ data }: { readonly data: string }) =>
		`no gateway is running on the data directory ${data}; start a gateway with \`parley start --data ${data}\``,
	running: "running",
	degraded: "running, with problems: see below",
	draining: "stopping, accepts no new work",
	unknown: "unknown",
	sessions: ({ count, isComplete }: { readonly count: number; readonly isComplete: boolean }) =>
		isComplete ? String(count) : `${count} or more`,
	questions: ({ count }: Count) =>
		`${count} ${count === 1 ? "session has a question" : "sessions have questions"}: parley answer`,
	tasks: ({ count }: Count) =>
		`${count} ${count === 1 ? "task waits" : "tasks wait"} for your answer: parley tasks`,
	trustRequests: ({ count }: Count) =>
		`${count} ${count === 1 ? "request" : "requests"} to trust a channel: parley trust list`,
	accessRequests: ({ count }: Count) =>
		`${count} ${count === 1 ? "person requests" : "people request"} access: parley people`,
} as const;
