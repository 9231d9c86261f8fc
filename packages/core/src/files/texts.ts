export const storedFileErrorTexts = {
	notFound: (id: string): string => `file not found: ${id}; check the id, or upload the file again`,
	otherSession: (id: string): string =>
		`the file ${id} belongs to another session: upload it in this session`,
	cannotStore: (name: string): string => `cannot store ${JSON.stringify(name)}`,
	notCopied: "cannot copy the files of the session",
	cannotRead: (id: string): string => `the file ${id} cannot be read`,
	unreadable: (id: string): string => `cannot read ${id}`,
	noResult: (id: string): string =>
		`no result is stored as ${JSON.stringify(id)}: use the name in the marker of a result of this conversation. If the result was deleted to make space for newer results, repeat the call`,
	notRemoved: "a file cannot be removed",
	notListed: "the stored files cannot be listed",
	image: "an image",
	notStored: "it is no longer stored; if you need it, ask the user to attach it again",
	imageLimits: (mebibytes: number, max: number, pixels: number): string =>
		`the images of this conversation may have at most ${mebibytes} MiB in total; ` +
		`if an image has more than ${pixels} pixels a side, at most ${max} images are allowed`,
	cannotCopy: (name: string, directory: string): string =>
		`cannot copy ${JSON.stringify(name)} into ${directory}`,
	tooManyCopies: (count: number, name: string): string =>
		`all ${count} possible names for copies of ${name} are in use: delete old copies, or rename the file`,
} as const;
