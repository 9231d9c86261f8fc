interface Stored {
	readonly data: string;
}
interface Linked {
	readonly link: string;
}

/** Texts of `parley uninstall`. */
export const uninstallTexts = {
	confirmDelete: ({ data, services }: Stored & { readonly services: readonly string[] }) =>
		`Delete the data in ${data} permanently, with all sessions, keys and tokens${services.length > 1 ? `, which ${services.length} services use (${services.join(", ")})` : ""}? [y/N] `,
	stopping: ({ pid }: { readonly pid: number }) => `stopping process ${pid}; running work gets up to 25 s`,
	stopped: ({ pid }: { readonly pid: number }) => `stopped: the gateway (process ${pid})`,
	removedService: ({ file }: { readonly file: string }) => `removed: the service in ${file}`,
	deleted: ({ data }: Stored) => `deleted: the data in ${data}`,
	removedLink: ({ link }: Linked) => `removed: the link ${link}`,
	linkStays: ({ link }: Linked) =>
		`remains: the link ${link}, which this user may not delete: run \`sudo rm '${link}'\``,
	noData: ({ data }: Stored) => `no data: ${data} does not exist`,
	dataStays: ({ data }: Stored) => `kept: the data in ${data} (\`parley uninstall --data-too\` deletes it)`,
	keysStay: ({ file }: { readonly file: string }) => `kept: the keys in ${file}`,
	botsStay:
		"remain: the bots in Discord and Slack; delete them on the pages of the platforms, so that their tokens end",
	programStays: ({ command }: { readonly command: string }) => `remains: the program; remove it: ${command}`,
	removeClone: ({ home }: { readonly home: string }) => `delete the clone ${home}`,
	removeCopy: ({ home }: { readonly home: string }) => `delete the temporary copy ${home}`,
	wouldStop: ({ pid }: { readonly pid: number }) => `would stop: the gateway (process ${pid})`,
	wouldRemove: ({ file }: { readonly file: string }) => `would remove: the service in ${file}`,
	wouldRemoveLink: ({ link }: Linked) => `would remove: the link ${link}`,
	wouldDelete: ({ data }: Stored) => `would delete: the data in ${data}`,
	otherService: ({ file, program }: { readonly file: string; readonly program: string }) =>
		`remains: the service in ${file}, which starts another copy of Parley (${program})`,
	otherGateway: ({ pid }: { readonly pid: number }) =>
		`remains: the gateway (process ${pid}), which another copy of Parley runs`,
	shared: ({ data, users }: Stored & { readonly users: readonly string[] }) =>
		`the data in ${data} is not deleted, because another copy of Parley uses the data (${users.join(", ")}). Stop that copy with \`parley stop\`, run its \`parley uninstall\`, or use --keep-data`,
	user: {
		service: ({ file }: { readonly file: string }) => file,
		gateway: ({ pid }: { readonly pid: number }) => `process ${pid}`,
	},
	severalData: ({ directories }: { readonly directories: readonly string[] }) =>
		`cannot choose one of several data directories (${directories.join(", ")}): use \`--data DIR\``,
	bothFlags: "--data-too deletes the data, and --keep-data keeps it: use only one of them",
	stillRuns: ({ pid }: { readonly pid: number }) =>
		`the gateway (process ${pid}) is still running; end it with \`kill ${pid}\`, and run the command again`,
	notData: ({ data }: Stored) =>
		`${data} is not deleted, because no gateway has used this directory: delete the directory yourself, or use --keep-data`,
	containsHome: ({ data }: Stored) =>
		`${data} is not deleted, because it contains your home directory: delete the data yourself, or use --keep-data`,
} as const;
