interface Versions {
	readonly name: string;
	readonly from: string;
	readonly to: string;
}
interface Stored {
	readonly data: string;
}
interface Filed {
	readonly file: string;
}

/** Texts of `parley upgrade`. */
export const upgradeTexts = {
	current: ({ name, version }: { readonly name: string; readonly version: string }) =>
		`${name} ${version} is already installed`,
	available: ({ name, from, to }: Versions) => `${name} ${from} can be upgraded to ${to}`,
	upgraded: ({ name, from, to }: Versions) => `upgraded: ${name} ${from} to ${to}`,
	completed: ({ name, from, to }: Versions) => `completed the interrupted upgrade: ${name} ${from} to ${to}`,
	saved: ({ data, file }: Stored & Filed) => `saved: the data in ${data} to ${file}`,
	running: ({ urls }: { readonly urls: string }) => `running: ${urls}`,
	wouldStop: ({ what }: { readonly what: string }) => `stops and starts again: ${what}`,
	wouldSave: ({ data }: Stored) => `saves and migrates: the data in ${data}`,
	service: ({ file }: Filed) => `the service in ${file}`,
	gateway: ({ pid, data }: Stored & { readonly pid: number }) =>
		`the gateway that uses ${data} (process ${pid})`,
	confirm: ({ to }: { readonly to: string }) => `Upgrade to ${to}? [y/N] `,
	declined: "not upgraded",
	note: ({ note }: { readonly note: string }) => `note: ${note}`,
	doctor: ({ id, what }: { readonly id: string; readonly what: string }) =>
		`\`parley doctor\` reports ${id}: ${what}`,
	noDoctor: ({ data }: Stored) => `\`parley doctor --data ${data}\` failed; run it to see the reason`,
	startYourself: ({ data }: Stored) =>
		`the gateway that uses ${data} is stopped: start it again in the same way as before`,
	rolledBack: ({ name, from, to, reason }: Versions & { readonly reason: string }) =>
		`rolled back to ${from}, because the upgrade of ${name} to ${to} failed: ${reason}`,
	aside: ({ directory }: { readonly directory: string }) =>
		`the data of the failed upgrade is in ${directory}; delete it when you no longer need it`,
	startFailed: ({ data, reason }: Stored & { readonly reason: string }) =>
		`the gateway that uses ${data} could not be restarted: ${reason}`,
	interrupted: "interrupted",
	waitForRollback: "rolling back; wait until the old version runs again",
	steps: {
		searching: "searching for the new version",
		installing: "installing the new version beside the present one",
		stopping: "stopping the gateway; running work gets up to 25 s",
		copying: "copying the data",
		migrating: "migrating the data",
		starting: "starting the gateway",
		restoring: "restoring the old version",
	},
} as const;

/** Errors of `parley upgrade`. */
export const upgradeErrors = {
	clone: ({ home }: { readonly home: string }) =>
		`cannot upgrade the clone ${home}: update it yourself with \`parley backup FILE\`, \`parley stop\`, \`git pull\` and \`npm start\``,
	container:
		"cannot upgrade inside a container: build or pull the newer image and start it on the same volume, for example with `docker compose up --build --detach`",
	npx: ({ home }: { readonly home: string }) =>
		`cannot upgrade ${home}, because npx installed it only temporarily: let npx run the newer package, for example \`npx --package FILE parley start\``,
	project: ({ home, name }: { readonly home: string; readonly name: string }) =>
		`cannot upgrade ${home}, which belongs to another package or another package manager. Save the data with \`parley backup FILE\`, stop the gateway with \`parley stop\`, and install the newer ${name} there`,
	notWritable: ({ directory }: { readonly directory: string }) =>
		`cannot write to ${directory}: run the command as the owner of this directory, for example with \`sudo\``,
	needsRoot: ({ file }: Filed) =>
		`the service in ${file} belongs to the system: run the command again with \`sudo\``,
	invalidVersion: ({ to }: { readonly to: string }) =>
		`invalid version ${JSON.stringify(to)}: use a version such as 1.2.3, a tag such as latest, or the path of a .tgz file`,
	noFile: ({ file }: Filed) => `the package ${file} is not a file: use the path of a .tgz file`,
	noNpm: "npm was not found: install it, and run the command again",
	npmFailed: ({ call, reason }: { readonly call: string; readonly reason: string }) =>
		`\`${call}\` failed: ${reason}; find and correct the cause, and try again`,
	noReason: "no reason was printed",
	otherPackage: ({ found, name }: { readonly found: string; readonly name: string }) =>
		`the package has the name ${JSON.stringify(found)}: use a package with the name ${name}`,
	otherVersion: ({ found, to }: { readonly found: string; readonly to: string }) =>
		`the installed package has the version ${JSON.stringify(found)} and not ${to}: run the command again`,
	otherProgram: ({ what }: { readonly what: string }) =>
		`${what} runs another copy of Parley, and that copy could not read the data after the upgrade. Upgrade that copy, or run \`parley service install\` to replace it`,
	interrupted: ({ to }: { readonly to: string }) =>
		`an upgrade to ${to} was interrupted: run \`parley upgrade\` without \`--check\` to finish it or to roll it back`,
	unfinished: ({ reason }: { readonly reason: string }) =>
		`the upgrade is not finished: ${reason}; run \`parley upgrade\` again`,
	noCopies: ({ directory }: { readonly directory: string }) =>
		`cannot write copies of the data into ${directory}: choose another directory with \`--copies DIR\``,
	elsewhere: ({ pid, directory }: { readonly pid: number; readonly directory: string }) =>
		`process ${pid} in ${directory} runs a gateway of this copy with another data directory: stop this gateway, and run the command again`,
	busy: "another `parley upgrade` is running for this installation: wait until it ends",
	noLock: ({ directory, reason }: { readonly directory: string; readonly reason: string }) =>
		`cannot write the files of the upgrade into ${directory}: ${reason}; free space or correct the permissions of the directory, and run the command again`,
	foreignJournal: ({ file }: Filed) =>
		`${file} was written by another version of Parley: finish the upgrade with that version, or remove the file`,
	noAnswer: ({ data, why }: Stored & { readonly why: string }) =>
		`the gateway that uses ${data} does not answer: ${why}; read its log with \`parley logs --data ${data}\``,
	wrongVersion: ({ data, found }: Stored & { readonly found: string }) =>
		`the gateway that uses ${data} runs version ${found} instead of the new version: check which program starts this gateway, and try again`,
	stillRuns: ({ pid }: { readonly pid: number }) =>
		`the gateway (process ${pid}) did not stop in time: end it with \`kill ${pid}\``,
	migrationFailed: ({ data, reason }: Stored & { readonly reason: string }) =>
		`cannot migrate the data in ${data}: ${reason}`,
} as const;
