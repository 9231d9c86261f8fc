interface Stored {
	readonly data: string;
}
interface Linked {
	readonly link: string;
}

/** Texts of `parley uninstall`. */
export const uninstallTexts = {
	confirmDelete: ({ data }: Stored) =>
		`Delete the data in ${data} permanently, with all sessions, keys and tokens? [y/N] `,
	stopping: ({ pid }: { readonly pid: number }) => `stopping process ${pid}; running work gets up to 30 s`,
	stopped: ({ pid }: { readonly pid: number }) => `stopped: the gateway (process ${pid})`,
	removedService: ({ file }: { readonly file: string }) => `removed: the service in ${file}`,
	deleted: ({ data }: Stored) => `deleted: the data in ${data}`,
	removedLink: ({ link }: Linked) => `removed: the link ${link}`,
	noData: ({ data }: Stored) => `no data: ${data} does not exist`,
	dataStays: ({ data }: Stored) =>
		`remains: the data in ${data} (\`parley uninstall --data-too\` deletes it)`,
	keysStay: ({ file }: { readonly file: string }) => `remains: the keys in ${file}`,
	botsStay:
		"remain: the bots in Discord and Slack; delete them on the pages of the platforms, so that their tokens end",
	programStays: ({ command }: { readonly command: string }) => `remains: the program; remove it: ${command}`,
	removeClone: ({ home }: { readonly home: string }) => `delete the clone ${home}`,
	removeCopy: ({ home }: { readonly home: string }) => `delete the temporary copy ${home}`,
	wouldStop: ({ pid }: { readonly pid: number }) => `would stop: the gateway (process ${pid})`,
	wouldRemove: ({ file }: { readonly file: string }) => `would remove: the service in ${file}`,
	wouldRemoveLink: ({ link }: Linked) => `would remove: the link ${link}`,
	wouldDelete: ({ data }: Stored) => `would delete: the data in ${data}`,
	bothFlags: "--data-too deletes the data, and --keep-data keeps it: use only one of them",
	stillRuns: ({ pid }: { readonly pid: number }) =>
		`the gateway (process ${pid}) still runs; end it with \`kill ${pid}\`, and run the command again`,
	notData: ({ data }: Stored) =>
		`${data} is not deleted: it is not a data directory of Parley, or contains your home directory; delete it yourself, or use --keep-data`,
} as const;
