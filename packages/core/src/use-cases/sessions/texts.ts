/** Errors about a history that a client imports, and the mark of a shortened tool result. */
export const importTexts = {
	tooManyMessages: (count: number, max: number): string =>
		`it has ${count} messages, more than the maximum of ${max}: leave out the oldest ones`,
	tooManyBlocks: (count: number, max: number): string =>
		`it has ${count} blocks, more than the maximum of ${max}: leave out the oldest messages`,
	noContent: "the content is empty: add a block, or leave the message out",
	unknownRole: (role: string): string => `unknown role ${role}: use user, assistant or tool`,
	tooManyImages: (reason: string): string => `the images exceed a limit (${reason}): leave out some images`,
	blockOfRole: (role: string, type: string): string =>
		`a message of role ${role} cannot contain a block of type ${type}: leave the block out`,
	model: "the model",
	callId: "the id of a call",
	doubleCall: (id: string): string => `an earlier call already has the id ${id}: use another id`,
	toolName: "the name of a tool",
	unexpectedResult: (id: string): string =>
		`a result for the call ${id} is not allowed: no earlier reply contains this call, or the call already has a result; leave the result out`,
	noResult: (id: string): string => `the call ${id} has no result: add the result, or leave the call out`,
	nameLength: (field: string, characters: number, max: number): string =>
		`${field} has ${characters} characters: use 1 to ${max}`,
	arguments: (id: string, reason: string): string => `the arguments of the call ${id}: ${reason}`,
	longText: (bytes: number, max: number): string =>
		`a text has ${bytes} bytes, more than the maximum of ${max}: shorten it`,
	longTexts: (max: number): string =>
		`all texts together have more than ${max} bytes: leave out the oldest messages`,
	imageType: (type: string, allowed: string): string =>
		`images of type ${type} are not supported: use ${allowed}`,
	largeImage: (bytes: number, max: number): string =>
		`an image has ${bytes} bytes, more than the maximum of ${max}: use a smaller image`,
	notBase64: "the data of an image is not base64: encode the image as base64",
	damaged: "damaged: its header has no width and height",
	badImage: (type: string, problem: string): string =>
		`an image of type ${type} is ${problem}; replace the image, or leave it out`,
	wideImage: (width: number, height: number, max: number): string =>
		`an image has ${width} x ${height} pixels, more than the maximum of ${max} a side: use a smaller image`,
	leftOut: (characters: number, lines: number, max: number): string =>
		`[… ${characters} characters in ${lines} lines left out: at most ${max} of a result are imported …]`,
} as const;

export const sessionTexts = {
	importByConnector:
		"history: a connector that acts for a person cannot import a history: open the session without it",
	rootByOperator: (channel: string): string =>
		`root_dir: the directory for ${channel} is set by the operator, with parley channels set ${channel} --root DIRECTORY`,
	onlyMembers: "only members can choose a profile: ask the operator for the role member",
	workspaceNotRemoved: "a workspace could not be removed",
	busy: "session busy: a run or a task is active; cancel it first, or delete with force",
	noSeq: (seq: string | number): string => `seq not available: ${seq}`,
} as const;

export const forkTexts = {
	noTurn: (at: number, all: number): string => {
		if (all === 0) return "at: the session has no message yet; send a message first";
		if (all === 1) return `at: the session has no message ${at}: it has only message 1, so use 1`;
		return `at: the session has no message ${at}: use a number from 1 to ${all}`;
	},
	notEnded: (turn: number, ended: number, all: number): string => {
		if (all === 0) return "the session has no message yet: send a message first";
		if (ended === 0)
			return "the session has no answered message yet: wait until the first message is answered";
		const answered = ended === 1 ? "1" : `a number from 1 to ${ended}`;
		return `message ${turn} is not answered yet: wait, or use ${answered}`;
	},
	usedKey: "external_key: another session has this key; use another key",
} as const;

export const titleTexts = {
	notCreated: "no title could be created",
	written: "title made",
	person: (text: string): string => `The person:\n\n${text}`,
	agent: (text: string): string => `The agent:\n\n${text}`,
	end: (source: string, reply: string): string =>
		`${source}\n\n${reply}\n\nEnd of the excerpt. Write the title now.`,
	empty: "the model wrote no title",
} as const;
